//! The rule `ext-op-missing`.

use crate::finding::rule::rule;

rule! {
    /// The table of hipBLASLt's other operations names a kernel that is not there.
    ///
    /// `hipblasltExtOpLibrary.dat` lists softmax, layer norm and amax with file and kernel for each target; the
    /// file is looked for, and the kernel among its symbols. A table that cannot be read is found too. In
    /// hipBLASLt 7.1.1 as Debian ships it all 110 kernels are there. That the operation fails when it is called
    /// is inferred.
    ///
    /// A target that the table does not list has no such operation, which is not found here. Matrix products do
    /// not depend on it.
    EXT_OP_MISSING {
        id: "ext-op-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "kernels of hipBLASLt's other operations (softmax, layer norm, amax) or their files are not there",
        effect: "the operation fails when it is called",
        effect_known: Inferred,
        advice: "install the files of the same build",
    }
}
