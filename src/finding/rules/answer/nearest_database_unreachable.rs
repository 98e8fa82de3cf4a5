//! The rule `nearest-database-unreachable`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    NEAREST_DATABASE_UNREACHABLE {
        id: "nearest-database-unreachable",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "MIOpen means to take the database of the nearest number of compute units and cannot",
        effect: "it compares the extension of a path, which is .txt, with the whole ending, and finds no database",
        effect_known: Code,
        advice: "copy the file to the name that is asked for",
    }
}
