//! The rule `code-object-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    CODE_OBJECT_ORPHANED {
        id: "code-object-orphaned",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no solution of a catalog is in these code objects",
        effect: "they are never loaded in lazy mode",
        effect_known: Code,
        advice: "remove them, or report them to whoever built the package",
    }
}
