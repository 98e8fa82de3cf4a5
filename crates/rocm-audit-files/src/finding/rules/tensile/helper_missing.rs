//! The rule `helper-missing`.

use crate::finding::rule::rule;

rule! {
    /// The file of helper kernels of a target, `Kernels.so-000-TARGET.hsaco`, is not there.
    ///
    /// It is looked for under its plain name and with `-xnack-` and `-xnack+`, as the loader does. Solutions
    /// that split the sum over K need its kernels before or after their own; how many of them can is said. The
    /// real rocBLAS 6.4.4 goes on without the file: plain solutions run, those with a split sum (GSU) return status
    /// 6.
    ///
    /// A helper file that lacks some kernels is `helper-kernel-missing`. What hipBLASLt does without it was not
    /// measured.
    HELPER_MISSING {
        id: "helper-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the file with the helper kernels is not there",
        effect: "solutions without a split sum (GSU) still run; those that need a helper return rocblas_status_internal_error (6)",
        effect_known: StandIn,
        advice: "install the file `Kernels.so-000-<target>.hsaco` of the same build",
    }
}
