//! The rule `kernel-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    KERNEL_MISSING {
        id: "kernel-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "kernels of solutions are not in their code objects",
        effect: "a GEMM that chooses such a solution returns rocblas_status_internal_error (6) without a word, unless an earlier call loaded a file that has the kernel",
        effect_known: Runtime,
        advice: "do not mix files of several builds; install all of one",
    }
}
