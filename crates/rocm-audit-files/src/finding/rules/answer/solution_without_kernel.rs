//! The rule `solution-without-kernel`.

use crate::finding::rule::rule;

rule! {
    /// A solution is chosen, and no file that would be loaded has one of its kernels.
    ///
    /// The launches of the answer are looked up as the loader does it, in the helper file and in the solution's
    /// code object, for this target. The finding names the kernels that are missing. The real rocBLAS 6.4.4
    /// returns status 6 in such a case and prints nothing.
    ///
    /// It speaks of a fresh process: an earlier call can have loaded another file that has the kernel. A call
    /// for which no solution is chosen returns status 2 and is another case. The folder's own faults, such as
    /// `code-object-missing` and `kernel-missing`, are found by `rocm-audit verify`.
    SOLUTION_WITHOUT_KERNEL {
        id: "solution-without-kernel",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "no file supplies a kernel of the chosen solution",
        effect: "the call returns status 6 (rocblas_status_internal_error, HIPBLAS_STATUS_INTERNAL_ERROR) without a word",
        effect_known: StandIn,
        advice: "run `rocm-audit verify` on the folder; it names the files that are missing",
    }
}
