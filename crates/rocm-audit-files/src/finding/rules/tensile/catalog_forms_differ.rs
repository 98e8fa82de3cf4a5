//! The rule `catalog-forms-differ`.

use crate::finding::rule::rule;

rule! {
    /// A catalog is there plain and as a zlib stream, and the two do not hold the same.
    ///
    /// A library that reads streams takes the stream, an older one the plain file: which kernels a call gets then depends on the release.
    /// Compared are the solutions with their kernels, whether anything leads to them, how many sizes are tuned, and the catalogs that are
    /// led to; the order is not.
    FORMS_DIFFER {
        id: "catalog-forms-differ",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a catalog and its zlib stream do not hold the same",
        effect: "releases that read streams choose otherwise than those that do not",
        effect_known: Code,
        advice: "remove the form that is not of the installed release",
    }
}
