//! The rule `uncompressed-bundles`.

use crate::finding::rule::rule;

rule! {
    /// Offload bundles are stored as they are, although their form can be compressed.
    ///
    /// Counted are bundles with the magic `__CLANG_OFFLOAD_BUNDLE__` and their bytes, headers and padding
    /// included. Compressed ones begin with `CCOB` and are compressed with zlib or zstd; how much smaller these
    /// would get is not computed.
    ///
    /// Code objects without a bundle, such as those of rocBLAS's library folder, are not counted. A library
    /// that is read often from a fast disk can be left uncompressed on purpose, and a HIP runtime older than
    /// the compressed form does not read it.
    UNCOMPRESSED_BUNDLES {
        id: "uncompressed-bundles",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "offload bundles are not compressed",
        effect: "they take more bytes on disk and in downloads than they need to",
        effect_known: Observed,
        advice: "compile with `--offload-compress`",
    }
}
