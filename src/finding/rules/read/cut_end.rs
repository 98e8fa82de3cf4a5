//! The rule `cut-end`.

use crate::finding::rule::rule;

rule! {
    /// A header says that a part reaches further than the file, the section or the stream around it does.
    /// Parts that lie before the end are read.
    ///
    /// This is what an interrupted download, a full disk or a split archive leaves.
    CUT_END {
        id: "cut-end",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "bytes end before what their headers announce",
        effect: "what lies there is unknown, not absent: the report is incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
