//! The rule `catalog-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CATALOG_UNREADABLE {
        id: "catalog-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "catalogs cannot be read",
        effect: "the first GEMM that reaches one ends in a segmentation fault",
        effect_known: Runtime,
        advice: "install the file again",
    }
}
