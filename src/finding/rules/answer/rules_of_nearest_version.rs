//! The rule `rules-of-nearest-version`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    RULES_OF_NEAREST_VERSION {
        id: "rules-of-nearest-version",
        severity: Warning,
        confidence: Certain,
        known: Inferred,
        what: "the rules of this version are not known; those of the nearest are used",
        effect: "the route may be another one",
        effect_known: Inferred,
        advice: "name a version with `--ggml` if the guess is wrong",
    }
}
