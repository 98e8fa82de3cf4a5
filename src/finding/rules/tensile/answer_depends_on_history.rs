//! The rule `answer-depends-on-history`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    HISTORY {
        id: "answer-depends-on-history",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "solutions ask for beta or for C being D, which the key of rocBLAS's cache of choices does not hold",
        effect: "a GEMM of the same sizes and another beta returns rocblas_status_invalid_value (11) where the first call chose such a solution",
        effect_known: Runtime,
        advice: "make the call with the more demanding beta last, or avoid C being D for such sizes",
    }
}
