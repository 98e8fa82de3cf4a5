//! The rule `record-without-solver`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    RECORD_WITHOUT_SOLVER {
        id: "record-without-solver",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "none of the solvers that are recorded for the problem can be taken",
        effect: "MIOpen measures, as if there were no record",
        effect_known: Code,
        advice: "see the refusals, each with its reason",
    }
}
