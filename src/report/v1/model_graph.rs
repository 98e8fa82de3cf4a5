//! What `model` says of an ONNX file.

use super::{Claim, Finding, Header, Statement};
use serde::Serialize;
use std::collections::BTreeMap;

/// Which convolutions of a model MIOpen's find-db knows, and what rocBLAS has for its products.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelGraphReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The override that the answer takes as set: `--override`.
    pub claim: Option<Claim>,
    /// The file.
    pub file: String,
    /// The graph's name.
    pub graph: String,
    /// Who wrote the file.
    pub producer: String,
    /// Version of the standard operators.
    pub opset: u64,
    /// Nodes of the graph.
    pub nodes: u64,
    /// The batch that stands in for open first dimensions; nothing where the file's are taken.
    pub batch: Option<u64>,
    /// The type of data: `FP32`, `FP16`, `BF16`.
    pub data: String,
    /// The target.
    pub target: String,
    /// Multiprocessors: compute units, or work group processors on RDNA.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// What it comes to, in words.
    pub verdict: String,
    /// Convolutions.
    pub convolutions: GraphConvolutions,
    /// Matrix products.
    pub products: GraphProducts,
    /// Nodes that compute products or attention of which nothing is asked, by operator: `com.microsoft.GroupQueryAttention`.
    pub unasked: BTreeMap<String, u64>,
    /// Nodes whose problem is not known.
    pub unknown: u64,
    /// The nodes, in the order of the graph.
    pub rows: Vec<GraphNode>,
    /// What should make a reader careful, the worst first.
    pub findings: Vec<Finding>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
}

/// Convolutions of a graph.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphConvolutions {
    /// How many there are.
    pub count: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Whether a find-db for the device was found.
    pub asked: bool,
    /// Those with a record in the find-db.
    pub records: u64,
    /// Those whose record decides: a solver of it is taken.
    pub hits: u64,
    /// Share of floating-point operations of the hits, 0 to 1.
    pub hits_flops_share: f64,
    /// Solvers that are taken, by floating-point operations.
    pub solvers: Vec<GraphSolver>,
}

/// A solver that is taken.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphSolver {
    /// Its name.
    pub solver: String,
    /// Convolutions.
    pub count: u64,
    /// Share of the floating-point operations of all convolutions, 0 to 1.
    pub flops_share: f64,
}

/// Matrix products of a graph.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphProducts {
    /// How many there are.
    pub count: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Whether catalogs for the device were found.
    pub asked: bool,
    /// Those with a kernel that was tuned for the target.
    pub tuned: u64,
    /// Those with a kernel for every target.
    pub fallback: u64,
}

/// A convolution or a product.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphNode {
    /// The node's place in the graph.
    pub node: u64,
    /// Its name, else that of its first output.
    pub name: String,
    /// Its operator.
    pub operator: String,
    /// The key of the find-db, of a convolution.
    pub key: Option<String>,
    /// Rows of the result of a product.
    pub m: Option<u64>,
    /// Columns of the result of a product.
    pub n: Option<u64>,
    /// What a product sums over.
    pub k: Option<u64>,
    /// How operands of a product enter: `TN`.
    pub transposes: Option<String>,
    /// Products.
    pub batch: Option<u64>,
    /// Whether a convolution adds a bias.
    pub bias: Option<bool>,
    /// Floating-point operations.
    pub flops: Option<u64>,
    /// `hit`, `refused` (a record, of which no solver is taken), `miss`, `tuned`, `fallback`, `no-kernel`, `not-asked` or
    /// `unknown`.
    pub outcome: String,
    /// The solver that is taken, or the kernel.
    pub taken: Option<String>,
    /// The line of the find-db.
    pub line: Option<u64>,
    /// Solvers that MIOpen measures on a miss.
    pub measured: Option<u64>,
    /// What is else to be said: why the problem is not known, what the record names, what is taken without measuring.
    pub note: Option<String>,
}
