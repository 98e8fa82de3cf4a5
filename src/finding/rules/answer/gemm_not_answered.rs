//! The rule `gemm-not-answered`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    GEMM_NOT_ANSWERED {
        id: "gemm-not-answered",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the matrix product behind a solver could not be answered",
        effect: "whether rocBLAS has a kernel for it is not known",
        effect_known: Inferred,
        advice: "name the install of rocBLAS with --root",
    }
}
