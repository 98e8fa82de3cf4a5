//! The rule `content-not-examined`.

use crate::finding::rule::rule;

rule! {
    /// A part of the library may hold device code and is not looked into.
    ///
    /// It is named: a section of device code that a tool has moved elsewhere (its header is there, without
    /// bytes, and no marker of a kpack archive), or a form of bundle that is recognised and not read. What is
    /// said of kernels is of the other parts.
    ///
    /// So `kernel-absent` and `target-without-code` beside it are not certain. A library all of whose code is
    /// elsewhere is refused with the reason, not answered.
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
