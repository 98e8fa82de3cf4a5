//! The rule `needed-not-here`.

use crate::finding::rule::rule;

rule! {
    /// A library needs another one of ROCm that is not here, while the HIP runtime is.
    ///
    /// Names of `DT_NEEDED`, or of the imports of a Windows file, are looked for among all files, links and members that were named
    /// together. Where nothing of the runtime is here, the input is one library of many, and an audit says nothing; `needs`, which is asked
    /// just that, says it in any case, so that `rocm-audit needs WHEELS --fail-on needed-not-here` is a gate. Where the runtime is
    /// here, what is missing comes from another release, or from nowhere: the loader ends with "cannot open shared object file"
    /// (pytorch#189906: 27 names that nothing has).
    ///
    /// It is likely, not certain: a system may have the library in one of its own folders. `rocm-audit needs` has the whole list.
    NEEDED_NOT_HERE {
        id: "needed-not-here",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "a library of ROCm is needed and is not here",
        effect: "the loader takes it from another release, or ends with cannot open shared object file",
        effect_known: Code,
        advice: "ship the library with it, or name the package that has it as well",
    }
}
