//! The rule `choice-not-known`.

use crate::finding::rule::rule;

rule! {
    /// The choice of hipBLASLt depends on a node, a predicate or a property of a catalog that is not known here.
    ///
    /// Catalogs for gfx942 and gfx950 and those of other releases have nodes that choose by a model
    /// (`Prediction`, `MLPClassification`), solutions with StreamK, and predicates that come and go. Each is named
    /// with its place. Algorithms that the tables give before it stand; nothing is guessed behind it.
    ///
    /// It is a limit of this program and no fault of the folder.
    CHOICE_NOT_KNOWN {
        id: "choice-not-known",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the choice depends on a part of a catalog that this tool does not know",
        effect: "which algorithm is taken from there on is not known",
        effect_known: Inferred,
        advice: "ask the library itself (hipblaslt-bench with --print_kernel_info), and report the release to this project",
    }
}
