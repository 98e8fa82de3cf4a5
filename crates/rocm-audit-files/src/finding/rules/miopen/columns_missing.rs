//! The rule `miopen-columns-missing`.

use crate::finding::rule::rule;

rule! {
    /// A database in SQLite lacks columns that MIOpen asks for.
    ///
    /// When MIOpen opens a perf-db it compares the columns of `config` and `perf_db` with those that it will ask for. Where
    /// one is missing it logs "Invalid fields in table" and gives up the file, so that every kernel is compiled with
    /// default parameters (3.3.0, `src/sqlite_db.cpp:452-469`). A database of another release, whose problems had other
    /// fields, looks like this; so does one that was made by hand.
    ///
    /// More columns than those asked for are no finding. A table that is missing altogether is `malformed-bytes`.
    COLUMNS_MISSING {
        id: "miopen-columns-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a database in SQLite lacks columns that MIOpen asks for",
        effect: "MIOpen gives up the whole file, and compiles kernels with default parameters",
        effect_known: Code,
        advice: "use the database of the release in use, or remove it",
    }
}
