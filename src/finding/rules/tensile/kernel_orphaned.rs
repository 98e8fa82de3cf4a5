//! The rule `kernel-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    KERNEL_ORPHANED {
        id: "kernel-orphaned",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "kernels in code objects belong to no solution",
        effect: "they are never launched",
        effect_known: Code,
        advice: "nothing needs to be done; whoever builds the library can leave them out",
    }
}
