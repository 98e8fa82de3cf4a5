//! The rule `variable-not-modelled`.

use crate::finding::rule::rule;

rule! {
    /// A variable of the environment was given, and no rule of this program depends on it.
    ///
    /// `select conv --env NAME=VALUE` follows the find mode, how a find is enforced, the choice of one
    /// solver, the path of the system's databases, and the switches of algorithms, of parts of the build and
    /// of solvers. MIOpen 3.3.0 reads 206 variables. For each that changes no answer here, the finding says
    /// why: it changes how kernels are tuned, compiled or kept, what is logged, or how much workspace is
    /// allowed, it is the switch of another primitive, or what it changes is not written down. The answer is
    /// that of a process without the variable.
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
