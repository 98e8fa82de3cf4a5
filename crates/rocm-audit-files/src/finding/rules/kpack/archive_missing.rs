//! The rule `kpack-archive-missing`.

use crate::finding::rule::rule;

rule! {
    /// A library says that its device code is in kpack archives, and none is there.
    ///
    /// The marker of the library names the paths, relative to its own folder, with the target in their place. Releases
    /// from ROCm 7.12 on ship code for each target in a package of its own: without it, HIP says invalid kernel file or
    /// invalid image (TheRock#7839, TheRock#3332), and where the path leads to another package, too (TheRock#5768).
    ///
    /// Of a library on disk the archives are looked for there. Of one in a package they are looked for in all packages that
    /// were named together, laid over each other as they are installed: name the wheel of the host and those of its devices in
    /// one call.
    ARCHIVE_MISSING {
        id: "kpack-archive-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "device code was moved to kpack archives, and no archive is where the library looks",
        effect: "every launch fails: hipErrorInvalidKernelFile or hipErrorInvalidImage",
        effect_known: Code,
        advice: "install the device package for the GPU, of the same release",
    }
}
