//! The rule `code-object-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// A file with the name of a code object has none in it that can be read.
    ///
    /// Its ELF header and symbol table are read, or, of a bundle, the kernel metadata of its entries. The
    /// offset says where the reading ended. HIP refuses to load it, so that the solutions in it have no kernel;
    /// that is inferred from the source, not measured.
    ///
    /// A file that is not there is `code-object-missing`. A sound code object without the kernels that its
    /// catalog names is `kernel-missing`.
    CODE_OBJECT_UNREADABLE {
        id: "code-object-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "code objects cannot be read",
        effect: "HIP refuses to load them, and a GEMM that needs one returns rocblas_status_internal_error (6)",
        effect_known: Code,
        advice: "install the file again",
    }
}
