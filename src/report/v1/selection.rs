//! What libraries choose before and after a change, as `diff` says it.

use super::Evidence;
use serde::Serialize;

/// What libraries choose for a list of problems before and now.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionChanges {
    /// The file of the problems, as the call names it; `reference` for the list that the program has.
    pub problems: String,
    /// Lines of it that are wrong.
    pub wrong_lines: u64,
    /// One row for each target that was asked about.
    pub targets: Vec<SelectionTarget>,
    /// Problems that are answered otherwise than before, what got worse first.
    pub changed: Vec<SelectionChange>,
}

/// What became of the problems on a target.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionTarget {
    /// The target ID; of two targets of one tree both, with an arrow between them.
    pub target: String,
    /// Multiprocessors as HIP counts them.
    pub multiprocessors: u32,
    /// Whether their number is assumed.
    pub multiprocessors_assumed: bool,
    /// Problems whose answers are known on both sides.
    pub compared: u64,
    /// Those that are answered as before.
    pub same: u64,
    /// Those that are answered worse.
    pub worse: u64,
    /// Those that are answered better.
    pub better: u64,
    /// Those that another kernel or solver of the same kind answers.
    pub other: u64,
    /// Those whose kernels have other names that state the same.
    pub renamed: u64,
    /// What was not compared.
    pub not_compared: Vec<SelectionGap>,
}

/// Problems of a library that were not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionGap {
    /// The library.
    pub library: String,
    /// How many problems.
    pub problems: u64,
    /// Why, in a sentence.
    pub why: String,
}

/// A problem that is answered otherwise than before.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionChange {
    /// As in the row of the target.
    pub target: String,
    /// The library.
    pub library: String,
    /// The problem, in words.
    pub problem: String,
    /// The first line of the file that states it.
    pub line: u64,
    /// How often it is made.
    pub calls: u64,
    /// Its share of the floating-point operations of all problems of the file.
    pub flops_share: f64,
    /// Whether that is worse.
    pub verdict: SelectionVerdict,
    /// What answered it.
    pub before: SelectionAnswer,
    /// What answers it.
    pub after: SelectionAnswer,
}

/// How an answer stands to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SelectionVerdict {
    /// A worse kind: from tuned to fallback, from present to absent.
    Worse,
    /// Another kernel or solver of the same kind. Which is faster no file says.
    Other,
    /// A better kind.
    Better,
    /// A kernel of the same kind under another name of Tensile's, which states the same wherever both names state something: later
    /// releases write more into names.
    Renamed,
}

/// An answer of a library.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionAnswer {
    /// Its kind, as in the report of `workload`: `tuned`, `fallback`, `nothing`.
    pub kind: String,
    /// The same in words.
    pub way: String,
    /// Kernels or solvers that are taken.
    pub taken: Vec<String>,
    /// How far the size is from the one that was tuned, where a table says so.
    pub distance: Option<f64>,
    /// How it is known.
    pub evidence: Evidence,
}
