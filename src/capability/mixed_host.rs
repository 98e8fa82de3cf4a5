//! What a host with GPUs of several processors loses.

use super::verdict::{Answer, RUNTIMES, Verdict};
use crate::finding::evidence::Evidence;

/// A consequence of several processors in one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consequence {
    /// It in a sentence.
    pub text: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// What follows where a program sees GPUs of several processors; nothing for one. `verdicts` are of all that were asked for.
pub(super) fn consequences(verdicts: &[Verdict<'_>]) -> Vec<Consequence> {
    let [_, _, ..] = verdicts else { return Vec::new() };
    let mut found = Vec::new();
    for verdict in verdicts {
        let elsewhere = |library: &str| {
            let others = verdicts.iter().filter(|other| other.processor != verdict.processor);
            let runs = |other: &Verdict<'_>| {
                other.libraries.iter().any(|l| l.library == library && l.answer != Answer::Not)
            };
            others.into_iter().any(runs)
        };
        let lacking: Vec<&str> = verdict
            .libraries
            .iter()
            .filter(|l| l.answer == Answer::Not && !RUNTIMES.contains(&l.library) && elsewhere(l.library))
            .map(|l| l.library)
            .collect();
        if !lacking.is_empty() {
            let text = format!(
                "a program that opens every GPU stops at {}, for which there is nothing in {}: hide it with ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES, which take the numbers of the others",
                verdict.processor,
                lacking.join(", ")
            );
            found.push(Consequence { text, evidence: Evidence::Code });
        }
    }
    // Source: rocBLAS's `tensile_host.cpp`, where the library of the first device serves all of the process.
    let by_rocblas = |verdict: &&Verdict<'_>| {
        verdict.libraries.iter().any(|l| l.library == "rocBLAS" && l.answer != Answer::Not)
    };
    if verdicts.iter().filter(by_rocblas).count() > 1 {
        let text = "rocBLAS before rocm-libraries#4781 keeps one catalog for the whole process, that of the first GPU: start one process for each processor";
        found.push(Consequence { text: text.to_owned(), evidence: Evidence::Code });
    }
    if verdicts.iter().any(|verdict| !verdict.overrides.is_empty()) {
        // Source: libhsakmt's `topology.c`, `HSA_OVERRIDE_GFX_VERSION_%d`.
        let text = "HSA_OVERRIDE_GFX_VERSION changes every GPU of the host; HSA_OVERRIDE_GFX_VERSION_N only that of node N (`rocminfo` counts the CPU's too)";
        found.push(Consequence { text: text.to_owned(), evidence: Evidence::Code });
    }
    found
}
