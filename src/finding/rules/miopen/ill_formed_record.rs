//! The rule `miopen-ill-formed-record`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    ILL_FORMED_RECORD {
        id: "miopen-ill-formed-record",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "lines or items are not what MIOpen reads",
        effect: "MIOpen logs an error and leaves the line or the item out",
        effect_known: Code,
        advice: "remove the lines",
    }
}
