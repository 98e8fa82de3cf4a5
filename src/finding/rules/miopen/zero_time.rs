//! The rule `miopen-zero-time`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    ZERO_TIME {
        id: "miopen-zero-time",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "entries have a time of 0",
        effect: "a time of 0 sorts first, so MIOpen takes this solver without it having been measured",
        effect_known: Code,
        advice: "remove the entries",
    }
}
