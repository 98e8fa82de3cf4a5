//! The rule `catalog-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CATALOG_MISSING {
        id: "catalog-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "catalogs that the first catalog names are not there",
        effect: "the first GEMM that reaches one ends in a segmentation fault",
        effect_known: Runtime,
        advice: "install the package again: its files are of one build and belong together",
    }
}
