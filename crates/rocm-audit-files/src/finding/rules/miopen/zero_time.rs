//! The rule `miopen-zero-time`.

use crate::finding::rule::rule;

rule! {
    /// A recorded time is 0.
    ///
    /// The time of each item is read; zero is no measurement. MIOpen sorts the items of a record by time, so
    /// that this solver comes first, and takes it where it applies. In MIOpen's own sources 4,032 records have
    /// such an item, all of them grouped convolutions by GEMM.
    ///
    /// A very small time is not found. An item whose time is no number is `miopen-ill-formed-record`. `select
    /// conv` says for one problem that the taken time was not measured.
    ZERO_TIME {
        id: "miopen-zero-time",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "entries have a time of 0",
        effect: "a time of 0 sorts first, so MIOpen takes this solver without it having been measured",
        effect_known: Code,
        advice: "remove the entries",
    }
}
