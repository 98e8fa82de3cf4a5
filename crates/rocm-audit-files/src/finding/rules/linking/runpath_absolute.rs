//! The rule `runpath-absolute`.

use crate::finding::rule::rule;

rule! {
    /// A library looks for what it needs in a fixed folder, which is none of the system's and not here.
    ///
    /// `DT_RUNPATH` and `DT_RPATH` may name folders from `$ORIGIN`, the place of the library, or from the root of the system. Such as
    /// `/opt/rocm-7.2.4/lib` are left from the machine of the build: where another release is installed at that place, the library
    /// takes its runtime from there, and mixes two; where nothing is, the system's own folders decide. Anybody who may write to
    /// the folder decides what is loaded.
    ///
    /// An empty entry, as a colon at the end leaves it, is the folder in which the program was started, which anybody may be able to
    /// write to.
    ///
    /// Folders of the system do not count, and neither do those that were named together with the library.
    RUNPATH_ABSOLUTE {
        id: "runpath-absolute",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "a library has an absolute RUNPATH, or one relative to the working directory",
        effect: "it takes its runtime from there where something is installed there, whatever release that is",
        effect_known: Code,
        advice: "link with -Wl,-rpath,'$ORIGIN/…', or take the entry out with patchelf",
    }
}
