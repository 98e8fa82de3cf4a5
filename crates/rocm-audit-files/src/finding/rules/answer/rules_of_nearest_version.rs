//! The rule `rules-of-nearest-version`.

use crate::finding::rule::rule;

rule! {
    /// No rules are known for the version that the library is taken for, and those of the nearest are used.
    ///
    /// **MIOpen.** The checks of its solvers were read whole in 3.3.0, and of later releases a few changes, which
    /// `select conv` names. Any other release that is named with `--miopen`, or that the tree states, is answered by
    /// these rules.
    ///
    /// **ggml.** Rules are known for every version up to the last one whose source was read, and for
    /// those with a library that was observed. For a version between, the nearer of both is taken. The
    /// version comes from a path in the library's constants, from `libggml-base` beside it, or from the
    /// template arguments of its kernels, or is named with `--version`.
    ///
    /// What changed in between is not known, so the answer may be another one. A version outside of all that is
    /// known and named with `--version` is refused, not answered. A known version with a rule that is only
    /// assumed is `rule-carried-over`.
    RULES_OF_NEAREST_VERSION {
        id: "rules-of-nearest-version",
        severity: Warning,
        confidence: Certain,
        known: Inferred,
        what: "the rules of this version are not known; those of the nearest are used",
        effect: "the answer may be another one",
        effect_known: Inferred,
        advice: "name a version with `--version` (`--miopen` for convolutions) if the guess is wrong",
    }
}
