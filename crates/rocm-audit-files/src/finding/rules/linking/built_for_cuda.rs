//! The rule `built-for-cuda`.

use crate::finding::rule::rule;

rule! {
    /// The input has no device code for AMD GPUs, and its libraries are linked with CUDA's.
    ///
    /// `DT_NEEDED` names libcudart, libcublas or another library of CUDA, and no file has a bundle or code object. It is
    /// the CUDA build of the package, often put there by an installer that took the default wheel (CTranslate2, ComfyUI#2058,
    /// tilelang#90).
    ///
    /// Packages with libraries for both are not reported.
    BUILT_FOR_CUDA {
        id: "built-for-cuda",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the libraries are built for CUDA, and nothing here has code for an AMD GPU",
        effect: "no AMD GPU is used: the program ends with a missing CUDA library, or runs on the processor",
        effect_known: Inferred,
        advice: "install the package's build for ROCm, if there is one",
    }
}
