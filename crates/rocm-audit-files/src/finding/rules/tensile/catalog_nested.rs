//! The rule `catalog-nested`.

use crate::finding::rule::rule;

rule! {
    /// A catalog that a master catalog names has a placeholder of its own.
    ///
    /// No catalog of rocBLAS 6.4.4 and hipBLASLt 7.1.1 has one: only master catalogs do. This program stops at
    /// the second one, so that a circle ends; what the real library does was not measured. The place is the
    /// first such name.
    ///
    /// It is what a copy of the master catalog under the name of another looks like. Use the catalogs that came
    /// with the library.
    CATALOG_NESTED {
        id: "catalog-nested",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "catalogs that a master catalog names lead on to other catalogs",
        effect: "real catalogs never do; where they lead round in a circle the library does not come back",
        effect_known: Inferred,
        advice: "use the catalogs that came with the library",
    }
}
