//! The rule `code-object-refused`.

use crate::finding::rule::rule;

rule! {
    /// A code object is for another target than the name that it is loaded by.
    ///
    /// Its `e_flags` are compared with the device that the name stands for, XNACK included. HIP refuses a code
    /// object for another processor, so that the solutions in it have no kernel; that is read in the source and
    /// was not measured with such a folder; users on Windows report that renamed files do load there
    /// (llama.cpp#1087). It is found only where no other variant of the name is accepted.
    ///
    /// A file with `-xnack+` in its name that a device with `xnack-` refuses is in order. A link from one
    /// target's file to another's is the usual cause: `e_flags` do not change with the name. `names-disagree`
    /// is the same comparison in an audit of the tree.
    CODE_OBJECT_REFUSED {
        id: "code-object-refused",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "code objects are for another target than their name says",
        effect: "HIP refuses to load them, and a GEMM that needs one returns rocblas_status_internal_error (6)",
        effect_known: Code,
        advice: "rename the file, or build the library for the target that its name says",
    }
}
