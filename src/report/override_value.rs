//! Makes the report of `explain --override`.

use super::v1::{self, Evidence, OverrideAnswer};
use super::{findings, instructions};
use crate::capability::Capability;
use crate::capability::overriding::{
    Decoded, Difference, Judgement, Override, libraries_that_compile, overrides, shares, without_code,
};
use crate::capability::verdict::Verdict;
use crate::inventory::Inventory;
use crate::isa::processor::Isa;
use crate::target::{GfxVersion, PROCESSORS, TargetId};

/// The question.
#[derive(Debug, Clone, Copy)]
pub struct Overriding<'q> {
    /// The value of the variable, as given.
    pub value: &'q str,
    /// The processor that the value names.
    pub claimed: &'q TargetId,
    /// The processor of the card.
    pub card: &'q TargetId,
}

/// The GPUs whose code the answer depends on: both, and those that a better value would claim.
pub fn gpus_asked(claimed: &TargetId, card: &TargetId) -> Vec<TargetId> {
    let all: Vec<&str> = PROCESSORS.iter().map(|processor| processor.name()).collect();
    let legal = overrides(&card.processor, &all).into_iter().filter(Override::is_legal);
    let better = legal.map(|other| TargetId::bare(other.processor));
    [claimed.clone(), card.clone()].into_iter().chain(better).collect()
}

/// Whether code of two related processors can differ: then it is compared instruction by instruction.
pub fn differ_in_instructions(claimed: &TargetId, card: &TargetId) -> bool {
    same_major(claimed, card) && difference(claimed, card).is_none_or(|found| !found.is_none())
}

/// Whether only a comparison instruction by instruction decides an override. Where kernels are not set up as they
/// were compiled to be, no instruction makes it safe.
pub fn needs_decoding(claimed: &TargetId, card: &TargetId) -> bool {
    let is_open = |found: Difference| !found.is_none() && found.starts.is_empty();
    same_major(claimed, card) && difference(claimed, card).is_none_or(is_open)
}

/// How the card differs from the claimed processor; `None` if the tables lack one of them.
fn difference(claimed: &TargetId, card: &TargetId) -> Option<Difference> {
    Some(Difference::between(Isa::by_name(&card.processor)?, Isa::by_name(&claimed.processor)?))
}

/// An override that an answer takes as set, judged by the tables alone.
pub fn claim(question: &Overriding<'_>) -> v1::Claim {
    let (claimed, card) = (question.claimed, question.card);
    let (answer, mut because) = by_tables(claimed, card);
    if answer == OverrideAnswer::NotDecoded {
        let command =
            format!("`rocm-audit explain --override {} --gpu {} PATH`", question.value, card.processor);
        because.push_str(&format!("; {command} decodes the code"));
    }
    v1::Claim {
        card: card.processor.clone(),
        claimed: claimed.processor.clone(),
        value: question.value.to_owned(),
        answer,
        because,
        evidence: Evidence::Inferred,
    }
}

/// The values under which all loaded code is code that the card runs, most similar first.
pub fn legal_values(card: &TargetId) -> Vec<String> {
    let all: Vec<&str> = PROCESSORS.iter().map(|processor| processor.name()).collect();
    let mut legal = overrides(&card.processor, &all);
    legal.retain(Override::is_legal);
    legal.into_iter().map(|other| other.value).collect()
}

/// The tables' judgement of an override, without its code.
fn by_tables(claimed: &TargetId, card: &TargetId) -> (OverrideAnswer, String) {
    if claimed.processor == card.processor {
        return (OverrideAnswer::Useless, format!("the card is a {} without it", card.processor));
    }
    if !same_major(claimed, card) {
        return (OverrideAnswer::CrossMajor, cross_major(claimed, card));
    }
    judged(claimed, card, None)
}

/// The judgement by the tables, and by the code if it was decoded.
fn judged(claimed: &TargetId, card: &TargetId, code: Option<&Decoded<'_>>) -> (OverrideAnswer, String) {
    let Some(difference) = difference(claimed, card) else {
        let what = format!("the tables of instructions do not know both {claimed} and {card}");
        return (OverrideAnswer::NotDecoded, what);
    };
    let Judgement { safety, because } =
        Judgement::judge(&card.processor, &claimed.processor, &difference, code);
    (super::verdict::safety(safety), because)
}

fn cross_major(claimed: &TargetId, card: &TargetId) -> String {
    format!("{claimed} and {card} are of different generations, which read machine code differently")
}

fn same_major(a: &TargetId, b: &TargetId) -> bool {
    let major = |target: &TargetId| GfxVersion::from_name(&target.processor).map(|version| version.major);
    major(a) == major(b)
}

/// Makes the report. `found` holds the conclusions for the claimed processor and for the card's, in this
/// order; `whole` is what the trees hold, and `inventory` may be the part of it that matters.
pub fn override_value(
    inventory: &Inventory,
    whole: &Inventory,
    found: &Capability<'_>,
    question: &Overriding<'_>,
) -> v1::OverrideReport {
    let (claimed, card) = (&question.claimed.processor, &question.card.processor);
    let theirs = found.targets.iter().position(|target| target.processor == *claimed);
    let shares = shares(inventory, question.card, question.claimed);
    let (mut libraries, mut is_of_windows) = (Vec::new(), false);
    // If some code that matters was not decoded, the code decides nothing.
    let mut decoded = differ_in_instructions(question.claimed, question.card)
        .then(|| Decoded { compiled_by: libraries_that_compile(whole), ..Decoded::default() });
    for row in &found.matrix {
        let Some(cell) = theirs.and_then(|at| row.cells.get(at)).filter(|cell| cell.code_objects > 0) else {
            continue;
        };
        let Some(share) = shares.get(&row.part) else {
            is_of_windows = true;
            continue;
        };
        let own = found.code.iter().find(|code| code.part == row.part && code.processor == *claimed);
        match (own, &mut decoded) {
            (Some(own), Some(sum)) => sum.add(own.tally.instructions(), own.tally.absent()),
            (None, _) => decoded = decoded.filter(|sum| sum.absent + sum.odd + sum.beyond > 0),
            (Some(_), None) => {}
        }
        let counted =
            own.map(|code| instructions::of_target(claimed, code.objects, &code.tally, false, Some(card)));
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
            instructions: own.map(|code| code.tally.instructions()),
            absent: counted.and_then(|counted| counted.absent),
        });
    }
    let (safety, why) = judged(question.claimed, question.card, decoded.as_ref());
    // An unsafe value is reported as unsafe first, whether it is needed or not.
    let (answer, because) = if claimed == card || !same_major(question.claimed, question.card) {
        by_tables(question.claimed, question.card)
    } else if libraries.is_empty() && is_of_windows {
        let what =
            format!("only files of Windows have code for {claimed} here, and Windows has no such variable");
        (OverrideAnswer::Windows, what)
    } else if libraries.is_empty() {
        (OverrideAnswer::NoCode, format!("there is no code for {claimed} here"))
    } else if safety == OverrideAnswer::Illegal || libraries.iter().any(|library| library.needed) {
        (safety, why)
    } else if let Some(refused) = refused_as_it_is(found, question) {
        (safety, format!("{why}; {card} code is here, too, but without the variable {refused}"))
    } else {
        (OverrideAnswer::Unneeded, format!("everything here that has {claimed} code has {card} code, too"))
    };
    let difference = difference(question.claimed, question.card).unwrap_or_default();
    let better = better(found, question, answer);
    v1::OverrideReport {
        header: v1::Header::from_document(v1::document::OVERRIDE),
        roots: inventory.roots.clone(),
        value: question.value.to_owned(),
        claimed: claimed.clone(),
        card: card.clone(),
        answer,
        because,
        evidence: Evidence::Inferred,
        decoded: libraries.iter().any(|library| library.instructions.is_some()),
        libraries,
        without: without_code(inventory, &found.matrix).into_iter().map(instructions::part).collect(),
        starts: difference.starts.into_iter().map(str::to_owned).collect(),
        features: difference.features.into_iter().map(str::to_owned).collect(),
        better,
        complete: found.complete,
        findings: findings::rows(found.findings.iter().filter(|finding| finding.is_damage())),
    }
}

/// Why a library does not run on the card although it has code for it, where it runs on the claimed processor: the
/// program has a list of GPUs.
fn refused_as_it_is(found: &Capability<'_>, question: &Overriding<'_>) -> Option<String> {
    let of = |target: &TargetId| found.verdicts.iter().find(|verdict| verdict.processor == target.processor);
    let (own, claimed) = (of(question.card)?, of(question.claimed)?);
    let refused =
        own.libraries.iter().find(|library| library.answer == v1::Answer::Not && library.coverage.runs())?;
    (own.answer == v1::Answer::Not && claimed.answer != v1::Answer::Not)
        .then(|| format!("{} does not run: {}", refused.library, refused.reason))
}

/// The best value, if it is legal and differs from the one asked about.
fn better(found: &Capability<'_>, question: &Overriding<'_>, answer: OverrideAnswer) -> Option<String> {
    let of_card = |verdict: &&Verdict<'_>| verdict.processor == question.card.processor;
    let overrides = &found.verdicts.iter().find(of_card)?.overrides;
    let best = overrides.first().filter(|best| best.is_legal())?;
    let asked = overrides.iter().find(|own| own.processor == question.claimed.processor);
    let is_as_good = answer.is_legal() && asked.is_some_and(|asked| asked.rank() <= best.rank());
    (best.processor != question.claimed.processor && !is_as_good).then(|| best.value.clone())
}
