//! What hipBLASLt gives for a matrix product.

use super::{Found, Header, KernelLaunch, Statement};
use serde::Serialize;

/// The algorithms that hipBLASLt gives for a call, and what the first of them launches.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// What HIP calls multiprocessors; none where the catalogs do not ask for their number.
    pub multiprocessors: Option<u32>,
    /// The call in words: `TN 4096 × 512 × 4096, f16 × f16 → f16 in f32, GELU_BIAS`.
    pub call: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The catalog that the choice begins with.
    pub first_catalog: String,
    /// How the first algorithm is decided.
    pub decided: MatmulDecided,
    /// The answer in a sentence.
    pub answer: String,
    /// Algorithms that are asked for.
    pub requested: u64,
    /// Algorithms that are given.
    pub returned: u64,
    /// How many of them stand at their place by the tables; the order of the others is that of heap addresses.
    pub fixed: u64,
    /// The algorithms in the order of a fresh process, at most 64.
    pub algorithms: Vec<MatmulAlgorithm>,
    /// The solutions that the list is filled up with, by index; which of them come first is no property of the files.
    pub fill: Vec<u32>,
    /// The code object of the first algorithm by rule.
    pub code_object: Option<String>,
    /// Its launches in their order; none behind one that fails.
    pub launches: Vec<KernelLaunch>,
    /// A kernel that nothing supplies.
    pub missing_kernel: Option<String>,
    /// What `hipblasLtMatmul` returns for the first algorithm, as hipblasStatus_t; none where there is none.
    pub run_status: Option<i32>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
    /// The steps of the choice.
    pub walk: Vec<String>,
    /// Candidates beyond those in the walk.
    pub walk_dropped: u64,
}

/// How the first algorithm is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MatmulDecided {
    /// By the tables of tuned sizes.
    Tables,
    /// By a model's ranking, where no table decides.
    Ranked,
    /// The tables give none, and one solution only can solve the problem.
    OneCandidate,
    /// The tables give none, and several can: their order is that of heap addresses.
    Undetermined,
    /// There is none.
    None,
    /// The catalogs hold something that this tool does not know.
    NotKnown,
    /// No catalog decides: a kernel is compiled at run time.
    RunTimeCompiler,
}

/// An algorithm.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulAlgorithm {
    /// The index of the solution.
    pub solution: u32,
    /// Whether the tables decide its place.
    pub fixed: bool,
    /// Bytes of workspace that it needs.
    pub workspace_bytes: u64,
    /// Its kernel.
    pub kernel: String,
    /// Its name, which says more than the kernel's: several solutions launch one kernel.
    pub name: String,
    /// The catalog that it stands in.
    pub catalog: Option<String>,
    /// M, N, batch and K that it was tuned for, where a table gave it.
    pub tuned: Option<[u64; 4]>,
    /// Rows and columns of D that a work group computes, and steps of K at once.
    pub tile: [u32; 3],
    /// Work groups that share one part of D.
    pub split: u32,
}

/// What hipBLASLt gives for one problem of `select matmul --problems`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulLine<'a> {
    /// The problem's own name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub id: &'a str,
    /// What the heuristic returns, as hipblasStatus_t.
    pub status: i32,
    /// The solutions in the order of a fresh process.
    pub solutions: Vec<u32>,
    /// Bytes of workspace that each needs.
    pub ws_req: Vec<u64>,
    /// How many of them the tables decide.
    pub fixed: u64,
    /// All candidates that the list is filled up with, by index; none where the tables gave enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fill: Vec<u32>,
    /// What launching the first returns; none where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_status: Option<i32>,
    /// What the first launches: kernel, work items, work items of a group, file.
    pub launches: Vec<MatmulLaunch>,
    /// What was met that this tool does not know; the list behind the fixed ones is not known then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_known: Option<&'a str>,
    /// Whether rules decided that were read in a source and compared with no library; left out where none did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_source: bool,
}

/// A launch: kernel, work items, work items of a group, file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulLaunch(pub String, pub WorkItems, pub u32, pub Option<String>);

/// Work items: of one dimension, or of three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum WorkItems {
    /// Along x.
    Line(u64),
    /// Along x, y and z.
    Grid([u64; 3]),
}

/// What the tables of a target were tuned for: `select matmul --coverage`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulCoverage {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The catalogs, by types and how the matrices enter.
    pub catalogs: Vec<MatmulTable>,
}

/// A catalog and the sizes that it was tuned for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulTable {
    /// Its types: `f16 × f16 → f16 in f32`.
    pub types: String,
    /// How the matrices enter: `TN`.
    pub transposes: String,
    /// What its kernels do beside the product.
    pub parts: Vec<&'static str>,
    /// Its name.
    pub catalog: String,
    /// Its solutions.
    pub solutions: u64,
    /// Exact sizes.
    pub exact: u64,
    /// Sizes of its grid.
    pub grid: u64,
    /// Nodes that this tool does not know.
    pub unknown_nodes: u64,
    /// Smallest and largest M.
    pub m: Option<[u64; 2]>,
    /// Smallest and largest N.
    pub n: Option<[u64; 2]>,
    /// Smallest and largest K.
    pub k: Option<[u64; 2]>,
}

/// How far sizes are from the tables, over M and N for one K: `select matmul --map`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulMap {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The call in words, without M and N.
    pub call: String,
    /// M of each row.
    pub m: Vec<u64>,
    /// N of each column.
    pub n: Vec<u64>,
    /// For each M its cells.
    pub rows: Vec<Vec<MatmulCell>>,
    /// Cells of each kind.
    pub kinds: std::collections::BTreeMap<&'static str, u64>,
}

/// A size in a map.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulCell {
    /// `exact`, `near` (within a factor of 2 in M, N and K), `far`, `fill`, `nothing` or `not-known`.
    pub kind: &'static str,
    /// The largest ratio between M, N or K and the size that was tuned.
    pub ratio: Option<f64>,
    /// The solution that comes first in a fresh process.
    pub solution: Option<u32>,
}
