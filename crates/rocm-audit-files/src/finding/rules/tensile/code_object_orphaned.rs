//! The rule `code-object-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// A code object is in the folder, and no solution of a catalog is in it.
    ///
    /// The names that catalogs stand for, with the variants of XNACK that the loader tries, are compared with
    /// the files. rocBLAS loads nothing else in lazy mode, as its source says; without lazy mode, or after
    /// `rocblas_initialize()`, it loads every file of the target.
    ///
    /// A code object whose name ends with a target and is of no kind that a library asks for is found, too.
    /// One that has such a name, of a target without a master catalog, is not found again: that is
    /// `master-catalog-missing`. Single kernels without a solution are `kernel-orphaned`.
    CODE_OBJECT_ORPHANED {
        id: "code-object-orphaned",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no solution of a catalog is in these code objects",
        effect: "they are never loaded in lazy mode",
        effect_known: Code,
        advice: "remove them, or report them to whoever built the package",
    }
}
