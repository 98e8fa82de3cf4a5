//! The rule `miopen-retired-solver`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    RETIRED_SOLVER {
        id: "miopen-retired-solver",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "entries name solvers that MIOpen no longer has",
        effect: "MIOpen's registry has no convolution solver of this name; it skips the entry, even where it is the fastest",
        effect_known: Code,
        advice: "measure again with the release in use",
    }
}
