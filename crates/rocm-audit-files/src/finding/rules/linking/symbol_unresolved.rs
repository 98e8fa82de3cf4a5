//! The rule `symbol-unresolved`.

use crate::finding::rule::rule;

rule! {
    /// A library asks for a symbol of ROCm that the library of this name does not export.
    ///
    /// Undefined dynamic symbols are compared with what the library exports that their version names, as in
    /// `hsa_amd_vmem_map@ROCR_1` of `libhsa-runtime64.so.1`, or, without versions, that their first letters name, as in
    /// `rocblas_dgemm`, where the file is linked with it. It means two releases, or a build that left a part out
    /// (faster-whisper#1370, TheRock#484, rocBLAS without Tensile).
    ///
    /// It is likely, not certain: the process may load another file of the same name. Weak symbols do not
    /// count, and neither does a library that is not in the input.
    SYMBOL_UNRESOLVED {
        id: "symbol-unresolved",
        severity: Error,
        confidence: Likely,
        known: Observed,
        what: "a symbol is asked of a library that is here and does not export it",
        effect: "the loader ends with undefined symbol, at the start or at the first call",
        effect_known: Code,
        advice: "take both libraries from one release",
    }
}
