//! The rule `target-without-code`.

use crate::finding::rule::rule;

rule! {
    /// The library has no code object that a device of the target can load.
    ///
    /// The ids of all bundle entries and the `e_flags` of bare code objects are compared with the target: same
    /// processor, or a generic one of its family, and features that fit. HIP finds nothing to load then, so
    /// that every launch fails, whatever route the rules give.
    ///
    /// A target that is there and lacks the one kernel is `kernel-absent`. Setting HSA_OVERRIDE_GFX_VERSION
    /// makes the device pose as another; whether that one's code is legal on it is another question. Code in a
    /// part that is not looked into would be missed: see `content-not-examined`.
    TARGET_WITHOUT_CODE {
        id: "target-without-code",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the library has no code object for the target",
        effect: "nothing in this file can run there",
        effect_known: Code,
        advice: "use a build for the target; where `rocm-audit --gpu` names an override that is safe, ask with --override VALUE; the targets that the file has are listed",
    }
}
