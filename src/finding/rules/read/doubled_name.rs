//! The rule `doubled-name`.

use crate::finding::rule::rule;

rule! {
    /// Two members have the same path. An installer overwrites the first with the second, so a report of the
    /// package and one of the installed tree can differ.
    DOUBLED_NAME {
        id: "doubled-name",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a package has several members of one name",
        effect: "what installs the package keeps one of them, mostly the last; all are counted here",
        effect_known: Inferred,
        advice: "build the package again with each file once",
    }
}
