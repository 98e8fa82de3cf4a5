//! The rule `path-with-blank`.

use crate::finding::rule::rule;

rule! {
    /// The path of a library with device code has a blank.
    ///
    /// HIP 6.1 to 6.3 read the name of the file that a kernel comes from up to the first blank, and then do not find
    /// the file: no kernel image is available, although the code is there (ROCm#3894, where a maintainer saw it, and
    /// ROCm#4478). Other releases do not mind.
    ///
    /// Only shared libraries for Linux on disk are looked at, by their whole paths, however the root was named.
    PATH_WITH_BLANK {
        id: "path-with-blank",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "the path of a library with device code has a blank",
        effect: "HIP 6.1 to 6.3 do not find the library's code: no kernel image is available",
        effect_known: Runtime,
        advice: "move the folder to a path without blanks, or use another release of HIP",
    }
}
