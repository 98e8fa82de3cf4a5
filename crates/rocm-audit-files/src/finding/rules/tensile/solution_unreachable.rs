//! The rule `solution-unreachable`.

use crate::finding::rule::rule;

rule! {
    /// Solutions of a catalog are in none of its tables and trees.
    ///
    /// All rows and trees are followed, and the solutions that none of them names are counted. Selection has no
    /// other way to a solution, as the source says; a program can still ask for one by its index. In rocBLAS
    /// 6.4.4 as Debian ships it these are 918 solutions in 22 catalogs.
    ///
    /// A fallback catalog is shared by all targets and counted once. Where a catalog has nodes that are not
    /// known, nothing is said. A solution that a table names and whose predicates never hold is not found.
    SOLUTION_UNREACHABLE {
        id: "solution-unreachable",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "solutions are in no table and no decision tree",
        effect: "no search finds them; only a call that names one by its index runs it",
        effect_known: Code,
        advice: "nothing needs to be done; whoever builds the library can leave them out",
    }
}
