//! The rule `rule-carried-over`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    RULE_CARRIED_OVER {
        id: "rule-carried-over",
        severity: Warning,
        confidence: Certain,
        known: Inferred,
        what: "the deciding rule was neither read nor observed in this version",
        effect: "the route may be another one",
        effect_known: Inferred,
        advice: "compare with a version whose rules are documented (`--ggml`)",
    }
}
