//! The rule `helper-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    HELPER_MISSING {
        id: "helper-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the file with the helper kernels is not there",
        effect: "solutions without a split sum still run; those that need a helper return rocblas_status_internal_error (6)",
        effect_known: Runtime,
        advice: "install the file `Kernels.so-000-<target>.hsaco` of the same build",
    }
}
