//! The rule `miopen-no-perf-db`.

use crate::finding::rule::rule;

rule! {
    /// A device has a find-db, and a build that reads perf-dbs in text finds none for it.
    ///
    /// For each find-db of a HIP build the perf-db of the same name is looked for, `.db.txt` or, since a
    /// default build makes text of it, `.db`. One of another number of compute units does not help: the search
    /// for the nearest compares the whole ending with `path::extension()` and never finds a text file. A Git
    /// LFS pointer in its place does not help either. Solvers then run with default parameters, as the source
    /// says.
    ///
    /// A folder without any perf-db is not judged, since it may hold find-dbs on purpose. A build that reads
    /// SQLite finds the nearest `.db`.
    NO_PERF_DB {
        id: "miopen-no-perf-db",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a device has a find-db and no perf-db in text",
        effect: "a build that reads text perf-dbs runs this device's kernels with default parameters",
        effect_known: Code,
        advice: "use a build that reads SQLite, or tune with MIOPEN_FIND_ENFORCE=4",
    }
}
