//! The rule `rule-carried-over`.

use crate::finding::rule::rule;

rule! {
    /// The rule that decides the route was neither read nor observed for this version.
    ///
    /// Each rule has the versions in which it is applied, and those in which it was read or observed. Between
    /// and around these it is applied because nothing speaks against it. That is the case here, so the route
    /// may have been another one in this release.
    ///
    /// It is about one rule, and the others of the way may be documented. That the rules of another version are
    /// used as a whole is `rules-of-nearest-version`. Name a documented version with `--version` to compare.
    RULE_CARRIED_OVER {
        id: "rule-carried-over",
        severity: Warning,
        confidence: Certain,
        known: Inferred,
        what: "the deciding rule was neither read nor observed in this version",
        effect: "the route may be another one",
        effect_known: Inferred,
        advice: "compare with a version whose rules are documented (`--version`)",
    }
}
