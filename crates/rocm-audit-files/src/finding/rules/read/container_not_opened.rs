//! The rule `container-not-opened`.

use crate::finding::rule::rule;

rule! {
    /// A file holds other files, or may, and is of a format that is recognised and not opened.
    ///
    /// These are ISO, RAR and WIM images and archives, cabinets, installers that unpack themselves and those of
    /// Windows, images of disks and file systems, files of OSTree and Flatpak, encrypted files, programs packed by UPX,
    /// and core dumps, which hold the memory of a process; `rocm-audit list formats` has all. A build without the feature
    /// `packages` opens none at all. The format is known by magics; nothing else is looked at.
    ///
    /// A thin archive is found here where it is named itself: its members are files beside it, which are read
    /// where their folder is. Where a tree holds one, they are files of the tree. A package that lies in too
    /// many others is `nested-too-deep`, a member that is packed by an unknown method `unknown-method`.
    CONTAINER_NOT_OPENED {
        id: "container-not-opened",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a container is recognised and not opened",
        effect: "what it holds is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack it and audit the folder, or leave it out with --exclude",
    }
}
