//! The rule `no-fallback-solver`.

use crate::finding::rule::rule;

rule! {
    /// Beside the solver that is taken no other that MIOpen would measure takes the problem.
    ///
    /// The rules of all solvers are asked for the problem and this device, with the parts that the build lacks
    /// and the variables that are set. Those count that the default find mode measures: dynamic ones, which
    /// need no compilation for the problem. None is left. If the one that is taken fails, in its compilation or
    /// for want of memory, the convolution fails; that is inferred.
    ///
    /// A record is no guarantee of another solver, and the absence from a record no evidence against one. It is
    /// not said that the solver is slow. With an exhaustive search solvers are tried that are left out here.
    NO_FALLBACK_SOLVER {
        id: "no-fallback-solver",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "no other solver takes the problem",
        effect: "where the chosen one fails, the convolution fails",
        effect_known: Inferred,
        advice: "none is known",
    }
}
