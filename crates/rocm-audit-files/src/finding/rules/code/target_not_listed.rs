//! The rule `target-not-listed`.

use crate::finding::rule::rule;

rule! {
    /// A program's own list of GPUs lacks one that it has kernels for.
    ///
    /// TensorFlow compares the name of the GPU with a list of its own before it uses it: "Ignoring visible gpu device
    /// ... with AMDGPU version : gfx1102. The supported AMDGPU versions are ..." (tensorflow-upstream#2410). The kernels
    /// for other targets that the same build carries are then worth nothing.
    ///
    /// XLA, which JAX and TensorFlow have in them, refuses such a GPU: "StreamExecutor ROCM device (0) is of unsupported
    /// AMDGPU version 'gfx1032' . The supported AMDGPU versions are ...".
    ///
    /// The list of XLA is read where its program has it: an array of texts whose pointers the loader writes. Of several it is the
    /// longest. The list of an older TensorFlow is taken to be the constants of its framework library that are the name of a
    /// processor and nothing else, three of them at least. A name that is joined to another has a rule of its own,
    /// `fused-target-names`. Libraries that have LLVM in them have every name as a constant, and there nothing is found.
    TARGET_NOT_LISTED {
        id: "target-not-listed",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "the program's own list of GPUs lacks a target that it has kernels for",
        effect: "the program refuses the GPU, although there are kernels for it",
        effect_known: Inferred,
        advice: "take a build whose list has the target; HSA_OVERRIDE_GFX_VERSION can name a listed one of the same instructions",
    }
}
