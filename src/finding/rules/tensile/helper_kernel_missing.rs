//! The rule `helper-kernel-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    HELPER_KERNEL_MISSING {
        id: "helper-kernel-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "helper kernels that a few solutions can need are not in the helper file",
        effect: "a GEMM that chooses such a solution returns rocblas_status_internal_error (6)",
        effect_known: Code,
        advice: "avoid a split sum with such types, or build with the helper",
    }
}
