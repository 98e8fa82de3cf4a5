//! The rule `magic-in-compressed-bytes`.

use crate::finding::rule::rule;

rule! {
    /// Compressed bytes of a bundle have the magic of a bundle by chance.
    ///
    /// LLVM's readers found the end of a compressed bundle by looking for the next `CCOB`. Where its own compressed bytes
    /// have these four, they cut it there, and inflating fails: "Src size is incorrect", at run time hipErrorInvalidImage
    /// (llvm-project 205587 and 206745, of June 2026). Later releases go by the size in the header, as this program does.
    ///
    /// It is looked for where bundles are inflated whole: with `--verify`, and by `fatbin`. The bundle itself is in order;
    /// which reader the runtime has is not known here, so the effect is of older ones only.
    MAGIC_IN_COMPRESSED_BYTES {
        id: "magic-in-compressed-bytes",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "compressed bytes of a bundle read CCOB by chance",
        effect: "comgr and clang of before llvm-project 205587 cut the bundle there: hipErrorInvalidImage",
        effect_known: Code,
        advice: "take a newer runtime, or pack the library again: other input or another level gives other bytes",
    }
}
