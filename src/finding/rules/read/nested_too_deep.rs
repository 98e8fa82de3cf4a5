//! The rule `nested-too-deep`.

use crate::finding::rule::rule;

rule! {
    /// Packages in packages are opened up to a depth that no known distribution reaches.
    NESTED_TOO_DEEP {
        id: "nested-too-deep",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "packages lie in each other too deep",
        effect: "the innermost is not opened; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack the outer packages by hand and audit the folder",
    }
}
