//! The rule `wrong-hash`.

use crate::finding::rule::rule;

rule! {
    /// The content of a part does not match the checksum that its header states.
    ///
    /// Compared are the CRC-32 in the directory of a zip file, for each member that is read, and the first
    /// eight bytes of the MD5 in the header of a compressed offload bundle. The latter needs the whole content:
    /// it is compared by `fatbin` and with `--verify`; an audit without it inflates bundles only as far as
    /// their kernel metadata, and says how many were not verified. The SHA-256 of an image's layers is compared
    /// with `--verify`.
    ///
    /// The content is read and counted all the same. A checksum inside of a gzip, xz or zstd stream is its
    /// decoder's to check: a mismatch there is `malformed-bytes`. Fetch the file again, and compare its own
    /// checksum with the publisher's.
    WRONG_HASH {
        id: "wrong-hash",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "content does not match its checksum",
        effect: "the content is counted all the same, and is not what was packed",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
