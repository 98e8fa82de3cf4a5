//! The rule `encrypted-member`.

use crate::finding::rule::rule;

rule! {
    /// A member of a zip file is encrypted.
    ///
    /// The lowest bit of the general-purpose flag in the central directory says so; the member's bytes are not
    /// looked at, and there is no way to pass a key. Its name and size are still known, its content is not.
    ///
    /// No wheel or package of ROCm is known to have one. A wrong flag and plain content look the same from
    /// here: unpack the package by hand, and audit the folder.
    ENCRYPTED_MEMBER {
        id: "encrypted-member",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a member is encrypted",
        effect: "its content is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack the package by hand and audit the folder",
    }
}
