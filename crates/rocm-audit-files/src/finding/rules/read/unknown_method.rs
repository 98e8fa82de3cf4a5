//! The rule `unknown-method`.

use crate::finding::rule::rule;

rule! {
    /// A part is compressed by a method that is not read.
    ///
    /// Of zip files these are all methods but stored, Deflate, bzip2, zstd and xz, for example Deflate64, LZMA
    /// and PPMd; of compressed offload bundles all but zlib and zstd; and compressed OffloadBinaries of version
    /// 3. The part is named, and nothing is said of what is in it. The number is that of the header, which is
    /// all that is looked at.
    ///
    /// A build of this program without the feature of a method finds this for files that another build reads. A
    /// method that is known and a stream that is broken is `malformed-bytes` or `cut-end`.
    UNKNOWN_METHOD {
        id: "unknown-method",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "content is compressed by a method that is not read",
        effect: "its content is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack it by hand and audit the folder",
    }
}
