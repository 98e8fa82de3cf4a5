//! The rule `miopen-duplicate-key`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    DUPLICATE_KEY {
        id: "miopen-duplicate-key",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "several lines have the same key",
        effect: "of two lines with the same key only the first is read",
        effect_known: Code,
        advice: "remove all but the first",
    }
}
