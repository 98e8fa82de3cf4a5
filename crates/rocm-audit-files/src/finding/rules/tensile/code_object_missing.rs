//! The rule `code-object-missing`.

use crate::finding::rule::rule;

rule! {
    /// The code object that solutions of a catalog are in is not in the folder.
    ///
    /// Its name follows from that of the catalog: `.co` for assembly, `.hsaco` for kernels from HIP source,
    /// with the target behind it where the catalog is a fallback. The variants with `-xnack-` and `-xnack+` are
    /// tried like the loader tries them, for a device of either sign where files of either are there. The
    /// finding names the file, the device and how many solutions need it. With the real rocBLAS 6.4.4 a GEMM
    /// that chooses such a solution returns status 6 and prints nothing.
    ///
    /// A device of the other sign of XNACK can be whole. One that is there and not accepted is
    /// `code-object-refused`; a missing helper file is `helper-missing`.
    CODE_OBJECT_MISSING {
        id: "code-object-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "code objects of solutions are not there",
        effect: "a GEMM that chooses such a solution returns rocblas_status_internal_error (6) without a word",
        effect_known: StandIn,
        advice: "install the package again: its files are of one build and belong together",
    }
}
