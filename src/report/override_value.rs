//! Makes the report of `override`.

use super::v1::{self, Evidence, OverrideAnswer};
use super::{findings, instructions};
use crate::capability::Capability;
use crate::capability::verdict::overrides;
use crate::inventory::Inventory;
use crate::target::{GfxVersion, PROCESSORS, TargetId};

/// The question.
#[derive(Debug, Clone, Copy)]
pub struct Overriding<'q> {
    /// The value of the variable, as given.
    pub value: &'q str,
    /// The processor that it names.
    pub claimed: &'q TargetId,
    /// The processor of the card.
    pub card: &'q TargetId,
}

/// The GPUs whose code the answer depends on: both, and those whose value would be the better one.
pub fn gpus_asked(claimed: &TargetId, card: &TargetId) -> Vec<TargetId> {
    let all: Vec<&str> = PROCESSORS.iter().map(|processor| processor.name).collect();
    let legal = overrides(&card.processor, &all).into_iter().filter(|other| other.is_legal);
    let better = legal.map(|other| TargetId::bare(other.processor));
    [claimed.clone(), card.clone()].into_iter().chain(better).collect()
}

/// Whether the code of two processors has to be compared instruction by instruction: not where they are the same, or have
/// nothing to do with each other.
pub fn needs_decoding(claimed: &TargetId, card: &TargetId) -> bool {
    let legal = overrides(&card.processor, &[claimed.processor.as_str()]).first().is_some_and(|o| o.is_legal);
    claimed.processor != card.processor && same_major(claimed, card) && !legal
}

fn same_major(a: &TargetId, b: &TargetId) -> bool {
    let major = |target: &TargetId| GfxVersion::of(&target.processor).map(|version| version.major);
    major(a) == major(b)
}

/// The report. `found` was asked for the claimed processor and the card's, in this order.
pub fn override_value(
    inventory: &Inventory,
    found: &Capability<'_>,
    question: &Overriding<'_>,
) -> v1::OverrideReport {
    let (claimed, card) = (&question.claimed.processor, &question.card.processor);
    let place = |processor: &str| found.targets.iter().position(|target| target.processor == processor);
    let (own, theirs) = (place(card), place(claimed));
    let mut libraries = Vec::new();
    let mut is_lacking = false;
    for row in &found.matrix {
        let kernels = |at: Option<usize>| at.and_then(|at| row.cells.get(at)).map_or(0, |cell| cell.kernels);
        let Some(cell) = theirs.and_then(|at| row.cells.get(at)).filter(|cell| cell.code_objects > 0) else {
            continue;
        };
        is_lacking |= kernels(own) == 0;
        let decoded = found.code.iter().find(|code| code.part == row.part && code.processor == *claimed);
        let counted = decoded
            .map(|code| instructions::of_target(claimed, code.objects, &code.tally, false, Some(card)));
        libraries.push(v1::OverriddenLibrary {
            part: instructions::part(row.part),
            code_objects: cell.code_objects,
            kernels: cell.kernels,
            trap_stubs: cell.trap_stubs,
            instructions: decoded.map(|code| code.tally.instructions()),
            absent: counted.and_then(|counted| counted.absent),
        });
    }
    let here: Vec<&str> = found.verdicts.first().map(|verdict| verdict.here.clone()).unwrap_or_default();
    let all = overrides(card, &here);
    let own_row = overrides(card, &[claimed.as_str()]).into_iter().next();
    let absent: u64 =
        libraries.iter().filter_map(|l| l.absent.as_ref()).map(|absent| absent.instructions).sum();
    let features = own_row.as_ref().map(|o| o.features.clone()).unwrap_or_default();
    let answer = if claimed == card || (!is_lacking && !libraries.is_empty()) {
        OverrideAnswer::Unneeded
    } else if !same_major(question.claimed, question.card) {
        OverrideAnswer::CrossMajor
    } else if libraries.is_empty() {
        OverrideAnswer::NoCode
    } else if absent > 0 {
        OverrideAnswer::Illegal
    } else if !features.is_empty() {
        OverrideAnswer::LegalWithDifferences
    } else {
        OverrideAnswer::Legal
    };
    let better = all.first().filter(|best| best.processor != *claimed && best.is_legal);
    let is_best = matches!(answer, OverrideAnswer::Legal | OverrideAnswer::Unneeded);
    v1::OverrideReport {
        header: v1::Header::of(v1::document::OVERRIDE),
        roots: inventory.roots.clone(),
        value: question.value.to_owned(),
        claimed: claimed.clone(),
        card: card.clone(),
        answer,
        evidence: Evidence::Inferred,
        decoded: libraries.iter().any(|library| library.instructions.is_some()),
        libraries,
        features: features.into_iter().map(str::to_owned).collect(),
        better: better.filter(|_| !is_best).map(|best| best.value.clone()),
        complete: found.complete,
        findings: findings::rows(found.findings.iter().filter(|finding| finding.is_damage())),
    }
}
