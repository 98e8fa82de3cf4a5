//! The rule `kernel-twins`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    KERNEL_TWINS {
        id: "kernel-twins",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "kernels of the same name are in several code objects",
        effect: "which file supplies one depends on what earlier calls loaded",
        effect_known: Runtime,
        advice: "nothing needs to be done while the twins are the same code",
    }
}
