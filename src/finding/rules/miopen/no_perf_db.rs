//! The rule `miopen-no-perf-db`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
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
