//! The rule `register-spills`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    REGISTER_SPILLS {
        id: "register-spills",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "vector registers are spilled to scratch memory",
        effect: "that the kernel is there does not say that it is fast",
        effect_known: Inferred,
        advice: "compare with another target or version (`--vs`)",
    }
}
