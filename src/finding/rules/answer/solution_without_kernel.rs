//! The rule `solution-without-kernel`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    SOLUTION_WITHOUT_KERNEL {
        id: "solution-without-kernel",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "no file supplies a kernel of the chosen solution",
        effect: "the call returns rocblas_status_internal_error (6) without a word",
        effect_known: Runtime,
        advice: "run `rocm-audit tensile` on the folder; it names the files that are missing",
    }
}
