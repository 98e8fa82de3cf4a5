//! The rule `no-database`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    NO_DATABASE {
        id: "no-database",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no MIOpen database was found",
        effect: "MIOpen measures every problem the first time it comes",
        effect_known: Code,
        advice: "name the install, or the folder share/miopen/db, with --root",
    }
}
