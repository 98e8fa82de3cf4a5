//! The rule `miopen-ill-formed-record`.

use crate::finding::rule::rule;

rule! {
    /// A line has no key, or an item of a record is not what MIOpen reads.
    ///
    /// Lines are split as in MIOpen 3.3: at the first `=`, items at `;`, the solver at `:`, fields at `,`. A
    /// line without `=` or with nothing before it, an item without a solver, a time or a workspace that is no
    /// number, and a solver that the record has already (of a find-db) are found, with the line and what was
    /// expected.
    ///
    /// MIOpen logs the line or the item and goes on; the rest of the record counts. Empty lines are no fault. A
    /// key that is there and leaves the grammar is `miopen-malformed-key`.
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
