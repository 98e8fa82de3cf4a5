//! The rule `malformed-bytes`.

use crate::finding::rule::rule;

rule! {
    /// A header, a table or a record has a value that its format does not allow.
    ///
    /// Examples are another magic, an unknown version, an index beyond a table, a checksum of a tar header that
    /// does not fit, a database that SQLite refuses. Each reader checks every length and offset before it uses
    /// it; the place is the offset of the number that is wrong. The rest of the file is read on, and only what
    /// these bytes lead to is left out.
    ///
    /// An edited file, a broken disk or a format newer than this program look like this. It is not `cut-end`,
    /// where the bytes are right and too few, and not `wrong-hash`, where they can be read and are not what was
    /// packed; but a checksum inside of a gzip, xz or zstd stream is checked by its decoder, and a mismatch
    /// there is found here. Where a file has more problems than are listed, the last one listed has this id and
    /// says how many more there are.
    MALFORMED_BYTES {
        id: "malformed-bytes",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "bytes are not what their format says they must be",
        effect: "what lies there is unknown, not absent: the report is incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
