//! The rule `catalog-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CATALOG_ORPHANED {
        id: "catalog-orphaned",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no first catalog leads to these catalogs",
        effect: "they are never read, and their solutions never chosen",
        effect_known: Code,
        advice: "remove them, or report them to whoever built the package",
    }
}
