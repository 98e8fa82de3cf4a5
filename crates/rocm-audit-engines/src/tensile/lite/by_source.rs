//! What in an answer follows rules that were read in a source, and compared with no library that has them.
#![deny(clippy::indexing_slicing)]

use super::call::MatmulCall;
use super::library::{Choice, Library};
use super::release::ChoiceRules;
use crate::tensile::node::Node;
use crate::tensile::trace::{SelectionStep, SelectionTrace};
use std::collections::BTreeSet;

/// A rule that decided something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BySource {
    /// A model ranked the solutions.
    Ranking,
    /// Work groups of the first algorithm stream along K.
    Streaming,
    /// The library skipped a list that has no rank.
    FreeSize,
    /// Rows are for devices with these PCI numbers of chips; the number that the call states.
    DeviceRows(Vec<u64>, Option<u32>),
    /// A compiler makes the kernel at run time.
    RunTimeCompiler,
    /// The library is of a release that was not there to compare with.
    NewRelease,
}

impl BySource {
    /// The rules behind a choice.
    pub(super) fn for_choice(
        library: &Library,
        call: &MatmulCall,
        choice: &Choice<'_>,
        trace: &SelectionTrace,
    ) -> Vec<BySource> {
        let mut all = Vec::new();
        if choice.compiled {
            all.push(BySource::RunTimeCompiler);
        }
        let met = |is: fn(&SelectionStep) -> bool| trace.steps().iter().any(is);
        if met(|step| matches!(step, SelectionStep::Ranked { .. })) {
            all.push(BySource::Ranking);
        }
        if met(|step| matches!(step, SelectionStep::FreeSize { .. })) {
            all.push(BySource::FreeSize);
        }
        if choice.first().is_some_and(|first| first.solution.mapping.stream_k.streams()) {
            all.push(BySource::Streaming);
        }
        let chips = chips(library);
        if !chips.is_empty() {
            all.push(BySource::DeviceRows(chips, call.chip));
        }
        if library.rules() >= ChoiceRules::Of1_4 {
            all.push(BySource::NewRelease);
        }
        all
    }

    /// The release whose source has the rule.
    pub fn release(&self) -> &'static str {
        match self {
            BySource::Ranking | BySource::NewRelease => "hipBLASLt 1.4 (ROCm 7.14)",
            BySource::FreeSize => "hipBLASLt 1.1 to 1.5 (ROCm 7.1 to 10.1)",
            BySource::Streaming => "hipBLASLt's develop of 2026 (ROCm/rocm-libraries @006d2e0f)",
            BySource::DeviceRows(..) => {
                "hipBLASLt 1.4 (ROCm 7.13 and 7.14, ROCm/rocm-libraries #3924, #7947)"
            }
            BySource::RunTimeCompiler => "hipBLASLt 1.2 to 1.5 (`useRocRoller`)",
        }
    }
}

/// The PCI numbers that rows of the first catalog name for the device's processor.
fn chips(library: &Library) -> Vec<u64> {
    let Node::Hardware(rows) = &library.master().content().library else { return Vec::new() };
    let mut chips = BTreeSet::new();
    rows.iter().for_each(|(predicate, _)| predicate.chips(&mut |chip| _ = chips.insert(chip)));
    chips.into_iter().collect()
}
