//! The rule `variable-not-modelled`.

use crate::finding::rule::rule;

rule! {
    /// A variable of the environment was given, and no rule of this program depends on it.
    ///
    /// `select conv --env NAME=VALUE` heeds the switches of algorithms, of parts of the build and of solvers that the cited
    /// sources read. MIOpen reads more of them: find modes, paths of databases, the choice of one solver, tuning. The answer
    /// is that of a process without the variable, and MIOpen may answer otherwise.
    VARIABLE_NOT_MODELLED {
        id: "variable-not-modelled",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "a variable of the environment is not modelled",
        effect: "the answer is the same with and without it; MIOpen may answer otherwise",
        effect_known: Inferred,
        advice: "leave it out, or read the answer as one for a process without it",
    }
}
