//! The rule `ext-op-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    EXT_OP_MISSING {
        id: "ext-op-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "kernels of hipBLASLt's other operations (softmax, layer norm, amax) or their files are not there",
        effect: "the operation fails when it is called",
        effect_known: Inferred,
        advice: "install the files of the same build",
    }
}
