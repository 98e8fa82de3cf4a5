//! Makes the report of `override`.

use super::v1::{self, Evidence, OverrideAnswer};
use super::{findings, instructions};
use crate::capability::Capability;
use crate::capability::overriding::{overrides, shares};
use crate::capability::verdict::Decides;
use crate::inventory::Inventory;
use crate::target::{GfxVersion, PROCESSORS, TargetId};
use std::cmp::Reverse;

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
    let theirs = found.targets.iter().position(|target| target.processor == *claimed);
    let shares = shares(inventory, question.card, question.claimed);
    let (mut libraries, mut is_of_windows) = (Vec::new(), false);
    for row in &found.matrix {
        let Some(cell) = theirs.and_then(|at| row.cells.get(at)).filter(|cell| cell.code_objects > 0) else {
            continue;
        };
        let Some(share) = shares.get(&row.part) else {
            is_of_windows = true;
            continue;
        };
        let decoded = found.code.iter().find(|code| code.part == row.part && code.processor == *claimed);
        let counted = decoded
            .map(|code| instructions::of_target(claimed, code.objects, &code.tally, false, Some(card)));
        let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        libraries.push(v1::OverriddenLibrary {
            part: instructions::part(row.part),
            code_objects: cell.code_objects,
            kernels: cell.kernels,
            trap_stubs: cell.trap_stubs,
            needed: claimed != card && share.is_helped(),
            needed_by: paths(&share.helped),
            not_needed_by: paths(&share.with_both),
            lost_by: paths(&share.lost),
            instructions: decoded.map(|code| code.tally.instructions()),
            absent: counted.and_then(|counted| counted.absent),
        });
    }
    let own_row = overrides(card, &[claimed.as_str()]).into_iter().next();
    let absent: u64 =
        libraries.iter().filter_map(|l| l.absent.as_ref()).map(|absent| absent.instructions).sum();
    let features = own_row.as_ref().map(|o| o.features.clone()).unwrap_or_default();
    // What is not safe is said first, whether it is needed or not.
    let answer = if claimed == card {
        OverrideAnswer::Unneeded
    } else if !same_major(question.claimed, question.card) {
        OverrideAnswer::CrossMajor
    } else if libraries.is_empty() {
        if is_of_windows { OverrideAnswer::Windows } else { OverrideAnswer::NoCode }
    } else if absent > 0 {
        OverrideAnswer::Illegal
    } else if libraries.iter().all(|library| !library.needed) {
        OverrideAnswer::Unneeded
    } else if !features.is_empty() {
        OverrideAnswer::LegalWithDifferences
    } else {
        OverrideAnswer::Legal
    };
    let better = (answer != OverrideAnswer::Legal).then(|| better(inventory, found, question)).flatten();
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
        better,
        complete: found.complete,
        findings: findings::rows(found.findings.iter().filter(|finding| finding.is_damage())),
    }
}

/// The value of the legal override that helps most: one whose code is in files that have none for the card.
fn better(inventory: &Inventory, found: &Capability<'_>, question: &Overriding<'_>) -> Option<String> {
    let card = question.card;
    let here: Vec<&str> = found.verdicts.first().map(|verdict| verdict.here.clone()).unwrap_or_default();
    let all = overrides(&card.processor, &here).into_iter();
    let legal = all.filter(|best| best.is_legal && best.processor != question.claimed.processor);
    let decides = Decides::of(inventory);
    let weighed = legal.map(|best| {
        let shares = shares(inventory, card, &TargetId::bare(best.processor.clone()));
        let own = shares.iter().filter(|(part, _)| decides.library(part.library));
        let weights = own.map(|(_, share)| share.weight());
        let (helped, lost) = weights.fold((0, 0), |(helped, lost), (h, l)| (helped + h, lost + l));
        (best, helped, lost)
    });
    let helps = weighed.filter(|(_, helped, _)| *helped > 0);
    let best = helps.min_by_key(|(best, helped, lost)| (best.features.len(), Reverse(*helped), *lost));
    best.map(|(best, ..)| best.value)
}
