//! The rule `variants-differ`.

use crate::finding::rule::rule;

rule! {
    /// Files of one library for different ROCm releases do not serve the same targets.
    ///
    /// Packages such as bitsandbytes ship `libX_rocm62.so`, `libX_rocm70.so` and so on; one of them is loaded, by the
    /// release that PyTorch names. A target that only some of them have works with some releases of PyTorch only
    /// (ROCm/bitsandbytes#91). The union of the files says nothing.
    VARIANTS_DIFFER {
        id: "variants-differ",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "variants of a library for different releases of ROCm serve different targets",
        effect: "whether the target works depends on the release that PyTorch was built with",
        effect_known: Code,
        advice: "check the variant of your release, or set the variable with which the package chooses",
    }
}
