//! The rule `code-object-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CODE_OBJECT_UNREADABLE {
        id: "code-object-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "code objects cannot be read",
        effect: "HIP refuses to load them, and a GEMM that needs one returns rocblas_status_internal_error (6)",
        effect_known: Code,
        advice: "install the file again",
    }
}
