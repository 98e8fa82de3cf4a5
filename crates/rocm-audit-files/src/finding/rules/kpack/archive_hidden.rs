//! The rule `kpack-archive-hidden`.

use crate::finding::rule::rule;

rule! {
    /// A smaller archive for the same target stands before the one that has the code.
    ///
    /// Archives are tried from the most specific target ID to the bare processor. Loaders before rocm-systems#9953 stop
    /// at the first archive that is for the target, even where it lacks the bundle that is asked for (TheRock#7081,
    /// rocm-systems#9874). The count is that of bundles.
    ARCHIVE_HIDDEN {
        id: "kpack-archive-hidden",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "an archive that lacks bundles is tried before the one that has them",
        effect: "older loaders find nothing: hipErrorInvalidImage for some kernels",
        effect_known: Code,
        advice: "remove the smaller archive, or take a runtime that goes on searching",
    }
}
