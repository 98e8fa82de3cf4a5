//! The rule `wrong-hash`.

use crate::finding::rule::rule;

rule! {
    /// The CRC-32 of a zip member, or the hash in the header of a compressed offload bundle, is not that of
    /// the inflated bytes. Bundles are compared in full by `fatbin` and with `--verify`; an audit without it
    /// inflates them only as far as their kernel metadata.
    WRONG_HASH {
        id: "wrong-hash",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "content does not match its checksum",
        effect: "what lies there is unknown, not absent: the report is incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
