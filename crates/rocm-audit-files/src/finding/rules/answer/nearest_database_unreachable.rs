//! The rule `nearest-database-unreachable`.

use crate::finding::rule::rule;

rule! {
    /// There is a database for another number of compute units, which MIOpen's search does not find.
    ///
    /// The exact name of the device is not there. MIOpen 3.3 then looks for files of the same processor whose
    /// `path::extension()` equals the ending that it wants; of `gfx900_56.HIP.fdb.txt` that is `.txt`, never
    /// `.fdb.txt`. So text databases are never found this way; it works for perf-dbs in SQLite. That was read
    /// in the source, and the extension of such paths was tried.
    ///
    /// MIOpen goes on without the database. The number of compute units is what was named with `--cu`, as HIP
    /// counts multiprocessors. Measured times of another number of units may not fit this device, so measure
    /// where that matters.
    NEAREST_DATABASE_UNREACHABLE {
        id: "nearest-database-unreachable",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "MIOpen means to take the database of the nearest number of compute units and cannot",
        effect: "it compares the extension of a path, which is .txt, with the whole ending, and finds no database",
        effect_known: Code,
        advice: "copy the file to the name that is asked for",
    }
}
