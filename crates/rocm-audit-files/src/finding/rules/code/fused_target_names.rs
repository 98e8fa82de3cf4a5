//! The rule `fused-target-names`.

use crate::finding::rule::rule;

rule! {
    /// A program's own list of GPUs has several names in one word.
    ///
    /// TensorFlow compares the name of the GPU with a list of its own before it uses it. Where a comma is missing
    /// in the source, C++ joins two neighbours: `libtensorflow_framework.so.2` of tensorflow-rocm 2.14.0.600 has
    /// the text `gfx1030gfx1100` between its constants, and users report that it refuses gfx1100, for which it
    /// has kernels. A kernel that its program refuses is worth nothing.
    ///
    /// Looked for are constants that consist of two or more names of processors and nothing else, in TensorFlow's
    /// framework library. That the program compares with this text follows from its source and was not run; a
    /// name in it may also stand alone elsewhere in the list.
    FUSED_TARGET_NAMES {
        id: "fused-target-names",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "the program's own list of GPUs has several names as one word",
        effect: "the program refuses GPUs that the word names, although there are kernels for them",
        effect_known: Inferred,
        advice: "use a release in which the names stand apart, or another build of the program",
    }
}
