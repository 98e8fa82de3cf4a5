//! What the machine code of two sides is made of: instructions by processor, class and mnemonic.

use crate::codeobject::instruction_tally::InstructionTally;
use crate::inventory::Inventory;
use crate::isa::class::CLASSES;
use crate::isa::mnemonic;
use crate::report::v1::{InstructionMixChange, InstructionMixSide, MixChange};
use crate::target::Processor;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeMap, BTreeSet};

/// The decoded code of a side.
#[derive(Debug, Clone, Default)]
pub struct InstructionMix {
    /// By processor: the number of code objects, decoded or not, and what those that were are made of.
    processors: BTreeMap<String, (u64, InstructionTally)>,
}

impl InstructionMix {
    /// All code of a tree, whose every file counts, copies too.
    pub fn of_inventory(inventory: &Inventory) -> Self {
        let mut processors: BTreeMap<String, (u64, InstructionTally)> = BTreeMap::new();
        for device in inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref()) {
            for (target, code) in &device.targets {
                let (objects, tally) = processors.entry(target.processor.clone()).or_default();
                *objects += code.objects;
                if let Some(found) = &code.instructions {
                    tally.merge(found);
                }
            }
        }
        InstructionMix { processors }
    }

    /// The code of one processor, under another name.
    #[must_use]
    pub fn of_processor(&self, processor: &str, name: &str) -> Self {
        let own = self.processors.get(processor).cloned();
        InstructionMix { processors: own.map(|own| (name.to_owned(), own)).into_iter().collect() }
    }

    /// What changed from here to another side, for each processor of either, those of `only` where it names
    /// some.
    pub(super) fn changes(&self, new: &Self, only: &BTreeSet<&str>) -> Vec<InstructionMixChange> {
        let both: BTreeSet<&String> = self.processors.keys().chain(new.processors.keys()).collect();
        let mut both: Vec<&String> = both.into_iter().collect();
        both.retain(|processor| only.is_empty() || only.contains(processor.as_str()));
        both.sort_by_cached_key(|processor| Processor::rank(processor));
        let change = |processor: &String| {
            let (old, new) = (self.processors.get(processor), new.processors.get(processor));
            let decoded = |side: Option<&(u64, InstructionTally)>| {
                side.is_some_and(|(_, tally)| tally.instructions() > 0)
            };
            let (classes, mnemonics) = match (old, new) {
                (Some((_, old)), Some((_, new)))
                    if !old.histogram().is_empty() && !new.histogram().is_empty() =>
                {
                    (of_classes(old, new), of_mnemonics(old, new))
                }
                _ => Default::default(),
            };
            InstructionMixChange {
                processor: processor.clone(),
                before: old.filter(|_| decoded(old)).map(side),
                after: new.filter(|_| decoded(new)).map(side),
                classes,
                mnemonics,
            }
        };
        both.into_iter().map(change).filter(|row| row.before.is_some() || row.after.is_some()).collect()
    }
}

fn side((objects, tally): &(u64, InstructionTally)) -> InstructionMixSide {
    InstructionMixSide {
        code_objects: *objects,
        not_decoded: objects.saturating_sub(tally.objects()),
        instructions: tally.instructions(),
        unknown_words: tally.unknown(),
    }
}

/// Those whose numbers differ, the largest difference first.
fn changed(rows: impl Iterator<Item = MixChange>) -> Vec<MixChange> {
    let mut rows: Vec<MixChange> = rows.filter(|row| row.before != row.after).collect();
    let by = |row: &MixChange| row.after.abs_diff(row.before);
    rows.sort_rows_by(|a, b| by(b).cmp(&by(a)).then_with(|| a.name.cmp(&b.name)));
    rows
}

fn of_classes(old: &InstructionTally, new: &InstructionTally) -> Vec<MixChange> {
    let rows = CLASSES.iter().zip(old.by_class()).zip(new.by_class());
    changed(rows.map(|((class, (before, _)), (after, _))| MixChange {
        name: class.id.to_owned(),
        before,
        after,
    }))
}

fn of_mnemonics(old: &InstructionTally, new: &InstructionTally) -> Vec<MixChange> {
    let mut counts: BTreeMap<u16, [u64; 2]> = BTreeMap::new();
    for (place, tally) in [old, new].into_iter().enumerate() {
        for (number, count) in tally.histogram() {
            if let Some(own) = counts.entry(*number).or_default().get_mut(place) {
                *own = *count;
            }
        }
    }
    let row = |(number, [before, after]): (u16, [u64; 2])| MixChange {
        name: mnemonic(number).to_owned(),
        before,
        after,
    };
    changed(counts.into_iter().map(row))
}
