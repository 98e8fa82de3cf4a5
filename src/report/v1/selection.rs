//! Changes in what libraries choose, as part of `diff`.

use super::Evidence;
use serde::Serialize;

/// What libraries choose for a list of problems, before and after.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionChanges {
    /// The file of problems as the call names it; `reference` for the built-in list.
    pub problems: String,
    /// Number of malformed lines in the file.
    pub wrong_lines: u64,
    /// One row for each target.
    pub targets: Vec<SelectionTarget>,
    /// Problems with changed answers; regressions come first.
    pub changed: Vec<SelectionChange>,
}

/// Counts of a target's answers.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionTarget {
    /// The target ID; for two targets of one tree, both with an arrow between them.
    pub target: String,
    /// Multiprocessors as HIP counts them.
    pub multiprocessors: u32,
    /// Whether their number is assumed.
    pub multiprocessors_assumed: bool,
    /// Number of problems with known answers on both sides.
    pub compared: u64,
    /// Number of unchanged answers.
    pub same: u64,
    /// Number of worse answers.
    pub worse: u64,
    /// Number of better answers.
    pub better: u64,
    /// Number of answers with another kernel or solver of the same kind.
    pub other: u64,
    /// Number of answers whose kernels changed only their names.
    pub renamed: u64,
    /// Problems that were not compared.
    pub not_compared: Vec<SelectionGap>,
}

/// Problems of a library that were not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionGap {
    /// The library.
    pub library: String,
    /// Number of problems.
    pub problems: u64,
    /// The reason, in a sentence.
    pub why: String,
}

/// A problem with a changed answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionChange {
    /// The target, as in its row.
    pub target: String,
    /// The library.
    pub library: String,
    /// The problem, in words.
    pub problem: String,
    /// Number of the first line that states it.
    pub line: u64,
    /// Number of calls.
    pub calls: u64,
    /// Share of the floating-point operations of all problems in the file.
    pub flops_share: f64,
    /// How the answers compare.
    pub verdict: SelectionVerdict,
    /// The old answer.
    pub before: SelectionAnswer,
    /// The new answer.
    pub after: SelectionAnswer,
}

/// How a new answer compares with the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SelectionVerdict {
    /// A worse kind: from tuned to fallback, from present to absent.
    Worse,
    /// Another kernel or solver of the same kind; the files do not show which is faster.
    Other,
    /// A better kind.
    Better,
    /// A kernel of the same kind with another Tensile name that agrees wherever both names state a parameter;
    /// later releases write more into names.
    Renamed,
}

/// An answer of a library.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionAnswer {
    /// Kind of the answer, as in the report of `workload`: `tuned`, `fallback`, `nothing`.
    pub kind: String,
    /// The kind in words.
    pub way: String,
    /// Kernels or solvers that the library takes.
    pub taken: Vec<String>,
    /// Distance from the tuned size, if the answer came from a table.
    pub distance: Option<f64>,
    /// How the answer is known.
    pub evidence: Evidence,
}
