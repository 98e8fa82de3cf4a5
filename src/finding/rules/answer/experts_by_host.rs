//! The rule `experts-by-host`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    EXPERTS_BY_HOST {
        id: "experts-by-host",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "the host sorts tokens by expert and multiplies for one expert after the other",
        effect: "there is a launch for each expert; one that gets fewer tokens may take another route",
        effect_known: Code,
        advice: "none is known for this shape",
    }
}
