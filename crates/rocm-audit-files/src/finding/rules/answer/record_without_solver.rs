//! The rule `record-without-solver`.

use crate::finding::rule::rule;

rule! {
    /// The find-db has a record of the problem, and none of the solvers in it can be taken.
    ///
    /// Each recorded solver is judged in the order of its time: whether the registry has it, whether its
    /// algorithm is switched off, whether it takes the problem on this device, whether the workspace is enough.
    /// All are refused, each with its reason. MIOpen 3.3 treats the problem as one without a record, as its
    /// source says.
    ///
    /// It is not a problem that no file records: then there is no record to speak of. An old record of retired
    /// solvers is `miopen-retired-solver`.
    RECORD_WITHOUT_SOLVER {
        id: "record-without-solver",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "none of the solvers that are recorded for the problem can be taken",
        effect: "MIOpen measures, as if there were no record",
        effect_known: Code,
        advice: "see the refusals, each with its reason",
    }
}
