//! The rule `catalog-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// A catalog is in the folder, and no master catalog leads to it.
    ///
    /// The names in the placeholders of all master catalogs are compared with the files. In lazy mode rocBLAS
    /// opens nothing else, as its source says. In rocBLAS 6.4.4 and hipBLASLt 7.1.1 as Debian ships them there
    /// is none.
    ///
    /// A catalog of a target without a master catalog is not found again: that is `master-catalog-missing`. A
    /// catalog that is reached and whose solutions are in no table is `solution-unreachable`. It is what is
    /// left where a master catalog was replaced by that of another build.
    CATALOG_ORPHANED {
        id: "catalog-orphaned",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no master catalog leads to these catalogs",
        effect: "they are never read, and their solutions never chosen",
        effect_known: Code,
        advice: "remove them, or report them to whoever built the package",
    }
}
