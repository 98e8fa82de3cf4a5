//! The rule `inflates-too-far`.

use crate::finding::rule::rule;

rule! {
    /// A package may unpack to a bound that grows with its own size, over all packages inside of it; so may
    /// the number of its members and the length of their names. Beyond that it is taken for a decompression
    /// bomb and left.
    INFLATES_TOO_FAR {
        id: "inflates-too-far",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a package unpacks to more than is believed of one of its size",
        effect: "the rest of the package is not read; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack it by hand if it is trusted, and audit the folder",
    }
}
