//! The rule `launch-grid-cut`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    LAUNCH_GRID_CUT {
        id: "launch-grid-cut",
        severity: Error,
        confidence: Certain,
        known: Code,
        what: "a launch asks for more work items than 32 bits hold",
        effect: "HIP starts the remainder modulo 2^32, and the result is wrong without an error",
        effect_known: Runtime,
        advice: "split the product into smaller ones",
    }
}
