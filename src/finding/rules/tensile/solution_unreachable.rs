//! The rule `solution-unreachable`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    SOLUTION_UNREACHABLE {
        id: "solution-unreachable",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "solutions stand in no table and no tree",
        effect: "they are never chosen",
        effect_known: Code,
        advice: "nothing needs to be done; whoever builds the library can leave them out",
    }
}
