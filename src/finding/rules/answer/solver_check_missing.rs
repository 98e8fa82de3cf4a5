//! The rule `solver-check-missing`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    SOLVER_CHECK_MISSING {
        id: "solver-check-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "libMIOpen lacks the check of the chosen solver",
        effect: "this build cannot take the solver, whatever the database records",
        effect_known: Inferred,
        advice: "use a complete build of MIOpen",
    }
}
