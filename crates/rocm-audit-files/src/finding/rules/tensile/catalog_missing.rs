//! The rule `catalog-missing`.

use crate::finding::rule::rule;

rule! {
    /// The master catalog of a target names a catalog that is not in the folder.
    ///
    /// The names in the placeholders of the master catalog, with its own extension, are compared with the files;
    /// the offset is that of the name. Only placeholders that rows for this target lead to count. The real
    /// rocBLAS 6.4.4 does not test whether the file was loaded and ends in a segmentation fault, at the first
    /// GEMM of that type and of these transposes; other types still work.
    ///
    /// It happens where a package was built or copied in part, or where files of two builds are mixed. It is
    /// not a type that is not tuned: the master catalog names no catalog for that, or a fallback one.
    CATALOG_MISSING {
        id: "catalog-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "catalogs that the master catalog names are not there",
        effect: "the first GEMM that reaches one ends in a segmentation fault",
        effect_known: StandIn,
        advice: "install the package again: its files are of one build and belong together",
    }
}
