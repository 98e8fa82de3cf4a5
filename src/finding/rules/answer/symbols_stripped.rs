//! The rule `symbols-stripped`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    SYMBOLS_STRIPPED {
        id: "symbols-stripped",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the code objects of the target have no symbols",
        effect: "whether they have the kernel cannot be said",
        effect_known: Inferred,
        advice: "use a build whose device code is not stripped",
    }
}
