//! The rule `solution-index-twice`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
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
