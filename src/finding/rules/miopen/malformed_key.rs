//! The rule `miopen-malformed-key`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    MALFORMED_KEY {
        id: "miopen-malformed-key",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "keys cannot be read as a problem",
        effect: "no request has such a key, so the record is never found",
        effect_known: Code,
        advice: "remove the lines; they only take space",
    }
}
