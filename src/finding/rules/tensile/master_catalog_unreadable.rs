//! The rule `master-catalog-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    MASTER_UNREADABLE {
        id: "master-catalog-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the first catalog cannot be read",
        effect: "the process aborts with \"Could not load …\" and \"Could not initialize Tensile library\"",
        effect_known: Runtime,
        advice: "install the file again",
    }
}
