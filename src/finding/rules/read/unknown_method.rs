//! The rule `unknown-method`.

use crate::finding::rule::rule;

rule! {
    /// zip files can be packed by methods that few tools write: Deflate64, LZMA, PPMd, WavPack. Such a member
    /// is named, and nothing is said of what is in it.
    UNKNOWN_METHOD {
        id: "unknown-method",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a member is packed by a method that is not read",
        effect: "its content is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack the package by hand and audit the folder",
    }
}
