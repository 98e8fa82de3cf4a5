//! The rule `kernel-absent`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    KERNEL_ABSENT {
        id: "kernel-absent",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the library has no kernel of this name for the target",
        effect: "where the version fits, the launch fails",
        effect_known: Inferred,
        advice: "use a build for this target, or name its version with `--ggml`",
    }
}
