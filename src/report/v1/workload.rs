//! What `workload` says.

use super::{Evidence, Found, Header, Statement};
use serde::Serialize;

/// What becomes of a list of products, convolutions and attentions on a card.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The file.
    pub file: String,
    /// The target.
    pub target: String,
    /// Multiprocessors: compute units, or work group processors on RDNA.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// What the file has.
    pub lines: WorkloadLines,
    /// Different problems.
    pub problems: u64,
    /// How often problems are made: the sum of their weights.
    pub calls: u64,
    /// Floating-point operations of all.
    pub flops: u64,
    /// The folder of rocBLAS's catalogs for the target; nothing where none was found.
    pub rocblas: Option<String>,
    /// The folder of hipBLASLt's catalogs for the target; nothing where none was found.
    pub hipblaslt: Option<String>,
    /// Whether a find-db of MIOpen's for the device was found.
    pub find_db: bool,
    /// ggml's library; nothing where none was found, or no problem is of ggml's.
    pub ggml: Option<String>,
    /// The ways, the largest share of operations first.
    pub ways: Vec<WorkloadWay>,
    /// The problems, the largest share of operations first.
    pub rows: Vec<WorkloadProblem>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
}

/// Lines of a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadLines {
    /// Lines that are not empty.
    pub all: u64,
    /// Those that are wrong: they begin as a problem and are none.
    pub wrong: u64,
    /// Those that state no problem.
    pub other: u64,
}

/// A way that problems go.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadWay {
    /// `rocBLAS`, `MIOpen`, `ggml` or `hipBLASLt`.
    pub library: String,
    /// `tuned`, `fallback`, `nothing`, `at-once`, `hit`, `measured`, `own-kernel`, `not-known`; of hipBLASLt `exact`, `near`, `far`,
    /// `fill`, `undetermined`, `fails`, `crash`, …
    pub kind: String,
    /// In words.
    pub way: String,
    /// Different problems.
    pub problems: u64,
    /// How often they are made.
    pub calls: u64,
    /// Share of floating-point operations, 0 to 1.
    pub flops_share: f64,
}

/// A problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadProblem {
    /// The first line that states it.
    pub line: u64,
    /// Lines that state it.
    pub lines: u64,
    /// How often it is made.
    pub calls: u64,
    /// The library that is asked.
    pub library: String,
    /// The problem in words: of MIOpen the key of its find-db.
    pub problem: String,
    /// Floating-point operations of one.
    pub flops: u64,
    /// Share of all operations, 0 to 1.
    pub flops_share: f64,
    /// The kind of way.
    pub kind: String,
    /// The way in words.
    pub way: String,
    /// Kernels or solver.
    pub taken: Vec<String>,
    /// Distance from the tuned size, where a table was asked: of rocBLAS as Tensile computes it, of hipBLASLt the largest ratio
    /// between M, N or K and the size that was tuned.
    pub distance: Option<f64>,
    /// How it is known.
    pub evidence: Evidence,
}
