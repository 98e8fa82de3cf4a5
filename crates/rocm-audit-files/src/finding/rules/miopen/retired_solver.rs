//! The rule `miopen-retired-solver`.

use crate::finding::rule::rule;

rule! {
    /// An entry names a solver that MIOpen's registry has no convolution for.
    ///
    /// Names are compared with the registry of MIOpen 3.3: places whose solver went, and solvers of other
    /// primitives, such as fusions. MIOpen skips the item, even if it is the fastest, and takes the
    /// next of the record; without a next one, the problem counts as not recorded.
    ///
    /// An entry of a fusion is worse: the library of MIOpen 3.4.0 was seen to die in immediate mode, where a
    /// program asks for all solutions of such a record (`GetSolutionCount`, then `GetSolution` with room for
    /// as many); asked for one, it answers. For one problem, `select conv` has the error `convolution-crashes`.
    ///
    /// A name that the registry never had is not found here; `select conv` shows it as unknown. An entry whose
    /// solver exists and refuses the problem is another matter, which `select conv` judges problem by problem.
    /// Measuring again replaces the record.
    RETIRED_SOLVER {
        id: "miopen-retired-solver",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "entries name solvers that MIOpen no longer has",
        effect: "MIOpen's registry has no convolution solver of this name; it skips the entry, even where it is the fastest; at an entry of a fusion the immediate mode dies where it is asked for all of the record",
        effect_known: Code,
        advice: "measure again with the release in use",
    }
}
