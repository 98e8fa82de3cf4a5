//! Answers to the lines of a file of problems, one line of JSON for each.

use super::{ConvEstimate, ConvOutcome, Described, Document, KernelLaunch};
use serde::Serialize;

/// What rocBLAS does for one problem of `select gemm --problems`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmLine<'a> {
    /// The problem's own name.
    pub id: &'a str,
    /// Tensile's index of the solution.
    pub solution: Option<u32>,
    /// Whether rocBLAS treats the call as a product of a matrix and a vector and launches its own kernel.
    pub gemv: bool,
    /// The kernel that rocBLAS chooses.
    pub kernel: Option<&'a str>,
    /// The code object that holds the kernel by Tensile's naming rule.
    pub code_object: Option<&'a str>,
    /// The file that supplies the kernel.
    pub loaded_from: Option<&'a str>,
    /// The launches in their order.
    pub launches: Vec<KernelLaunch>,
    /// `rocblas_status`.
    pub status: i32,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
    /// Whether the solution is a fallback for every target.
    pub fallback: bool,
    /// Distance from the tuned size, if the choice came from a table.
    pub distance: Option<f64>,
}

impl Described for GemmLine<'_> {
    const DOCUMENT: Document = Document {
        name: "select-gemm-answer",
        version: "2.1.0",
        about: "An answer to a line of `select gemm --problems`.",
    };
}

/// What MIOpen does with one problem of `select conv --problems`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvLine<'a> {
    /// The problem's own name, of any JSON type.
    pub id: &'a serde_json::Value,
    /// The release of MIOpen that the question is about.
    pub miopen: String,
    /// The release whose rules answer.
    pub rules_of: String,
    /// Whether a record of the find-db decides.
    pub outcome: ConvOutcome,
    /// The solver that MIOpen takes on a hit.
    pub pick: Option<&'a str>,
    /// The deciding line of the find-db.
    pub line: Option<u64>,
    /// Solvers that accept the problem, in the order of the registry.
    pub candidates: Vec<&'a str>,
    /// The candidates that the default find mode measures on a miss.
    pub measured: Vec<&'a str>,
    /// Solvers that refuse the problem, in the order of the registry; only with `-v`, since they take most of
    /// a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Vec<ConvRefusal<'a>>>,
    /// Mode of the find.
    pub mode: &'static str,
    /// Solvers in the order of FAST and immediate mode on a miss, by MIOpen's own estimates.
    pub estimates: Vec<ConvEstimate>,
    /// Whether these modes answer with the first of them; false if they ask a model first.
    pub estimates_decide: bool,
    /// The solver that these modes take on a miss, by the model or by the estimates; `null` if unknown.
    pub at_once: Option<&'a str>,
}

impl Described for ConvLine<'_> {
    const DOCUMENT: Document = Document {
        name: "select-conv-answer",
        version: "2.1.0",
        about: "An answer to a line of `select conv --problems`.",
    };
}

/// A solver that refuses a problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRefusal<'a> {
    /// Name of the solver.
    pub name: &'a str,
    /// Name of the clause that refuses.
    pub clause: &'a str,
    /// The reason, in words.
    pub because: &'a str,
}

/// The error in a line of `--problems`, in place of its answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemError<'a> {
    /// The file of problems.
    pub path: &'a str,
    /// Number of the line, from 1.
    pub line: u64,
    /// The error as a sentence.
    pub error: &'a str,
}
