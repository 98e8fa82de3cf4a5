//! What MIOpen's databases hold, which of them a device opens, and what is wrong with them.

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
    /// What the databases of each target come to, by target.
    pub targets: Vec<MiopenTarget>,
    /// Records of all.
    pub records: u64,
    /// Entries of all.
    pub entries: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// What devices open, by processor and compute units.
    pub devices: Vec<MiopenDevice>,
    /// Lines of the installed find-dbs and perf-dbs, with the sum of each processor that has several, and of all.
    pub lines: Vec<MiopenLines>,
    /// Findings by severity.
    pub counts: SeverityCounts,
    /// What is wrong or worth knowing, the worst first.
    pub findings: Vec<Finding>,
}

/// A database.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenDatabase {
    /// File name.
    pub file: String,
    /// What MIOpen calls the device: `gfx900_56`.
    pub base: String,
    /// Its target.
    pub target: String,
    /// Compute units in the name.
    pub compute_units: Option<u32>,
    /// What it is for.
    pub kind: MiopenDatabaseKind,
    /// How it is stored; none where it could not be read.
    pub form: Option<DatabaseForm>,
    /// The forms of its records, of a find-db: `1.0`, `2.0`.
    pub versions: Vec<String>,
    /// Size.
    pub bytes: u64,
    /// Lines; of a perf-db in SQLite those of its text form.
    pub lines: Option<u64>,
    /// Problems, each counted once; kernels of a kernel database.
    pub records: Option<u64>,
    /// Measured solvers, or tuned ones.
    pub entries: Option<u64>,
    /// Findings about it.
    pub findings: u64,
}

/// The databases of a target together. A perf-db that is there as text and in SQLite counts twice, as its files do; `kinds`
/// has each alone.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenTarget {
    /// The target.
    pub target: String,
    /// Compute units that names of its databases state, ascending.
    pub compute_units: Vec<u32>,
    /// Files, records, entries and bytes of all its databases.
    #[serde(flatten)]
    pub sum: MiopenSum,
    /// The same of each kind that it has.
    pub kinds: Vec<MiopenKindSum>,
}

/// The databases of a kind together.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenKindSum {
    /// What they are for.
    pub kind: MiopenDatabaseKind,
    /// Files, records, entries and bytes.
    #[serde(flatten)]
    pub sum: MiopenSum,
}

/// What several databases come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenSum {
    /// Databases.
    pub files: u64,
    /// Those of them that could not be read, whose records and entries are not in the sum.
    pub unread: u64,
    /// Records.
    pub records: u64,
    /// Entries.
    pub entries: u64,
    /// Size.
    pub bytes: u64,
}

/// What a device opens.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenDevice {
    /// What the names of its databases begin with; without compute units only the processor.
    pub base: String,
    /// Its target.
    pub target: String,
    /// Compute units as HIP counts them; none where no name and no call states them.
    pub compute_units: Option<u32>,
    /// Per kind of database.
    pub opened: Vec<MiopenOpened>,
}

/// The database of a kind that a device opens.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenOpened {
    /// Of what kind.
    pub kind: MiopenDatabaseKind,
    /// Which one.
    pub state: DatabaseChoice,
    /// The file; of `unreachable`, the one that would be nearest.
    pub file: Option<String>,
    /// The base name of that file.
    pub base: Option<String>,
    /// The perf-db in SQLite that a default build makes this text form of, where the folder has no text form.
    pub made_from: Option<String>,
    /// Why, in a sentence.
    pub why: String,
    /// How that is known.
    pub known: Evidence,
}

/// Lines of the installed databases of one name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenLines {
    /// The processor; none in the sum of all.
    pub processor: Option<String>,
    /// The base name; none in sums.
    pub base: Option<String>,
    /// Of find-dbs for HIP.
    pub find_db_hip: u64,
    /// Of find-dbs for OpenCL.
    pub find_db_opencl: u64,
    /// Of perf-dbs; of one in SQLite, where there is no text form, those that this would have.
    pub perf_db: u64,
    /// Their sum.
    pub lines: u64,
}
