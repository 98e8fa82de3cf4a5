//! The rule `uncompressed-bundles`.

use crate::finding::rule::rule;

rule! {
    /// Compression has been in the compiler since ROCm 6 and is read by HIP runtimes of the same age. A
    /// library that is read often from a fast disk can be left uncompressed on purpose.
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
