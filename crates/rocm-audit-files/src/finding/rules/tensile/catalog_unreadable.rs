//! The rule `catalog-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// A catalog that the first one names is there and cannot be read.
    ///
    /// It is read in full, as rocBLAS reads it: unknown nodes, predicates and words, missing keys, and rows
    /// whose solution is not in the catalog end the reading, since they end that of the real library. The
    /// offset says where. With the real rocBLAS 6.4.4 the first GEMM that reaches such a catalog ends in a
    /// segmentation fault; of hipBLASLt it is inferred.
    ///
    /// In a catalog of hipBLASLt predicates are not read, and unknown nodes are `node-unknown`. A catalog
    /// that is sound and leads to no solution is `table-empty`.
    CATALOG_UNREADABLE {
        id: "catalog-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "catalogs cannot be read",
        effect: "the first GEMM that reaches one ends in a segmentation fault",
        effect_known: StandIn,
        advice: "install the file again",
    }
}
