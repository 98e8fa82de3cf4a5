//! The rule `duplicate-code-objects`.

use crate::finding::rule::rule;

rule! {
    /// Code objects of equal size and equal content in one tree, compared by a 128-bit hash. The first copy
    /// is not counted as waste.
    DUPLICATE_CODE_OBJECTS {
        id: "duplicate-code-objects",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "code objects are there more than once",
        effect: "the copies take bytes and serve nobody",
        effect_known: Observed,
        advice: "link the objects into one library, or let the build share them",
    }
}
