//! The rule `dangling-link`.

use crate::finding::rule::rule;

rule! {
    /// Development packages leave such links when the library package is absent. They do not make a report
    /// incomplete.
    DANGLING_LINK {
        id: "dangling-link",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "a symbolic link leads nowhere",
        effect: "nothing is lost that could be read; a program that follows it fails",
        effect_known: Inferred,
        advice: "install the package that the link points into, or remove it",
    }
}
