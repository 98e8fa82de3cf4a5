//! The contents of MIOpen's databases, which of them a device opens, and their problems.

use super::{DatabaseChoice, DatabaseForm, Evidence, Finding, SeverityCounts};
pub use crate::engines::miopen::database_kind::DatabaseKind as MiopenDatabaseKind;
use serde::Serialize;

/// One folder with databases.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenFolder {
    /// The folder.
    pub path: String,
    /// Its databases, by name.
    pub databases: Vec<MiopenDatabase>,
    /// Sums over the databases of each target.
    pub targets: Vec<MiopenTarget>,
    /// Number of records in all databases.
    pub records: u64,
    /// Number of entries in all databases.
    pub entries: u64,
    /// Size of all databases in bytes.
    pub bytes: u64,
    /// What devices open, by processor and compute units.
    pub devices: Vec<MiopenDevice>,
    /// Lines of the installed find-dbs and perf-dbs, with sums for processors that have several, and a total.
    pub lines: Vec<MiopenLines>,
    /// Findings by severity.
    pub counts: SeverityCounts,
    /// Problems and noteworthy facts, worst first.
    pub findings: Vec<Finding>,
}

/// A database.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenDatabase {
    /// File name.
    pub file: String,
    /// MIOpen's name for the device: `gfx900_56`.
    pub base: String,
    /// Target of the device.
    pub target: String,
    /// Compute units in the name.
    pub compute_units: Option<u32>,
    /// Purpose of the database.
    pub kind: MiopenDatabaseKind,
    /// Storage form; `null` if it could not be read.
    pub form: Option<DatabaseForm>,
    /// Record versions of a find-db: `1.0`, `2.0`.
    pub versions: Vec<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of lines; for a SQLite perf-db, those of its text form.
    pub lines: Option<u64>,
    /// Number of problems, each counted once; for a kernel database, of kernels.
    pub records: Option<u64>,
    /// Number of measured or tuned solvers.
    pub entries: Option<u64>,
    /// Number of findings on it.
    pub findings: u64,
}

/// A target's databases in total. A perf-db that exists as text and in SQLite counts twice, as its files do;
/// `kinds` has separate sums.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenTarget {
    /// The target.
    pub target: String,
    /// Compute units in the names of its databases, ascending.
    pub compute_units: Vec<u32>,
    /// Files, records, entries and bytes of all its databases.
    #[serde(flatten)]
    pub sum: MiopenSum,
    /// Separate sums for each kind it has.
    pub kinds: Vec<MiopenKindSum>,
}

/// A target's databases of one kind in total.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenKindSum {
    /// Purpose of the databases.
    pub kind: MiopenDatabaseKind,
    /// Files, records, entries and bytes.
    #[serde(flatten)]
    pub sum: MiopenSum,
}

/// Sums over several databases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenSum {
    /// Number of databases.
    pub files: u64,
    /// Databases that could not be read; their records and entries are not in the sum.
    pub unread: u64,
    /// Records.
    pub records: u64,
    /// Entries.
    pub entries: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// The databases that a device opens.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenDevice {
    /// Beginning of its databases' names; without compute units only the processor.
    pub base: String,
    /// Target of the device.
    pub target: String,
    /// Compute units as HIP counts them; `null` if no name and no option states them.
    pub compute_units: Option<u32>,
    /// One row for each kind of database.
    pub opened: Vec<MiopenOpened>,
}

/// The database of a kind that a device opens.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenOpened {
    /// Kind of the database.
    pub kind: MiopenDatabaseKind,
    /// How MIOpen chooses it.
    pub state: DatabaseChoice,
    /// The file; for `unreachable`, the nearest one.
    pub file: Option<String>,
    /// The base name of that file.
    pub base: Option<String>,
    /// The SQLite perf-db from which a default build makes this text form, if the folder has no text form.
    pub made_from: Option<String>,
    /// The reason, in a sentence.
    pub why: String,
    /// How the choice is known.
    pub known: Evidence,
}

/// Lines of the installed databases of one name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenLines {
    /// The processor; `null` in the total.
    pub processor: Option<String>,
    /// The base name; `null` in sums.
    pub base: Option<String>,
    /// Lines of find-dbs for HIP.
    pub find_db_hip: u64,
    /// Lines of find-dbs for OpenCL.
    pub find_db_opencl: u64,
    /// Lines of perf-dbs; for a SQLite perf-db without a text form, those its text form would have.
    pub perf_db: u64,
    /// Sum of these.
    pub lines: u64,
}
