//! The rule `kernel-missing`.

use crate::finding::rule::rule;

rule! {
    /// The kernel of a solution is in no code object where it is looked for.
    ///
    /// The names of kernels in the catalog are compared with the symbols of the code object that belongs to it,
    /// and with those of the helper file, which is loaded before all others. Where one catalog holds
    /// everything, all code objects of the target are searched. The finding names the catalog and the kernel.
    /// With the real rocBLAS 6.4.4 such a GEMM returns status 6 and prints nothing; since kernels are searched
    /// in everything that is loaded, an earlier call can supply one.
    ///
    /// It is found where catalogs and code objects are of different builds. A kernel that is there twice is
    /// `kernel-twins`; one that no solution has is `kernel-orphaned`.
    KERNEL_MISSING {
        id: "kernel-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "kernels of solutions are not in their code objects",
        effect: "a GEMM that chooses such a solution returns rocblas_status_internal_error (6) without a word, unless an earlier call loaded a file that has the kernel",
        effect_known: StandIn,
        advice: "do not mix files of several builds; install all of one",
    }
}
