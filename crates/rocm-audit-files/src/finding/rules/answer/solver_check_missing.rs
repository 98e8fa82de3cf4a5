//! The rule `solver-check-missing`.

use crate::finding::rule::rule;

rule! {
    /// The solver that is taken is not among the symbols of this `libMIOpen.so`.
    ///
    /// The name of the solver's class, without its template parameters, is looked for in the dynamic symbol
    /// names of the library that lies in the tree. In a complete build every solver has functions there; a
    /// build without a part, such as Composable Kernel or MLIR, lacks those of its solvers. MIOpen then cannot
    /// take it, whatever a database records; that is inferred from the names.
    ///
    /// It is only said where the tree has a `libMIOpen.so`. That the solver refuses the problem is another
    /// question, which its rule answers. Use a build with the part, or see which solver comes next in the list.
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
