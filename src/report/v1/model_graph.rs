//! The document of `model` for an ONNX file.

use super::{Claim, Described, Document, Found, Header, Statement};
use serde::Serialize;
use std::collections::BTreeMap;

/// Which convolutions of a model are in MIOpen's find-db, and what rocBLAS has for its products.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelGraphReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The override that the answer takes as set (`--override`).
    pub claim: Option<Claim>,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The file.
    pub file: String,
    /// Name of the graph.
    pub graph: String,
    /// Software that wrote the file.
    pub producer: String,
    /// Version of the standard operators.
    pub opset: u64,
    /// Number of nodes in the graph.
    pub nodes: u64,
    /// The batch that replaces open first dimensions; `null` to keep the file's.
    pub batch: Option<u64>,
    /// The type of data: `FP32`, `FP16`, `BF16`.
    pub data: String,
    /// The target.
    pub target: String,
    /// Multiprocessors: compute units, or work group processors on RDNA.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// Variables that MIOpen is taken to see.
    pub environment: BTreeMap<String, String>,
    /// The judgement in words.
    pub verdict: String,
    /// Convolutions.
    pub convolutions: GraphConvolutions,
    /// Matrix products.
    pub products: GraphProducts,
    /// Nodes with products or attention that this program does not examine, by operator:
    /// `com.microsoft.GroupQueryAttention`.
    pub unasked: BTreeMap<String, u64>,
    /// Number of nodes with an unknown problem.
    pub unknown: u64,
    /// The nodes, in the order of the graph.
    pub rows: Vec<GraphNode>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
}

impl Described for ModelGraphReport {
    const DOCUMENT: Document = Document {
        name: "model-graph",
        version: "1.2.0",
        about: "Which convolutions and products of an ONNX model are known on a card: `model`.",
    };
}

/// Convolutions of a graph.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphConvolutions {
    /// Number of convolutions.
    pub count: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Whether a find-db for the device was found.
    pub asked: bool,
    /// Number of convolutions with a record in the find-db.
    pub records: u64,
    /// Number of convolutions whose record decides: MIOpen takes one of its solvers.
    pub hits: u64,
    /// Share of floating-point operations in hits, 0 to 1.
    pub hits_flops_share: f64,
    /// Solvers that MIOpen takes, ordered by floating-point operations.
    pub solvers: Vec<GraphSolver>,
}

/// A solver that MIOpen takes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphSolver {
    /// Name of the solver.
    pub solver: String,
    /// Number of convolutions.
    pub count: u64,
    /// Share of the floating-point operations of all convolutions, 0 to 1.
    pub flops_share: f64,
}

/// Matrix products of a graph.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphProducts {
    /// Number of products.
    pub count: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Whether catalogs for the device were found.
    pub asked: bool,
    /// Number of products with a kernel tuned for the target.
    pub tuned: u64,
    /// Number of products with a kernel for every target.
    pub fallback: u64,
}

/// A convolution or a product.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphNode {
    /// Index of the node in the graph.
    pub node: u64,
    /// Name of the node, else of its first output.
    pub name: String,
    /// Operator of the node.
    pub operator: String,
    /// The find-db key, for a convolution.
    pub key: Option<String>,
    /// Rows of the result of a product.
    pub m: Option<u64>,
    /// Columns of the result of a product.
    pub n: Option<u64>,
    /// Length of the sums of a product.
    pub k: Option<u64>,
    /// Transpositions of a product: `TN`.
    pub transposes: Option<String>,
    /// Number of products.
    pub batch: Option<u64>,
    /// Whether a convolution adds a bias.
    pub bias: Option<bool>,
    /// Floating-point operations.
    pub flops: Option<u64>,
    /// `hit`, `refused` (MIOpen takes no solver of the record), `miss`, `tuned`, `fallback`, `no-kernel`,
    /// `not-asked` or `unknown`.
    pub outcome: String,
    /// The solver that MIOpen takes, or the kernel.
    pub taken: Option<String>,
    /// Line of the find-db.
    pub line: Option<u64>,
    /// Number of solvers that MIOpen measures on a miss.
    pub measured: Option<u64>,
    /// A remark: why the problem is unknown, what the record names, or what is taken without measuring.
    pub note: Option<String>,
}
