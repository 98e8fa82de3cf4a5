//! The rule `too-many-parts`.

use crate::finding::rule::rule;

rule! {
    /// The bounds stand in `limits.rs`, each with its reason; they lie far above what the largest known files
    /// need.
    TOO_MANY_PARTS {
        id: "too-many-parts",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a file has more bundles, entries or members than are read",
        effect: "the rest of the file is not read; the report is incomplete",
        effect_known: Inferred,
        advice: "split the file, or report it to this project if it is genuine",
    }
}
