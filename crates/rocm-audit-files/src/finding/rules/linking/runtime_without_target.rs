//! The rule `runtime-without-target`.

use crate::finding::rule::rule;

rule! {
    /// Libraries have code for a target that the HSA runtime beside them does not name.
    ///
    /// `libhsa-runtime64` has the names of all processors that it knows among its constants. A GPU that is not there is
    /// not found, and code for it is refused, whatever the libraries have (rocm-systems#4578, hipfire#81).
    ///
    /// Generic targets are not looked at. That the process loads this very runtime is not certain.
    RUNTIME_WITHOUT_TARGET {
        id: "runtime-without-target",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "there is code for a target that the HSA runtime here does not know",
        effect: "a GPU of the target is not found, or its code objects are refused",
        effect_known: Inferred,
        advice: "take a runtime that names the target",
    }
}
