//! The rule `mapping-wrong`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    MAPPING_WRONG {
        id: "mapping-wrong",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "hipBLASLt's mapping of solution indices to catalogs does not fit the catalogs",
        effect: "a solution that is asked for by its index is not found or is another one",
        effect_known: Inferred,
        advice: "install `TensileLiteLibrary_lazy_Mapping.dat` of the same build",
    }
}
