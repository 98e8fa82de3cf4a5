//! The rule `table-empty`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    TABLE_EMPTY {
        id: "table-empty",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "tuned catalogs have tables without a single row",
        effect: "their kernels are shipped and never chosen; every call goes to the fallback",
        effect_known: Runtime,
        advice: "nothing needs to be done; whoever builds the library can leave the catalogs out",
    }
}
