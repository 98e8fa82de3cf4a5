//! The rule `miopen-dead-perf-row`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    DEAD_PERF_ROW {
        id: "miopen-dead-perf-row",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "rows are parameters of solvers that do not ask for them",
        effect: "no solver asks for these parameters; they only take space",
        effect_known: Code,
        advice: "remove the rows",
    }
}
