//! Answers to the lines of a file of problems, one line of JSON for each.

use super::{ConvEstimate, ConvOutcome, KernelLaunch};
use serde::Serialize;

/// What rocBLAS does for one problem of `select gemm --problems`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmLine<'a> {
    /// The problem's own name.
    pub id: &'a str,
    /// Tensile's index of the solution.
    pub solution: Option<u32>,
    /// Whether rocBLAS takes the call for a product of a matrix and a vector, and launches a kernel of its own.
    pub gemv: bool,
    /// The kernel.
    pub kernel: Option<&'a str>,
    /// The code object by rule.
    pub code_object: Option<&'a str>,
    /// The file that supplies the kernel.
    pub loaded_from: Option<&'a str>,
    /// The launches in their order.
    pub launches: Vec<KernelLaunch>,
    /// `rocblas_status`.
    pub status: i32,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
    /// Whether it is a fallback for every target.
    pub fallback: bool,
    /// Distance from the tuned size, where a table was asked.
    pub distance: Option<f64>,
}

/// What MIOpen does with one problem of `select conv --problems`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvLine<'a> {
    /// The problem's own name, of whatever type it has.
    pub id: &'a serde_json::Value,
    /// The release of MIOpen that is asked.
    pub miopen: String,
    /// The release whose rules answer.
    pub rules_of: String,
    /// Whether a record of the find-db decides.
    pub outcome: ConvOutcome,
    /// The solver that is taken on a hit.
    pub pick: Option<&'a str>,
    /// The line of the find-db that decides.
    pub line: Option<u64>,
    /// Solvers that take the problem, in the order of the registry.
    pub candidates: Vec<&'a str>,
    /// Those of them that the default find mode measures on a miss.
    pub measured: Vec<&'a str>,
    /// Solvers that do not take it, in the order of the registry; only with `-v`, since they are most of a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Vec<ConvRefusal<'a>>>,
    /// The mode of the find.
    pub mode: &'static str,
    /// The order of FAST and immediate mode on a miss, by MIOpen's own estimates.
    pub estimates: Vec<ConvEstimate>,
    /// Whether the first of them is the answer of these modes; false where a model is asked first.
    pub estimates_decide: bool,
    /// What these modes take on a miss, by the model or by the estimates; none where that is not known.
    pub at_once: Option<&'a str>,
}

/// A solver that does not take a problem.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvRefusal<'a> {
    /// Its name.
    pub name: &'a str,
    /// The clause that refuses.
    pub clause: &'a str,
    /// Why.
    pub because: &'a str,
}

/// What is wrong with a line of `--problems`, in place of its answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemError<'a> {
    /// The file of problems.
    pub path: &'a str,
    /// The line, counted from 1.
    pub line: u64,
    /// A sentence.
    pub error: &'a str,
}
