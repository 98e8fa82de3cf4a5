//! The rule `malformed-bytes`.

use crate::finding::rule::rule;

rule! {
    /// A header, a table or a record has a value that its format does not allow: another magic, an index
    /// beyond a table, a text that is no UTF-8.
    /// The rest of the file is read on; only what the bytes in question lead to is left out.
    ///
    /// A truncated download, a file that was edited, and a format newer than this program look like this.
    MALFORMED_BYTES {
        id: "malformed-bytes",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "bytes are not what their format says they must be",
        effect: "what lies there is unknown, not absent: the report is incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
