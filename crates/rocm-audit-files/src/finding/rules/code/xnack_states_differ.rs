//! The rule `xnack-states-differ`.

use crate::finding::rule::rule;

rule! {
    /// Libraries have code for different XNACK states of the same processor.
    ///
    /// One is built for xnack+ and xnack-, another for one state or for any. A process that uses both runs only in the
    /// state that both have (ROCm#2358, MIOpen's assembly kernels). Target IDs of all code objects are compared, library
    /// by library.
    ///
    /// Code without a state serves both and is never amiss by itself.
    XNACK_STATES_DIFFER {
        id: "xnack-states-differ",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "libraries have code for different XNACK states of a processor",
        effect: "in the state that one library lacks, its kernels are not found",
        effect_known: Code,
        advice: "build all libraries for the same states, or without one",
    }
}
