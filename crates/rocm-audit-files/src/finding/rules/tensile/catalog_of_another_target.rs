//! The rule `catalog-of-another-target`.

use crate::finding::rule::rule;

rule! {
    /// A master catalog is of another target than its name: renamed, copied or linked.
    ///
    /// Each master catalog names the catalogs of its own target, in which its name stands. One that names catalogs of
    /// another processor was made for that one. rocBLAS then loads foreign code objects, or HIP refuses them; on systems
    /// where it does not, results are wrong without a word (ROCm#2654, ollama#9455, llama.cpp#1087).
    OF_ANOTHER_TARGET {
        id: "catalog-of-another-target",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a master catalog leads to catalogs of another processor than its name says",
        effect: "foreign kernels are loaded: they are refused, or compute wrong results",
        effect_known: Runtime,
        advice: "remove renamed files and links; on Linux, set HSA_OVERRIDE_GFX_VERSION where the code is legal",
    }
}
