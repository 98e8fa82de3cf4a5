//! The rule `changed-while-read`.

use crate::finding::rule::rule;

rule! {
    /// Size or modification time differ between the beginning and the end of the reading.
    CHANGED_WHILE_READ {
        id: "changed-while-read",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a file changed while it was read",
        effect: "what was found of it may be half old and half new; the report is incomplete",
        effect_known: Inferred,
        advice: "run again when nothing writes to it",
    }
}
