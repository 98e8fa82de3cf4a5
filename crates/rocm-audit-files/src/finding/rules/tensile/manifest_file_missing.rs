//! The rule `manifest-file-missing`.

use crate::finding::rule::rule;

rule! {
    /// The manifest of a library folder lists files that are not there.
    ///
    /// `TensileManifest.txt` is what the build should write. Where a target has no logic, or a step failed, files of the
    /// list are absent; builds then stop, or ship a folder with holes (TheRock build of rocBLAS, gfx1033 and gfx1035).
    /// Whether a catalog needs the file is another question: see `catalog-missing` and `code-object-missing`.
    MANIFEST_FILE_MISSING {
        id: "manifest-file-missing",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "the build's manifest names files that the folder lacks",
        effect: "the build stops at it; an installed folder can have holes",
        effect_known: Inferred,
        advice: "build again, for targets that the release has logic for",
    }
}
