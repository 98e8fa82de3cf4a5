//! The rule `solution-index-of-another-target`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    INDEX_ELSEWHERE {
        id: "solution-index-of-another-target",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "solution indices carry another target than their catalog",
        effect: "catalogs of different builds may be mixed",
        effect_known: Inferred,
        advice: "do not mix catalogs of several builds",
    }
}
