//! The rule `encrypted-member`.

use crate::finding::rule::rule;

rule! {
    /// The general-purpose flag of the member says that it is encrypted. There is no way to pass a key.
    ENCRYPTED_MEMBER {
        id: "encrypted-member",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a member is encrypted",
        effect: "its content is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack the package by hand and audit the folder",
    }
}
