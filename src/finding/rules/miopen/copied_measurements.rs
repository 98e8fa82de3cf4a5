//! The rule `miopen-copied-measurements`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    COPIED_MEASUREMENTS {
        id: "miopen-copied-measurements",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "times were copied from the file of another processor",
        effect: "the times are those of another processor, and may name solvers that do not run on this one",
        effect_known: Inferred,
        advice: "remove the file, or measure on the device with MIOPEN_FIND_ENFORCE=4",
    }
}
