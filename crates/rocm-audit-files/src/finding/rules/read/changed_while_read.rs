//! The rule `changed-while-read`.

use crate::finding::rule::rule;

rule! {
    /// Size or time of a file changed while it was read, or pages of it were lost.
    ///
    /// A file is mapped, not copied: what is written to it meanwhile is seen, in part. Where it became shorter,
    /// the bytes that are gone were taken as zeros. The program does not crash on it, and does not read it
    /// again.
    ///
    /// A source of ranges, such as an object in a store, is fetched as it is read: where it fails, nothing more is asked of it, and
    /// what it did not give is taken as zeros.
    ///
    /// A file that is replaced as a whole, by renaming another over it, is read to its end as it was and not
    /// found here. A change that leaves length and time as they were is not found at all. Run again when
    /// nothing writes to the tree.
    CHANGED_WHILE_READ {
        id: "changed-while-read",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a file changed, or could not be read to its end",
        effect: "what was found of it may be half old and half new; the report is incomplete",
        effect_known: Inferred,
        advice: "run again when nothing writes to it",
    }
}
