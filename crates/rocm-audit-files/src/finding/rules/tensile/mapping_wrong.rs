//! The rule `mapping-wrong`.

use crate::finding::rule::rule;

rule! {
    /// hipBLASLt's table that says which catalog has which solution does not fit its catalogs.
    ///
    /// `TensileLiteLibrary_lazy_Mapping.dat` gives the first index of every catalog. It is compared with the
    /// smallest and largest index that each has: a catalog that is not there, begins elsewhere, goes on into
    /// the next or is not in the table is found, and so is a table that cannot be read. In hipBLASLt 7.1.1 as
    /// Debian ships it all 717 rows fit. What a call does then is inferred.
    ///
    /// Older releases have no such table, and a folder without one is in order. A choice by sizes does not use
    /// it.
    MAPPING_WRONG {
        id: "mapping-wrong",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "hipBLASLt's mapping of solution indices to catalogs does not fit the catalogs",
        effect: "a solution that is asked for by its index is not found or is another one",
        effect_known: Inferred,
        advice: "install `TensileLiteLibrary_lazy_Mapping.dat` of the same build",
    }
}
