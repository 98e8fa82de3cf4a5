//! The rule `target-without-code`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    TARGET_WITHOUT_CODE {
        id: "target-without-code",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the library has no code object for the target",
        effect: "nothing in this file can run there",
        effect_known: Code,
        advice: "use a build for the target; the targets that the file has are listed",
    }
}
