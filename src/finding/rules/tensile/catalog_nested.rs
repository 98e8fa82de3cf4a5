//! The rule `catalog-nested`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CATALOG_NESTED {
        id: "catalog-nested",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "catalogs that a first catalog names lead on to other catalogs",
        effect: "real catalogs never do; where they lead round in a circle the library does not come back",
        effect_known: Inferred,
        advice: "use the catalogs that came with the library",
    }
}
