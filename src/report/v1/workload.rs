//! The document of `workload`.

use super::{Described, Document, Evidence, Found, Header, Statement};
use serde::Serialize;
use std::collections::BTreeMap;

/// What libraries do with a list of products, convolutions and attentions on a card.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
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
    /// Variables that MIOpen is taken to see.
    pub environment: BTreeMap<String, String>,
    /// Number of lines in the file.
    pub lines: WorkloadLines,
    /// Number of distinct problems.
    pub problems: u64,
    /// Number of calls: the sum of the problems' weights.
    pub calls: u64,
    /// Floating-point operations of all calls.
    pub flops: u64,
    /// The folder of rocBLAS's catalogs for the target; `null` if not found.
    pub rocblas: Option<String>,
    /// The folder of hipBLASLt's catalogs for the target; `null` if not found.
    pub hipblaslt: Option<String>,
    /// Whether MIOpen's find-db for the device was found.
    pub find_db: bool,
    /// Whether the build of MIOpen opens no databases of the installation, so that none is found by it.
    pub without_databases: bool,
    /// ggml's library; `null` if it was not found or no problem needs it.
    pub ggml: Option<String>,
    /// The ways, ordered by share of operations, largest first.
    pub ways: Vec<WorkloadWay>,
    /// The problems, ordered by share of operations, largest first.
    pub rows: Vec<WorkloadProblem>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
}

impl Described for WorkloadReport {
    const DOCUMENT: Document = Document {
        name: "workload",
        version: "1.3.0",
        about: "What becomes of a list of products, convolutions and attentions: `workload`.",
    };
}

/// Line counts of a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadLines {
    /// Lines that are not empty.
    pub all: u64,
    /// Lines that begin like a problem but are malformed.
    pub wrong: u64,
    /// Lines without a problem.
    pub other: u64,
}

/// A way in which libraries handle problems.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadWay {
    /// `rocBLAS`, `MIOpen`, `ggml` or `hipBLASLt`.
    pub library: String,
    /// `tuned`, `fallback`, `nothing`, `at-once`, `hit`, `measured`, `own-kernel`, `not-known`; for hipBLASLt
    /// `exact`, `near`, `far`, `fill`, `undetermined`, `fails`, `crash`, …
    pub kind: String,
    /// The way in words.
    pub way: String,
    /// Number of distinct problems.
    pub problems: u64,
    /// Number of calls.
    pub calls: u64,
    /// Share of floating-point operations, 0 to 1.
    pub flops_share: f64,
}

/// A problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadProblem {
    /// Number of the first line that states it.
    pub line: u64,
    /// Number of lines that state it.
    pub lines: u64,
    /// Number of calls.
    pub calls: u64,
    /// The library that handles it.
    pub library: String,
    /// The problem in words; for MIOpen the find-db key.
    pub problem: String,
    /// Floating-point operations of one call.
    pub flops: u64,
    /// Share of all operations, 0 to 1.
    pub flops_share: f64,
    /// Kind of the way.
    pub kind: String,
    /// The way in words.
    pub way: String,
    /// Kernels or solver that the library takes.
    pub taken: Vec<String>,
    /// Distance from the tuned size, if the answer came from a table: for rocBLAS as Tensile computes it, for
    /// hipBLASLt the largest ratio between M, N or K and the tuned size.
    pub distance: Option<f64>,
    /// How the answer is known.
    pub evidence: Evidence,
}
