//! The rule `size-over-budget`.

use crate::finding::rule::rule;

rule! {
    /// An artifact, or what it has for a target, is larger than `check --max-size` allows.
    ///
    /// A budget without a target counts the artifact as it is published: a package or file by its own size, a
    /// folder by all files in it. One for a target counts the code objects for that target as they are
    /// inflated, so that it does not change with the way in which they are packed.
    ///
    /// What takes the most bytes is said by `rocm-audit fatbin FILE` and by `rocm-audit --full PATH`, and what
    /// no card of a list needs by `rocm-audit slim`.
    SIZE_OVER_BUDGET {
        id: "size-over-budget",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "an artifact is larger than it is allowed to be",
        effect: "downloads and installs take more than what was promised",
        effect_known: Inferred,
        advice: "see what takes the bytes, with rocm-audit --full, and what can go, with rocm-audit slim; or allow more",
    }
}
