//! The rule `gemm-not-answered`.

use crate::finding::rule::rule;

rule! {
    /// The solver that is taken leaves a matrix product to rocBLAS, and what rocBLAS does was not found out.
    ///
    /// The reason is given: no catalogs of rocBLAS for the target in the tree, a catalog that cannot be read,
    /// or a solver whose product is not written down in this program. Solvers whose names begin with `Gemm` are
    /// asked about.
    ///
    /// The solver is still the one that MIOpen takes. rocBLAS may have a tuned kernel, a fallback, or none.
    /// Name the path of the install that has both libraries, and look at its catalogs with `rocm-audit
    /// tensile`.
    GEMM_NOT_ANSWERED {
        id: "gemm-not-answered",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the matrix product behind a solver could not be answered",
        effect: "whether rocBLAS has a kernel for it is not known",
        effect_known: Inferred,
        advice: "name the path of the install that has rocBLAS",
    }
}
