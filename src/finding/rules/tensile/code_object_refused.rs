//! The rule `code-object-refused`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CODE_OBJECT_REFUSED {
        id: "code-object-refused",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "code objects are for another target than their name says",
        effect: "HIP refuses to load them, and a GEMM that needs one returns rocblas_status_internal_error (6)",
        effect_known: Code,
        advice: "rename the file, or build the library for the target that its name says",
    }
}
