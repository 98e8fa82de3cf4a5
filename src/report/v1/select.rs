//! The choice of a library for one operation.

use super::{Described, Document, Evidence, Found, Header};
pub use crate::engines::tensile::launch::Role as LaunchRole;
use serde::Serialize;

/// What rocBLAS does for a matrix product.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// Number of multiprocessors as HIP counts them.
    pub multiprocessors: u32,
    /// The call in words: `rocblas_sgemm SS NN 1024 × 512 × 2048`.
    pub call: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The first catalog of the choice.
    pub first_catalog: String,
    /// The library that answers: `rocBLAS`; or `hipBLASLt`, if rocBLAS was built with it, asks it first and
    /// gets an algorithm. In that case the fields below say what rocBLAS would do without it.
    pub answered_by: &'static str,
    /// Tensile's index of the solution; `null` without a solution.
    pub solution: Option<u32>,
    /// The solution's number in rocBLAS's public functions.
    pub public_solution: Option<i64>,
    /// Whether the solution is a fallback for every target.
    pub fallback: bool,
    /// Whether rocBLAS returns before using Tensile.
    pub quick_return: bool,
    /// Whether rocBLAS treats the call as a product of a matrix and a vector and launches its own kernel.
    pub gemv: bool,
    /// The kernel that rocBLAS chooses.
    pub kernel: Option<String>,
    /// The parameters in the kernel's name.
    pub parameters: Vec<KernelParameter>,
    /// The code object that holds the kernel by Tensile's naming rule.
    pub code_object: Option<String>,
    /// The file that supplies the kernel.
    pub loaded_from: Option<String>,
    /// The launches in their order.
    pub launches: Vec<KernelLaunch>,
    /// `rocblas_status`.
    pub status: i32,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
    /// Distance from the tuned size, if the choice came from a table.
    pub distance: Option<f64>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
    /// The steps of the choice.
    pub walk: Vec<String>,
    /// Number of candidates left out of the walk.
    pub walk_dropped: u64,
}

impl Described for GemmReport {
    const DOCUMENT: Document =
        Document { name: "select-gemm", version: "2.1.0", about: "A choice of rocBLAS: `select gemm`." };
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelParameter {
    /// The parameter in the kernel's name: `GSU`.
    pub name: String,
    /// Meaning of the parameter.
    pub title: String,
    /// Value of the parameter.
    pub value: String,
}

/// A launch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelLaunch {
    /// Purpose of the kernel.
    pub role: LaunchRole,
    /// The kernel.
    pub kernel: String,
    /// Work groups.
    pub grid: [u64; 3],
    /// Work items of a work group.
    pub work_group: [u32; 3],
    /// The file that supplies the kernel.
    pub file: Option<String>,
    /// Whether the launch starts fewer work items than the grid has, since HIP uses 32 bits for each
    /// dimension.
    pub cut: bool,
}

/// A statement about an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    /// Topic: `assumed`, `hipBLASLt`, `history`, …
    pub about: String,
    /// The sentence.
    pub text: String,
    /// How the statement is known.
    pub evidence: Evidence,
}
