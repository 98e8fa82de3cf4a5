//! The rule `trap-stub`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    TRAP_STUB {
        id: "trap-stub",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the kernel is there by name, and its body only traps",
        effect: "a launch ends the process",
        effect_known: Code,
        advice: "use a build for this target, or another type or shape",
    }
}
