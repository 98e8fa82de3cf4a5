//! The rule `padding`.

use crate::finding::rule::rule;

rule! {
    /// Entries of a bundle begin at page boundaries, and sections at theirs. Compressed bundles do not store
    /// the padding.
    PADDING {
        id: "padding",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "bytes between code objects are padding",
        effect: "they take bytes",
        effect_known: Observed,
        advice: "nothing needs to be done",
    }
}
