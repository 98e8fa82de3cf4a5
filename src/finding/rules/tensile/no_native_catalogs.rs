//! The rule `no-native-catalogs`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    NO_NATIVE {
        id: "no-native-catalogs",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "no catalog is tuned for this target",
        effect: "every GEMM runs a fallback kernel compiled from HIP source",
        effect_known: Runtime,
        advice: "expect fallback speed; tuned catalogs exist for other targets",
    }
}
