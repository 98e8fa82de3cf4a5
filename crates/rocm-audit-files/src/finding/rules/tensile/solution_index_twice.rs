//! The rule `solution-index-twice`.

use crate::finding::rule::rule;

rule! {
    /// Two solutions of a folder have the same index.
    ///
    /// The indices of all catalogs of the folder, of all targets, are compared. In rocBLAS 6.4.4 none of 79,130
    /// comes twice: the upper bits hold the target. `rocblas_gemm_ex` takes an index from a program, which then
    /// stands for either solution; that is inferred.
    ///
    /// A type of product that is in two catalogs is in order. Do not mix catalogs of several builds.
    INDEX_TWICE {
        id: "solution-index-twice",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "solutions of different catalogs have the same index",
        effect: "a solution index, as rocblas_gemm_ex takes it, stands for either of them",
        effect_known: Inferred,
        advice: "do not mix catalogs of several builds",
    }
}
