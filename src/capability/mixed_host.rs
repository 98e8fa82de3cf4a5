//! What a host with GPUs of several processors loses.

use super::verdict::{Answer, LibraryVerdict, Verdict};
use crate::finding::evidence::Evidence;
use crate::scan::library_names::Role;

/// A consequence of several processors in one host.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Consequence {
    /// It in a sentence.
    pub text: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// What follows where a program sees GPUs of several processors; nothing for one. `verdicts` are of all that
/// were asked for.
pub(super) fn consequences(verdicts: &[Verdict<'_>]) -> Vec<Consequence> {
    let [_, _, ..] = verdicts else { return Vec::new() };
    let mut found = stops(verdicts);
    // Source: rocBLAS's `tensile_host.cpp`, where the library of the first device serves all of the process.
    let by_rocblas = |verdict: &&Verdict<'_>| {
        let mut all = verdict.libraries.iter().chain(&verdict.with_override);
        all.any(|l| l.library == "rocBLAS" && l.answer != Answer::Not)
    };
    if verdicts.iter().filter(by_rocblas).count() > 1 {
        let text = "rocBLAS of ROCm 7.2 and before keeps one catalog for the whole process, that of the first GPU: start one process for each processor (rocm-libraries#4781)";
        found.push(Consequence { text: text.to_owned(), evidence: Evidence::Code });
    }
    found.extend(verdicts.iter().filter_map(|verdict| overridden(verdict, verdicts)));
    found
}

/// What the best override for one GPU does to the others. Source: libhsakmt's `topology.c`,
/// `HSA_OVERRIDE_GFX_VERSION_%d`.
fn overridden(verdict: &Verdict<'_>, verdicts: &[Verdict<'_>]) -> Option<Consequence> {
    let best = verdict.overrides.first()?;
    let is_other = |other: &&str| *other != verdict.processor && *other != best.processor;
    let others: Vec<&str> = verdicts.iter().map(|other| other.processor.as_ref()).filter(is_other).collect();
    if others.is_empty() {
        return None;
    }
    let text = format!(
        "HSA_OVERRIDE_GFX_VERSION={0} changes every GPU of the host: {1} would get {2} code too, and may fail. For {3} alone: HSA_OVERRIDE_GFX_VERSION_1={0}, with the number that `rocminfo` prints as Node of that GPU in place of 1",
        best.value,
        others.join(" and "),
        best.processor,
        verdict.processor
    );
    Some(Consequence { text, evidence: Evidence::Code })
}

/// Where a program stops that opens every GPU: at those for which a library that it cannot do without has
/// nothing, and has something for another one. GPUs that lack the same are named together.
fn stops(verdicts: &[Verdict<'_>]) -> Vec<Consequence> {
    let runs = |library: &str| {
        let all = verdicts.iter().flat_map(|verdict| &verdict.libraries);
        all.into_iter().any(|l| l.library == library && l.answer < Answer::Unknown)
    };
    let mut by_lacking: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for verdict in verdicts {
        let stops =
            |l: &&LibraryVerdict<'_>| l.answer == Answer::Not && l.role == Role::Needed && runs(l.library);
        let mut lacking: Vec<&str> = verdict.libraries.iter().filter(stops).map(|l| l.library).collect();
        lacking.dedup();
        match by_lacking.iter_mut().find(|(known, _)| *known == lacking) {
            _ if lacking.is_empty() => {}
            Some((_, processors)) => processors.push(&verdict.processor),
            None => by_lacking.push((lacking, vec![&verdict.processor])),
        }
    }
    let sentence = |(lacking, processors): (Vec<&str>, Vec<&str>)| {
        let them = if processors.len() == 1 { "it" } else { "them" };
        let what = if lacking.len() == 1 { "does" } else { "do" };
        let text = format!(
            "programs that use every GPU fail on {}, where {} {what} not run. Hide {them}: ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES with the numbers of the GPUs to keep",
            processors.join(" and "),
            lacking.join(" and ")
        );
        Consequence { text, evidence: Evidence::Code }
    };
    by_lacking.into_iter().map(sentence).collect()
}
