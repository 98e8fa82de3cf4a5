//! MIOpen's choice for a convolution.

use super::{DatabaseChoice, Evidence, Found, GemmReport, Header, Statement};
use serde::Serialize;

/// What MIOpen does with a convolution.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// Compute units; from gfx10 on, workgroup processors.
    pub compute_units: u32,
    /// The key of the problem, as find-dbs have it.
    pub key: String,
    /// The problem in words, as the forward convolution has it.
    pub problem: String,
    /// Whether a record of the find-db decides.
    pub outcome: ConvOutcome,
    /// The solver that is taken on a hit. On a miss MIOpen measures, and nothing is named here.
    pub pick: Option<ConvPick>,
    /// The databases that MIOpen would open for the device.
    pub databases: Vec<ConvDatabase>,
    /// The solvers of the record, the fastest first.
    pub recorded: Vec<ConvRecorded>,
    /// Solvers that take the problem, in the order of the registry.
    pub candidates: Vec<ConvCandidate>,
    /// Solvers that do not, in the order of the registry.
    pub rejected: Vec<ConvRejected>,
    /// Whether a find searches Winograd alone.
    pub only_winograd: bool,
    /// The way of a find in the environment that was given.
    pub find: ConvFind,
    /// The order of FAST and immediate mode on a miss, by MIOpen's own estimates: an estimate, not a measurement. Where a model
    /// takes the problem (`immediate`), these modes ask it first.
    pub estimates: Vec<ConvEstimate>,
    /// What FAST and immediate mode go by on a miss.
    pub immediate: ConvImmediate,
    /// The four layers: what is built, what selects, what it falls back to, what is shipped.
    pub layers: Vec<Statement>,
    /// Of which release of MIOpen the rules are that answer.
    pub rules: ConvRules,
    /// What the answer rests on.
    pub statements: Vec<Statement>,
    /// Assumptions about device, build and environment.
    pub assumptions: Vec<ConvAssumption>,
    /// What rocBLAS chooses for the product that a GEMM solver asks for, where one is taken.
    pub gemm: Option<Box<GemmReport>>,
    /// What bytes cannot show here.
    pub not_shown: Vec<String>,
}

/// Whether a record of the find-db decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConvOutcome {
    /// A record names the solver.
    Hit,
    /// None does: MIOpen measures.
    Miss,
}

/// The solver that is taken.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvPick {
    /// Its name.
    pub solver: String,
    /// Its place in the registry.
    pub id: Option<u16>,
    /// `Direct`, `Winograd`, …
    pub algorithm: String,
    /// Recorded time in milliseconds.
    pub time_ms: f32,
    /// Bytes of workspace.
    pub workspace: u64,
    /// The find-db.
    pub file: String,
    /// The line of it.
    pub line: u64,
    /// Its tuned parameters, from the perf-db that MIOpen would open.
    pub parameters: Option<String>,
    /// The perf-db that they are from.
    pub parameters_from: Option<String>,
    /// Whether only a build that reads perf-dbs in SQLite has them; the default build reads text.
    pub parameters_in_sqlite_builds_only: bool,
}

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConvDatabaseKind {
    /// Recorded solvers.
    FindDb,
    /// Tuned parameters, as text.
    PerfDbText,
    /// Tuned parameters, in SQLite.
    PerfDbSqlite,
    /// Compiled kernels.
    KernelDb,
    /// Recorded solvers of the user's own.
    UserFindDb,
}

impl ConvDatabaseKind {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            ConvDatabaseKind::FindDb => "find-db",
            ConvDatabaseKind::PerfDbText => "perf-db (text)",
            ConvDatabaseKind::PerfDbSqlite => "perf-db (SQLite)",
            ConvDatabaseKind::KernelDb => "kernel database",
            ConvDatabaseKind::UserFindDb => "user find-db",
        }
    }
}

impl RecordVerdict {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            RecordVerdict::Taken => "taken",
            RecordVerdict::Slower => "slower",
            RecordVerdict::Skipped => "skipped",
        }
    }
}

/// A database.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvDatabase {
    /// What it holds, and in which form.
    pub kind: ConvDatabaseKind,
    /// Whether MIOpen finds it.
    pub state: DatabaseChoice,
    /// The file.
    pub file: Option<String>,
    /// The name that is looked for.
    pub wanted: String,
}

/// What MIOpen does with a recorded solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordVerdict {
    /// Takes it.
    Taken,
    /// Could take it; a faster one is there.
    Slower,
    /// Passes over it.
    Skipped,
}

/// A solver of a record.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRecorded {
    /// Its name.
    pub solver: String,
    /// Its algorithm.
    pub algorithm: String,
    /// Recorded time in milliseconds.
    pub time_ms: f32,
    /// Bytes of workspace.
    pub workspace: u64,
    /// What MIOpen does with it.
    pub verdict: RecordVerdict,
    /// Why it is skipped.
    pub because: Option<String>,
}

/// A solver that takes the problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvCandidate {
    /// Its place in the registry.
    pub id: u16,
    /// Its name.
    pub solver: String,
    /// Its algorithm.
    pub algorithm: String,
    /// Whether it needs no compilation per problem.
    pub dynamic: bool,
    /// Whether it is measured on a miss, in the mode of the find.
    pub measured: bool,
    /// Bytes of workspace that it asks for; none where that is not known.
    pub workspace: Option<u64>,
    /// Where that was read.
    pub workspace_source: Option<String>,
    /// What the rule leaves out, where it may accept too much.
    pub superset: Option<String>,
}

/// A solver that does not take the problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRejected {
    /// Its place in the registry.
    pub id: u16,
    /// Its name.
    pub solver: String,
    /// Its algorithm.
    pub algorithm: String,
    /// The clause that refuses.
    pub clause: String,
    /// Why.
    pub because: String,
    /// Where that was read.
    pub source: String,
}

/// An estimate.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvEstimate {
    /// The solver.
    pub solver: String,
    /// MIOpen's weighted throughput index: 1 would be the peak of a direct convolution.
    pub wti: f64,
}

/// The way of a find.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvFind {
    /// `DYNAMIC_HYBRID` by default, `HYBRID`, `FAST` or `NORMAL`.
    pub mode: String,
    /// Whether the mode is `NORMAL` because of `MIOPEN_FIND_ENFORCE`.
    pub enforced: bool,
    /// Whether the record of the installed find-db is taken; a normal find asks the user's alone.
    pub reads_installed: bool,
    /// Numbers of the only solvers that are searched; none where all are.
    pub only: Option<Vec<u16>>,
    /// Whether a miss is answered without a measurement, as the immediate mode does.
    pub at_once: bool,
    /// Why a find refuses the problem in every mode; the immediate mode answers it.
    pub refuses: Option<String>,
}

/// What FAST and immediate mode go by on a miss.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvImmediate {
    /// Whether the first of `estimates` is their answer. False where a model is asked that takes the problem, or where they fail.
    pub estimates_decide: bool,
    /// The solver that they take; none where it is not known, or where they fail.
    pub first: Option<String>,
    /// The solvers that the model names and that can be taken, the likeliest first.
    pub named: Vec<String>,
    /// Why they fail.
    pub fails: Option<String>,
    /// The processor of the model (TunaNet) that is asked; none where a variable turns it off.
    pub model: Option<String>,
    /// Why the model does not take the problem.
    pub refuses: Option<String>,
    /// Whether the folder of databases has the model's files; none where there is no folder.
    pub files_are_here: Option<bool>,
    /// How all but `files_are_here`, which is observed, is known.
    pub evidence: Evidence,
}

/// Of which release of MIOpen the rules are that answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRules {
    /// The release that is asked: the one that was named, that the tree states, or that is assumed.
    pub miopen: String,
    /// The release whose rules answer.
    pub rules_of: String,
    /// Whether these are the same, so that every rule was read in the release that is asked.
    pub exact: bool,
    /// The changes of later releases that the rules have, up to the one that is asked.
    pub later: Vec<ConvRulesChange>,
}

/// A change of a later release that the rules have.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRulesChange {
    /// The first release that has it.
    pub since: String,
    /// What changed.
    pub what: String,
}

/// An assumption.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvAssumption {
    /// Of what.
    pub name: String,
    /// What.
    pub value: String,
    /// How it is known.
    pub evidence: Evidence,
}
