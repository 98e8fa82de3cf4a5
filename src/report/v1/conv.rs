//! MIOpen's choice for a convolution.

use super::{DatabaseChoice, Described, Document, Evidence, Found, GemmReport, Header, Statement};
use serde::Serialize;

/// What MIOpen does with a convolution.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// Compute units; from gfx10 on, workgroup processors.
    pub compute_units: u32,
    /// The problem's key as in find-dbs.
    pub key: String,
    /// The problem in words, as its forward convolution.
    pub problem: String,
    /// Whether a record of the find-db decides.
    pub outcome: ConvOutcome,
    /// The solver that MIOpen takes on a hit; `null` on a miss, since MIOpen then measures.
    pub pick: Option<ConvPick>,
    /// The databases that MIOpen would open for the device.
    pub databases: Vec<ConvDatabase>,
    /// The solvers in the record, fastest first.
    pub recorded: Vec<ConvRecorded>,
    /// Solvers that accept the problem, in the order of the registry.
    pub candidates: Vec<ConvCandidate>,
    /// Solvers that refuse it, in the order of the registry.
    pub rejected: Vec<ConvRejected>,
    /// Whether a find searches only Winograd solvers.
    pub only_winograd: bool,
    /// How the find works in the given environment.
    pub find: ConvFind,
    /// Solvers in the order of FAST and immediate mode on a miss, by MIOpen's own estimates; these are no
    /// measurements. If a model accepts the problem (`immediate`), these modes ask it first.
    pub estimates: Vec<ConvEstimate>,
    /// What FAST and immediate mode use on a miss.
    pub immediate: ConvImmediate,
    /// The four layers: what is built, what selects, what it falls back to, what is shipped.
    pub layers: Vec<Statement>,
    /// The release of MIOpen whose rules give the answer.
    pub rules: ConvRules,
    /// What the answer is based on.
    pub statements: Vec<Statement>,
    /// Assumptions about device, build and environment.
    pub assumptions: Vec<ConvAssumption>,
    /// What rocBLAS chooses for the product of a GEMM solver, if MIOpen takes one.
    pub gemm: Option<Box<GemmReport>>,
    /// What bytes cannot show here.
    pub not_shown: Vec<String>,
}

impl Described for ConvReport {
    const DOCUMENT: Document =
        Document { name: "select-conv", version: "2.3.0", about: "A choice of MIOpen: `select conv`." };
}

/// Whether a record of the find-db decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConvOutcome {
    /// A record names the solver.
    Hit,
    /// No record does: MIOpen measures.
    Miss,
}

/// The solver that MIOpen takes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvPick {
    /// Name of the solver.
    pub solver: String,
    /// Number of the solver in the registry.
    pub id: Option<u16>,
    /// `Direct`, `Winograd`, …
    pub algorithm: String,
    /// Recorded time in milliseconds.
    pub time_ms: f32,
    /// Bytes of workspace.
    pub workspace: u64,
    /// Path of the find-db.
    pub file: String,
    /// Line of the record in the find-db.
    pub line: u64,
    /// Its kernel.
    pub kernel: ConvKernel,
}

/// What is known of a solver's kernel before it is compiled.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvKernel {
    /// Its parameters as a perf-db writes them; `null` where it has none, or they are not written down here.
    pub parameters: Option<String>,
    /// The same by their names in MIOpen's source, in the same order; empty where the names are not written
    /// down here.
    pub named: Vec<ConvParameter>,
    /// Where the parameters are from.
    pub parameters_by: Option<ConvParametersBy>,
    /// The perf-db with these parameters.
    pub parameters_from: Option<String>,
    /// Whether only a build that reads SQLite perf-dbs has them; the default build reads text.
    pub parameters_in_sqlite_builds_only: bool,
    /// The file of MIOpen's sources with the main kernel; `null` where it is not written down here.
    pub source: Option<String>,
    /// How the main kernel is launched; `null` where it is not written down here, or depends on parameters
    /// that are not known.
    pub launch: Option<ConvLaunch>,
    /// Kernels of that file in the kernel database that MIOpen opens. With 0 the kernel is compiled; else the
    /// options of its compilation decide. `null` without such a database, or where it cannot be read.
    pub built: Option<u64>,
    /// Those of them with the parameters, and for assembly the batch, among the options of their compilation;
    /// with 0 the kernel is compiled. `null` as before, and for solvers whose options do not tell them.
    pub built_alike: Option<u64>,
}

/// A launch of a kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvLaunch {
    /// Name of the kernel in its file.
    pub kernel: String,
    /// Work items in each dimension.
    pub work_items: [u64; 3],
    /// Work items of a work group in each dimension.
    pub work_group: [u64; 3],
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvParameter {
    /// Name in MIOpen's source.
    pub name: String,
    /// Value as a perf-db writes it.
    pub value: String,
}

/// Where parameters are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConvParametersBy {
    /// The perf-db that MIOpen opens.
    PerfDb,
    /// The solver's own heuristic, since no perf-db has a row.
    Heuristic,
    /// A model beside the databases, since no perf-db has a row.
    Model,
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
    /// Recorded solvers from the user's own find-db.
    UserFindDb,
}

impl ConvDatabaseKind {
    /// The kind in words.
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
    /// The state in words.
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
    /// Contents and form of the database.
    pub kind: ConvDatabaseKind,
    /// Whether MIOpen finds it.
    pub state: DatabaseChoice,
    /// The file.
    pub file: Option<String>,
    /// The file name that MIOpen looks for.
    pub wanted: String,
}

/// What MIOpen does with a recorded solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordVerdict {
    /// MIOpen takes it.
    Taken,
    /// MIOpen could take it, but another is faster.
    Slower,
    /// MIOpen ignores it.
    Skipped,
}

/// A solver of a record.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRecorded {
    /// Name of the solver.
    pub solver: String,
    /// Algorithm family of the solver.
    pub algorithm: String,
    /// Recorded time in milliseconds.
    pub time_ms: f32,
    /// Bytes of workspace.
    pub workspace: u64,
    /// What MIOpen does with the solver.
    pub verdict: RecordVerdict,
    /// Why MIOpen ignores it.
    pub because: Option<String>,
}

/// A solver that accepts the problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvCandidate {
    /// Number of the solver in the registry.
    pub id: u16,
    /// Name of the solver.
    pub solver: String,
    /// Algorithm family of the solver.
    pub algorithm: String,
    /// Whether it needs no compilation for each problem.
    pub dynamic: bool,
    /// Whether the find measures it on a miss.
    pub measured: bool,
    /// Bytes of workspace it needs; `null` if unknown.
    pub workspace: Option<u64>,
    /// Its kernel.
    pub kernel: ConvKernel,
    /// Source of the workspace rule.
    pub workspace_source: Option<String>,
    /// What the rule leaves out, if it may accept too much.
    pub superset: Option<String>,
}

/// A solver that refuses the problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRejected {
    /// Number of the solver in the registry.
    pub id: u16,
    /// Name of the solver.
    pub solver: String,
    /// Algorithm family of the solver.
    pub algorithm: String,
    /// Name of the clause that refuses.
    pub clause: String,
    /// The reason, in words.
    pub because: String,
    /// Source of the clause.
    pub source: String,
}

/// MIOpen's estimate for a solver.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvEstimate {
    /// The solver.
    pub solver: String,
    /// MIOpen's weighted throughput index: 1 would be the peak of a direct convolution.
    pub wti: f64,
}

/// How a find works.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvFind {
    /// `DYNAMIC_HYBRID` by default, `HYBRID`, `FAST` or `NORMAL`.
    pub mode: String,
    /// Whether the mode is `NORMAL` because of `MIOPEN_FIND_ENFORCE`.
    pub enforced: bool,
    /// Whether the find uses the installed find-db's record; a normal find uses only the user's.
    pub reads_installed: bool,
    /// Numbers of the only solvers that are searched; `null` for all.
    pub only: Option<Vec<u16>>,
    /// Whether MIOpen answers a miss without measuring, as immediate mode does.
    pub at_once: bool,
    /// Why a find refuses the problem in every mode; immediate mode answers it.
    pub refuses: Option<String>,
}

/// What FAST and immediate mode use on a miss.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvImmediate {
    /// Whether they answer with the first of `estimates`. False if they ask a model that accepts the problem,
    /// or if they fail.
    pub estimates_decide: bool,
    /// The solver that they take; `null` if unknown or if they fail.
    pub first: Option<String>,
    /// The applicable solvers that the model names, likeliest first.
    pub named: Vec<String>,
    /// Why they fail.
    pub fails: Option<String>,
    /// The processor of the model (TunaNet) that they ask; `null` if a variable turns it off.
    pub model: Option<String>,
    /// Why the model refuses the problem.
    pub refuses: Option<String>,
    /// Whether the folder of databases has the model's files; `null` without a folder.
    pub files_are_here: Option<bool>,
    /// How everything except `files_are_here` (which is observed) is known.
    pub evidence: Evidence,
}

/// The release of MIOpen whose rules give the answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRules {
    /// The release the question is about: named by the user, stated by the tree, or assumed.
    pub miopen: String,
    /// The release whose rules answer.
    pub rules_of: String,
    /// Whether both are equal, so that every rule was read in this release.
    pub exact: bool,
    /// Changes from later releases that the rules include, up to the release in question.
    pub later: Vec<ConvRulesChange>,
    /// Known changes up to the release in question that the rules do not have.
    pub undecided: Vec<ConvRulesChange>,
}

/// A change in a later release.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRulesChange {
    /// The first release with the change.
    pub since: String,
    /// What changed.
    pub what: String,
}

/// An assumption.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvAssumption {
    /// What the assumption is about.
    pub name: String,
    /// The assumed value.
    pub value: String,
    /// How the value is known.
    pub evidence: Evidence,
}
