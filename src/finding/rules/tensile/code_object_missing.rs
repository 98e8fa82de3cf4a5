//! The rule `code-object-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CODE_OBJECT_MISSING {
        id: "code-object-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "code objects of solutions are not there",
        effect: "a GEMM that chooses such a solution returns rocblas_status_internal_error (6) without a word",
        effect_known: Runtime,
        advice: "install the package again: its files are of one build and belong together",
    }
}
