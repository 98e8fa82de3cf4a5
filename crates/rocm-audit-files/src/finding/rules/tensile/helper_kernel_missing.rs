//! The rule `helper-kernel-missing`.

use crate::finding::rule::rule;

rule! {
    /// The helper file lacks kernels that solutions of the target can need.
    ///
    /// Which ones a solution needs follows from its types, its split and the size of the product; every name
    /// that can come out of that is compared with the symbols of the file. So a kernel can be missing that no
    /// size in use asks for, which is why this is a warning. That the GEMM returns status 6 is read in the
    /// source.
    ///
    /// Only solutions that a table or a tree leads to count. A helper file that is not there at all is
    /// `helper-missing`. Catalogs that hold everything are of releases that named their helpers otherwise, and
    /// are not checked.
    HELPER_KERNEL_MISSING {
        id: "helper-kernel-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "helper kernels that a few solutions can need are not in the helper file",
        effect: "a GEMM that chooses such a solution returns rocblas_status_internal_error (6)",
        effect_known: Code,
        advice: "avoid a split sum (GSU) with such types, or build with the helper",
    }
}
