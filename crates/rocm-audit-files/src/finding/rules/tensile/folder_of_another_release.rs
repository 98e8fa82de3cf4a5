//! The rule `folder-of-another-release`.

use crate::finding::rule::rule;

rule! {
    /// The rocBLAS here is of another release than the folder with its catalogs.
    ///
    /// Releases of rocBLAS up to ROCm 5.5 were shipped with one catalog for everything, `TensileLibrary.dat`, and
    /// have `librocblas.so.0`. From `librocblas.so.4` (ROCm 6) on each target has a master catalog of its own.
    /// rocBLAS checks no version: the newer library still opens the older catalog, and then asks for helper
    /// kernels by names that the older folder does not have.
    ///
    /// Compared are the version behind `.so` of rocBLAS's library in the same tree with the kind of the folder.
    /// What a call ends with was read in the source and not run. Install the folder that belongs to the library,
    /// or point `ROCBLAS_TENSILE_LIBPATH` at it.
    OTHER_RELEASE {
        id: "folder-of-another-release",
        severity: Error,
        confidence: Likely,
        known: Inferred,
        what: "library and folder are of different releases",
        effect: "calls that need a helper kernel fail, and the choice of kernels is not what the release was tuned for",
        effect_known: Inferred,
        advice: "install library and folder from one release, or set ROCBLAS_TENSILE_LIBPATH to the right folder",
    }
}
