//! The rule `kpack-archive-without-code`.

use crate::finding::rule::rule;

rule! {
    /// An archive for a target is there and has no code of the library that looks for it.
    ///
    /// The keys of its table are compared with the bundles that the library registers. Empty archives were shipped
    /// (TheRock#4970), and one for an XNACK state can hide the general one that is complete (TheRock#7081).
    ARCHIVE_WITHOUT_CODE {
        id: "kpack-archive-without-code",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the kpack archive for a target has no code of the library",
        effect: "every launch on the target fails: hipErrorInvalidImage",
        effect_known: Code,
        advice: "remove the archive where another serves the target, or install a release that repairs it",
    }
}
