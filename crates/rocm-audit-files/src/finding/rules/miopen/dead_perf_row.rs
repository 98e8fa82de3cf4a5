//! The rule `miopen-dead-perf-row`.

use crate::finding::rule::rule;

rule! {
    /// A perf-db has parameters for a solver that does not ask for them.
    ///
    /// Two cases are known from the source of MIOpen 3.3: `ConvBinWinogradRxSf2x3` for problems without groups,
    /// forward or backward data, which went to `ConvBinWinogradRxSf2x3g1`; and `ConvOclDirectFwdFused`, which
    /// is a fusion and no solver of convolutions. Rows are counted in text and in SQLite. `gfx900_56.db` in
    /// MIOpen's sources has 11,704 of the first and 517 of the second.
    ///
    /// Rows of solvers that ask for their parameters and refuse the problem are not found. They take space and
    /// are read for nothing.
    DEAD_PERF_ROW {
        id: "miopen-dead-perf-row",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "rows are parameters of solvers that do not ask for them",
        effect: "no solver asks for these parameters; they only take space",
        effect_known: Code,
        advice: "remove the rows",
    }
}
