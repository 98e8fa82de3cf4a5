//! The rule `no-fallback-solver`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    NO_FALLBACK_SOLVER {
        id: "no-fallback-solver",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "no other solver takes the problem",
        effect: "where the chosen one fails, the convolution fails",
        effect_known: Inferred,
        advice: "none is known",
    }
}
