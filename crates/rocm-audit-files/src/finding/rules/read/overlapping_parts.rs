//! The rule `overlapping-parts`.

use crate::finding::rule::rule;

rule! {
    /// Two members of a package, entries of a bundle, sections or notes claim the same bytes.
    ///
    /// The ranges are sorted by where they begin; a part that begins before the end of the one before it is not
    /// read, and its offset is the place. So each byte is read once, and a small file cannot be made to cost as
    /// much as a large one: a zip file whose members overlap is how a few kilobytes hold the same gigabyte a
    /// thousand times.
    ///
    /// Equal content at two places is not this: see `duplicate-code-objects`. Two members of one name that lie
    /// apart are `duplicate-name`. No compiler and no packaging tool is known to write overlapping parts, so do
    /// not use the file before it is known who made it.
    OVERLAPPING_PARTS {
        id: "overlapping-parts",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "parts of a file overlap",
        effect: "only the first of them is read; the report is incomplete",
        effect_known: Inferred,
        advice: "do not ship such a file: no compiler or packaging tool writes it",
    }
}
