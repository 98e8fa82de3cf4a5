//! The rule `code-objects-too-new`.

use crate::finding::rule::rule;

rule! {
    /// Code objects are of a version that the HIP runtime beside them does not read.
    ///
    /// Version 6, the default of LLVM 20, is read from ROCm 6.3 on. The release of the runtime is that in the name of
    /// `libamdhip64.so`, in the version file, or in PyTorch's version.py. Where it is older, code objects are refused as
    /// invalid (ROCR-Runtime#321, flash-attention#1652).
    ///
    /// It is likely, not certain: distributions carry the change back to older releases, and the process may load
    /// another runtime than the one that is here.
    CODE_OBJECTS_TOO_NEW {
        id: "code-objects-too-new",
        severity: Error,
        confidence: Likely,
        known: Observed,
        what: "code objects of version 6 lie beside a runtime that is older than ROCm 6.3",
        effect: "the runtime refuses them: HSA_STATUS_ERROR_INVALID_CODE_OBJECT, shared object initialization failed",
        effect_known: Runtime,
        advice: "take a newer runtime, or build with -mcode-object-version=5",
    }
}
