//! The rule `xf32-computed-in-float`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    XF32_COMPUTED_IN_FLOAT {
        id: "xf32-computed-in-float",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "XFloat32 was asked for and no solution computes in it",
        effect: "rocBLAS warns once and computes in Float",
        effect_known: Code,
        advice: "ask for the type that is computed, or use a target with XFloat32 kernels (gfx942)",
    }
}
