//! What hipBLASLt gives for a matrix product.

use super::{Described, Document, Found, Header, KernelLaunch, Statement};
use serde::Serialize;

/// The algorithms that hipBLASLt gives for a call, and what the first of them launches.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// Number of multiprocessors as HIP counts them; `null` if the catalogs do not use it.
    pub multiprocessors: Option<u32>,
    /// The call in words: `TN 4096 × 512 × 4096, f16 × f16 → f16 in f32, GELU_BIAS`.
    pub call: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The first catalog of the choice.
    pub first_catalog: String,
    /// What decides the first algorithm.
    pub decided: MatmulDecided,
    /// The answer in a sentence.
    pub answer: String,
    /// Number of algorithms that the caller requests.
    pub requested: u64,
    /// Number of algorithms that hipBLASLt returns.
    pub returned: u64,
    /// How many of them have a place decided by the tables; the others are ordered by heap addresses.
    pub fixed: u64,
    /// The algorithms in the order of a fresh process, 64 at most.
    pub algorithms: Vec<MatmulAlgorithm>,
    /// Indices of the solutions that fill up the list; the files do not determine which come first.
    pub fill: Vec<u32>,
    /// The code object that holds the first algorithm by Tensile's naming rule.
    pub code_object: Option<String>,
    /// Its launches in order, up to the first that fails.
    pub launches: Vec<KernelLaunch>,
    /// A kernel that no file contains.
    pub missing_kernel: Option<String>,
    /// The status (hipblasStatus_t) of `hipblasLtMatmul` for the first algorithm; `null` without an
    /// algorithm.
    pub run_status: Option<i32>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
    /// The steps of the choice.
    pub walk: Vec<String>,
    /// Number of candidates left out of the walk.
    pub walk_dropped: u64,
}

impl Described for MatmulReport {
    const DOCUMENT: Document = Document {
        name: "select-matmul",
        version: "1.1.0",
        about: "A choice of hipBLASLt: `select matmul`.",
    };
}

/// What decides the first algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MatmulDecided {
    /// The tables of tuned sizes.
    Tables,
    /// By a model's ranking, where no table decides.
    Ranked,
    /// The tables give none, and one solution only can solve the problem.
    OneCandidate,
    /// The tables contain no match, and several solutions can solve it: heap addresses decide their order.
    Undetermined,
    /// There is no algorithm.
    None,
    /// The catalogs contain something that this tool does not know.
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
    /// Bytes of workspace it needs.
    pub workspace_bytes: u64,
    /// Kernel of the solution.
    pub kernel: String,
    /// Name of the solution, more specific than the kernel's: several solutions launch one kernel.
    pub name: String,
    /// The catalog that contains it.
    pub catalog: Option<String>,
    /// M, N, batch and K it was tuned for, if it came from a table.
    pub tuned: Option<[u64; 4]>,
    /// Rows and columns of D that a work group computes, and the depth of K for each step.
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
    /// Status (hipblasStatus_t) that the heuristic returns.
    pub status: i32,
    /// The solutions in the order of a fresh process.
    pub solutions: Vec<u32>,
    /// Bytes of workspace for each.
    pub ws_req: Vec<u64>,
    /// Number of solutions whose place the tables decide.
    pub fixed: u64,
    /// Indices of all candidates that fill up the list; empty if the tables contain enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fill: Vec<u32>,
    /// Status of launching the first solution; `null` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_status: Option<i32>,
    /// Launches of the first solution: kernel, work items, work items of a group, file.
    pub launches: Vec<MatmulLaunch>,
    /// Content that this tool does not know; the solutions after the fixed ones are then unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_known: Option<&'a str>,
    /// Whether rules decided that were read in a source and compared with no library; left out where none
    /// did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_source: bool,
}

impl Described for MatmulLine<'_> {
    const DOCUMENT: Document = Document {
        name: "select-matmul-answer",
        version: "1.1.0",
        about: "An answer to a line of `select matmul --problems`.",
    };
}

/// A launch: kernel, work items, work items of a group, file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulLaunch(pub String, pub WorkItems, pub u32, pub Option<String>);

/// Work items in one dimension, or in three.
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
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The catalogs, by types and transpositions.
    pub catalogs: Vec<MatmulTable>,
}

impl Described for MatmulCoverage {
    const DOCUMENT: Document = Document {
        name: "select-matmul-coverage",
        version: "1.0.1",
        about: "Sizes that hipBLASLt was tuned for: `select matmul --coverage`.",
    };
}

/// A catalog and the sizes it was tuned for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulTable {
    /// Data types: `f16 × f16 → f16 in f32`.
    pub types: String,
    /// Transpositions: `TN`.
    pub transposes: String,
    /// Further operations that its kernels fuse with the product.
    pub parts: Vec<&'static str>,
    /// File name of the catalog.
    pub catalog: String,
    /// Number of solutions.
    pub solutions: u64,
    /// Number of exact sizes.
    pub exact: u64,
    /// Number of grid sizes.
    pub grid: u64,
    /// Number of nodes that this tool does not know.
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
    /// Whether everything could be read, and the findings.
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
    /// The cells for each M.
    pub rows: Vec<Vec<MatmulCell>>,
    /// Number of cells of each kind.
    pub kinds: std::collections::BTreeMap<&'static str, u64>,
}

impl Described for MatmulMap {
    const DOCUMENT: Document = Document {
        name: "select-matmul-map",
        version: "1.0.1",
        about: "How far sizes are from those that were tuned: `select matmul --map`.",
    };
}

/// A size in a map.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatmulCell {
    /// `exact`, `near` (within a factor of 2 in M, N and K), `far`, `fill`, `nothing` or `not-known`.
    pub kind: &'static str,
    /// Largest ratio between M, N or K and the tuned size.
    pub ratio: Option<f64>,
    /// The solution that comes first in a fresh process.
    pub solution: Option<u32>,
}
