//! The rule `catalog-word-unknown`.

use crate::finding::rule::rule;

rule! {
    /// A catalog names a node, a predicate or a property that the library beside it does not have.
    ///
    /// rocBLAS and hipBLASLt refuse a whole catalog for one type that they do not know, and the names of all types that they know
    /// stand among their constants. Each type that a catalog in MessagePack names is searched for in the file of the library in the
    /// folders above. In hipBLASLt 1.2, hipSPARSELt and rocBLAS 5.2 as Debian ships them, all 53 and 52 words are there.
    ///
    /// Words of fewer than four letters are not looked for, and nothing is said where the library lacks those that every release
    /// has: its constants are then stored otherwise. Keys that are required and missing are another rule, `catalog-key-missing`.
    WORD_UNKNOWN {
        id: "catalog-word-unknown",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a catalog names a type that its library does not have",
        effect: "the library refuses the whole catalog, and calls that reach it fail",
        effect_known: Code,
        advice: "install the library and its catalogs of one release",
    }
}
