//! The rule `solution-index-of-another-target`.

use crate::finding::rule::rule;

rule! {
    /// The upper bits of a solution's index name another target than the name of its catalog.
    ///
    /// Of rocBLAS, index shifted right by 18 is the number behind `gfx`, read as hexadecimal, and 0 in fallback
    /// catalogs; that holds for every solution of rocBLAS 6.4.4. The name of the file is compared with it.
    /// Nothing in the catalog depends on it, so products are chosen as ever: what it tells is that the file is
    /// of another build, or was renamed.
    ///
    /// hipBLASLt counts through all targets, and its indices are compared with `mapping-wrong` instead.
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
