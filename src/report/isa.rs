//! Makes the report on what a target has.

use super::v1::{
    self, Evidence, IsaCapability, IsaClass, IsaDifference, IsaFeature, IsaReport, IsaTarget, Renamed,
};
use crate::engines::library_claims;
use crate::isa::class::{self, CLASSES, TOTALS};
use crate::isa::mnemonic;
use crate::isa::processor::{Isa, description, source};
use crate::target::Processor;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

/// What a processor has and, if another is named, how it differs from that. `None` if one of them is unknown.
pub fn isa(target: &str, other: Option<&str>) -> Option<IsaReport> {
    let isa = Isa::by_name(target)?;
    let difference = match other {
        Some(other) => Some(difference(isa, Isa::by_name(other)?)),
        None => None,
    };
    Some(IsaReport {
        header: v1::Header::from_document(v1::document::ISA),
        found: v1::Found::nothing(),
        source: source().to_owned(),
        evidence: Evidence::Code,
        target: isa_target(isa),
        libraries: if difference.is_none() { libraries(isa) } else { Vec::new() },
        difference,
    })
}

fn libraries(isa: &Isa) -> Vec<IsaCapability> {
    let row = |c: library_claims::Capability| IsaCapability {
        library: c.library,
        what: c.what.to_owned(),
        says: c.says.to_owned(),
        newer: c.newer.map(str::to_owned),
        llvm: c.llvm,
        misleads: c.misleads,
        note: c.note.map(str::to_owned),
        source: c.source,
    };
    library_claims::library_capabilities(isa).into_iter().map(row).collect()
}

fn isa_target(isa: &Isa) -> IsaTarget {
    let known = Processor::by_name(isa.name);
    let mnemonics = isa.mnemonics();
    IsaTarget {
        processor: isa.name.to_owned(),
        family: known.map(|p| p.family().name().to_owned()),
        devices: known.map(|p| p.devices().to_owned()).filter(|devices| !devices.is_empty()),
        same_as: isa.family().iter().map(|name| (*name).to_owned()).collect(),
        features: isa.features().map(row).collect(),
        classes: by_class(&mnemonics),
        mnemonics: mnemonics.len() as u64,
    }
}

fn row(feature: &str) -> IsaFeature {
    IsaFeature { feature: feature.to_owned(), description: description(feature).to_owned() }
}

/// Mnemonics by class; a mnemonic can be in several.
fn by_class(numbers: &BTreeSet<u16>) -> Vec<IsaClass> {
    let members = |class: usize| -> Vec<String> {
        let has = |n: &&u16| class::classes_of_number(**n) >> class & 1 == 1;
        numbers.iter().filter(has).map(|n| mnemonic(*n).to_owned()).collect()
    };
    let class = |(number, class): (usize, &crate::isa::class::Class)| IsaClass {
        class: class.id.to_owned(),
        title: class.title.to_owned(),
        mnemonics: members(number),
    };
    CLASSES.iter().enumerate().map(class).collect()
}

/// Mnemonics by their most telling class, each once.
fn once_by_class(numbers: BTreeSet<u16>) -> Vec<IsaClass> {
    let mut left = numbers;
    let mut rows = Vec::new();
    // Classes about encoding or combining instructions come last, before the totals.
    let first_total = CLASSES.len() - TOTALS;
    let manner = |id: &str| ["dpp", "sdwa", "dual", "dot"].contains(&id);
    let mut order: Vec<usize> = (0..CLASSES.len()).collect();
    order
        .sort_rows_by_key(|n| (*n >= first_total, CLASSES.get(*n).is_some_and(|class| manner(class.id)), *n));
    for number in order {
        let Some(class) = CLASSES.get(number) else { continue };
        let has = |n: &u16| class::classes_of_number(*n) >> number & 1 == 1;
        let members: Vec<u16> = left.iter().copied().filter(has).collect();
        if !members.is_empty() {
            members.iter().for_each(|n| {
                left.remove(n);
            });
            rows.push(IsaClass {
                class: class.id.to_owned(),
                title: class.title.to_owned(),
                mnemonics: members.into_iter().map(|n| mnemonic(n).to_owned()).collect(),
            });
        }
    }
    rows
}

fn difference(isa: &Isa, other: &Isa) -> IsaDifference {
    let (here, there) = (isa.mnemonics(), other.mnemonics());
    let features = |a: &Isa, b: &Isa| a.features().filter(|feature| !b.has(feature)).map(row).collect();
    let renamed =
        |(a, b): (u16, u16)| Renamed { here: mnemonic(a).to_owned(), there: mnemonic(b).to_owned() };
    let (gained, lost) = (once_by_class(&here - &there), once_by_class(&there - &here));
    let count = |rows: &[IsaClass]| rows.iter().map(|row| row.mnemonics.len() as u64).sum();
    IsaDifference {
        other: other.name.to_owned(),
        features_gained: features(isa, other),
        features_lost: features(other, isa),
        gained_mnemonics: count(&gained),
        lost_mnemonics: count(&lost),
        gained,
        lost,
        common: here.intersection(&there).count() as u64,
        moved: isa.moved(other).len() as u64,
        renamed: isa.renamed(other).into_iter().map(renamed).collect(),
    }
}
