//! The rule `overlapping-parts`.

use crate::finding::rule::rule;

rule! {
    /// Two members of a package, entries of a bundle, sections or notes claim the same bytes. Each byte is
    /// read once, so that a small file cannot be made to cost as much as a large one.
    ///
    /// A zip file whose members overlap is how a few kilobytes hold the same gigabyte a thousand times.
    OVERLAPPING_PARTS {
        id: "overlapping-parts",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "parts of a file overlap",
        effect: "only the first of them is read; the report is incomplete",
        effect_known: Inferred,
        advice: "do not ship such a file: no compiler or packaging tool writes it",
    }
}
