//! Instructions: what a target's ISA has, and what the code that was found uses of it.

use crate::codeobject::demangle;
use crate::codeobject::disassembly::{Histogram, KernelCode};
use crate::codeobject::instruction_tally::InstructionTally;
use crate::inventory::{Artifact, ArtifactKind, Inventory, TargetCode};
use crate::isa::class::{self, CLASSES};
use crate::isa::legality::{Absent, Reason};
use crate::isa::processor::Isa;
use crate::isa::{body::BODIES, mnemonic};
use crate::locator::Locator;
use crate::report::v1::{self, Evidence};
use crate::target::TargetId;
use std::collections::BTreeMap;

/// One row for each library and processor of whose code anything was decoded.
pub(super) fn of_libraries(
    inventory: &Inventory,
    processors: &[String],
    asked: &[TargetId],
) -> Vec<v1::LibraryInstructions> {
    let mut all: BTreeMap<(String, String, bool), BTreeMap<usize, TargetCode>> = BTreeMap::new();
    for artifact in &inventory.artifacts {
        let tensile = matches!(artifact.kind, ArtifactKind::Tensile(..));
        for (place, code) in code_by_processor(artifact, processors, asked) {
            let key = (artifact.library.to_lowercase(), artifact.library.clone(), tensile);
            all.entry(key).or_default().entry(place).or_default().merge(code);
        }
    }
    let mut rows = Vec::new();
    for ((_, library, tensile), by_processor) in all {
        for (place, code) in by_processor {
            let Some(processor) = processors.get(place) else { continue };
            let Some(tally) = &code.instructions else { continue };
            rows.push(v1::LibraryInstructions {
                library: library.clone(),
                tensile,
                processor: processor.clone(),
                instructions: of_target(processor, code.objects, tally, false, None),
            });
        }
    }
    rows
}

fn code_by_processor<'a>(
    artifact: &'a Artifact,
    processors: &'a [String],
    asked: &'a [TargetId],
) -> impl Iterator<Item = (usize, &'a TargetCode)> {
    let targets = artifact.device.iter().flat_map(|device| &device.targets);
    targets.filter_map(move |(target, code)| {
        let place = processors.iter().position(|p| super::counts(target, p, asked))?;
        Some((place, code))
    })
}

/// The row of a target of whose `objects` code objects some were decoded.
pub(crate) fn of_target(
    processor: &str,
    objects: u64,
    tally: &InstructionTally,
    mnemonics: bool,
    other: Option<&str>,
) -> v1::Instructions {
    let expected = Isa::by_name(processor).map_or(0, Isa::classes);
    let class = |(number, (observed, code_objects)): (usize, (u64, u64))| v1::ClassRow {
        class: CLASSES.get(number).map_or("", |class| class.id).to_owned(),
        expected: expected >> number & 1 == 1,
        expected_evidence: Evidence::Code,
        observed,
        code_objects,
    };
    let body =
        |(body, name): &(crate::isa::body::Body, &str)| ((*name).to_owned(), tally.bodies_that_are(*body));
    v1::Instructions {
        code_objects: tally.objects,
        not_decoded: objects.saturating_sub(tally.objects),
        instructions: tally.instructions(),
        unknown_words: tally.unknown,
        zero_bytes: tally.zero_bytes,
        data_bytes: tally.data_bytes,
        bodies: BODIES.iter().map(body).collect(),
        classes: tally.by_class().into_iter().enumerate().map(class).collect(),
        mnemonics: if mnemonics { mnemonic_rows(&tally.histogram) } else { Vec::new() },
        absent: other.map(|other| absent(other, &tally.absent)),
    }
}

/// A histogram, most frequent first.
fn mnemonic_rows(histogram: &Histogram) -> Vec<v1::MnemonicRow> {
    let mut rows: Vec<v1::MnemonicRow> = histogram
        .iter()
        .map(|(number, count)| v1::MnemonicRow { mnemonic: mnemonic(*number).to_owned(), count: *count })
        .collect();
    rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.mnemonic.cmp(&b.mnemonic)));
    rows
}

fn absent(processor: &str, absent: &Absent) -> v1::Absent {
    let row = |(&(number, reason), occurrence): (&(u16, Reason), &crate::isa::legality::Occurrence)| {
        v1::AbsentRow {
            mnemonic: mnemonic(number).to_owned(),
            there: match reason {
                Reason::Missing => None,
                Reason::Other(other) => Some(mnemonic(other).to_owned()),
            },
            count: occurrence.count,
            first_kernel: Some(occurrence.first_kernel.clone()).filter(|name| !name.is_empty()),
        }
    };
    let mut mnemonics: Vec<v1::AbsentRow> = absent.iter().map(row).collect();
    mnemonics.sort_by_key(|row| std::cmp::Reverse(row.count));
    let instructions = mnemonics.iter().map(|row| row.count).sum();
    v1::Absent { processor: processor.to_owned(), instructions, mnemonics }
}

/// The row of one kernel; nothing where its histogram was not kept.
pub(crate) fn of_kernel(
    target: &TargetId,
    at: &Locator,
    kernel: &KernelCode,
) -> Option<v1::KernelInstructions> {
    let histogram = kernel.histogram.as_ref()?;
    let mut by_class: BTreeMap<String, u64> = BTreeMap::new();
    for (number, count) in histogram {
        let set = class::of(*number);
        for class in CLASSES.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, class)| class) {
            *by_class.entry(class.id.to_owned()).or_default() += count;
        }
    }
    Some(v1::KernelInstructions {
        target_id: target.to_string(),
        uri: at.to_string(),
        demangled: demangle(&kernel.name),
        name: kernel.name.clone(),
        body: kernel.body.name().to_owned(),
        bytes: kernel.bytes,
        instructions: kernel.instructions,
        classes: by_class,
        mnemonics: mnemonic_rows(histogram),
    })
}
