//! The rule `unreadable-file`.

use crate::finding::rule::rule;

rule! {
    /// The operating system refused to open, list or map it: permissions, an I/O error, a file that vanished.
    /// The message of the system is given.
    UNREADABLE_FILE {
        id: "unreadable-file",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a file or folder could not be read",
        effect: "what it holds is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "check its permissions, or run as a user who may read it",
    }
}
