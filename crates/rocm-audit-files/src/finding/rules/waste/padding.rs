//! The rule `padding`.

use crate::finding::rule::rule;

rule! {
    /// Bytes between bundles, between the entries of a bundle and between sections are nothing but filling.
    ///
    /// The compiler lets each bundle and each entry begin at a page boundary, and the linker aligns sections.
    /// Summed are the zeros between bundles, what the entries of plain bundles leave of them, and the gaps
    /// inside of code objects. The bytes are in the files, and in downloads that are not compressed.
    ///
    /// Bytes between bundles that are not zero are counted elsewhere, as unknown. A compressed bundle does not
    /// store its padding. There is nothing to do about it but to compress.
    PADDING {
        id: "padding",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "bytes between code objects are padding",
        effect: "the file is larger by them",
        effect_known: Observed,
        advice: "nothing needs to be done",
    }
}
