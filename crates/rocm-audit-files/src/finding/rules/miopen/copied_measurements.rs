//! The rule `miopen-copied-measurements`.

use crate::finding::rule::rule;

rule! {
    /// A find-db holds the measurements of another processor.
    ///
    /// Find-dbs of the same backend, of different processors and with equally many records, are compared. One
    /// is a copy where every byte is the same, or where at least 99 of 100 common records, ten or more, have
    /// the same solvers, times and workspaces, as they stand or with height and width exchanged. The file of
    /// the older processor is taken for the copy.
    ///
    /// MIOpen cannot know it: it sorts by times of another GPU, and a solver that does not run on this one is
    /// refused when it is asked. `gfx803_64.HIP.fdb.txt` in MIOpen's sources is byte for byte that of the Vega
    /// 64. Files of one processor with different numbers of compute units are not compared.
    COPIED_MEASUREMENTS {
        id: "miopen-copied-measurements",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "times were copied from the file of another processor",
        effect: "the times are those of another processor, and may name solvers that do not run on this one",
        effect_known: Inferred,
        advice: "remove the file, or measure on the device with MIOPEN_FIND_ENFORCE=4",
    }
}
