//! The rule `operation-refused`.

use crate::finding::rule::rule;

rule! {
    /// ggml's backend for HIP does not take this operation on this GPU.
    ///
    /// The rules of the version are followed; for attention they refuse sizes of heads, pairs of types and
    /// ratios of heads that no kernel is written for. They were read in ggml's source and compared with a real
    /// library for 0.27.0. llama.cpp then gives the operation to another backend, in the end to the CPU, and
    /// goes on.
    ///
    /// It is not a kernel that is missing in the file: see `kernel-absent` and `trap-stub`. A product that is
    /// left to BLAS is not refused. Other types of the cache or of the weights can be taken.
    OPERATION_REFUSED {
        id: "operation-refused",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "the backend refuses the operation",
        effect: "another backend, in the end the CPU, makes it",
        effect_known: Code,
        advice: "choose a type that the backend takes; `select mul-mat --table` lists them",
    }
}
