//! The rule `revision-folder-missing`.

use crate::finding::rule::rule;

rule! {
    /// A library folder has files for one revision of a GPU and not for the other.
    ///
    /// hipBLASLt keeps files for the revisions of a GPU in folders of their own, `gfx1250v0` and `gfx1250v1`, and takes the
    /// one of the device's revision at run time (rocm-libraries#10784, #11182, #11244). Builds can make one only.
    ///
    /// It is found where one of the two folders is there. Which revision a card is, files do not show.
    REVISION_FOLDER_MISSING {
        id: "revision-folder-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "files for one revision of a GPU are here, and none for the other",
        effect: "cards of the other revision get nothing from hipBLASLt",
        effect_known: Inferred,
        advice: "install a build with both revisions",
    }
}
