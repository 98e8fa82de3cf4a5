//! The rule `kpack-archive-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// An archive has device code of a library that does not look for it there.
    ///
    /// The marker of a library names folders and names of its archives, with the target in their place. One that was renamed or
    /// lies in another folder is not opened, and its code does not count for a GPU. Only libraries that were read are asked: an
    /// archive by itself is not reported.
    ARCHIVE_ORPHANED {
        id: "kpack-archive-orphaned",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a kpack archive lies where its library does not look",
        effect: "its code is never loaded",
        effect_known: Code,
        advice: "install the device package of the same release as the library, with the names that it brings",
    }
}
