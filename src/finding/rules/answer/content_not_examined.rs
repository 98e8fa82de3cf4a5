//! The rule `content-not-examined`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    CONTENT_NOT_EXAMINED {
        id: "content-not-examined",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a part of the library is stored in a form that is not read",
        effect: "what is in it is unknown",
        effect_known: Inferred,
        advice: "unpack it by hand, or report the form to this project",
    }
}
