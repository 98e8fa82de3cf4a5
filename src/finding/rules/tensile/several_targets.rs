//! The rule `several-targets`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    SEVERAL_TARGETS {
        id: "several-targets",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "the folder serves several targets, and a process reads one first catalog only, that of the first device used",
        effect: "in a host with GPUs of different targets all others get fallback kernels only",
        effect_known: Runtime,
        advice: "set HIP_VISIBLE_DEVICES to GPUs of one target in each process",
    }
}
