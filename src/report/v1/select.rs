//! The choice of a library for one operation.

use super::{Evidence, Found, Header};
pub use crate::engines::tensile::launch::Role as LaunchRole;
use serde::Serialize;

/// What rocBLAS does for a matrix product.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The target.
    pub target: String,
    /// What HIP calls multiprocessors.
    pub multiprocessors: u32,
    /// The call in words: `rocblas_sgemm SS NN 1024 × 512 × 2048`.
    pub call: String,
    /// The folder with the catalogs.
    pub folder: String,
    /// The catalog that the choice begins with.
    pub first_catalog: String,
    /// The library that answers: `rocBLAS`, or `hipBLASLt` where rocBLAS was built with it, asks it first and gets an algorithm;
    /// the fields below are then what rocBLAS does without it.
    pub answered_by: &'static str,
    /// Tensile's index of the solution. None where there is none.
    pub solution: Option<u32>,
    /// The number by which rocBLAS's own functions know the solution.
    pub public_solution: Option<i64>,
    /// Whether it is a fallback for every target.
    pub fallback: bool,
    /// Whether rocBLAS returns before it asks Tensile.
    pub quick_return: bool,
    /// Whether rocBLAS takes the call for a product of a matrix and a vector, and launches a kernel of its own.
    pub gemv: bool,
    /// The kernel.
    pub kernel: Option<String>,
    /// What its name says.
    pub parameters: Vec<KernelParameter>,
    /// The code object by rule.
    pub code_object: Option<String>,
    /// The file that supplies the kernel.
    pub loaded_from: Option<String>,
    /// The launches in their order.
    pub launches: Vec<KernelLaunch>,
    /// `rocblas_status`.
    pub status: i32,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
    /// Distance from the tuned size, where a table was asked.
    pub distance: Option<f64>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
    /// The steps of the choice.
    pub walk: Vec<String>,
    /// Candidates beyond those in the walk.
    pub walk_dropped: u64,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelParameter {
    /// As in the kernel's name: `GSU`.
    pub name: String,
    /// What it is.
    pub title: String,
    /// Its value.
    pub value: String,
}

/// A launch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelLaunch {
    /// What the kernel does.
    pub role: LaunchRole,
    /// The kernel.
    pub kernel: String,
    /// Work groups.
    pub grid: [u64; 3],
    /// Work items of a work group.
    pub work_group: [u32; 3],
    /// The file that supplies the kernel.
    pub file: Option<String>,
    /// Whether HIP's launch, which takes 32 bits for each dimension, starts fewer work items than that.
    pub cut: bool,
}

/// A statement about an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    /// What it is about: `assumed`, `hipBLASLt`, `history`, …
    pub about: String,
    /// The sentence.
    pub text: String,
    /// How it is known.
    pub evidence: Evidence,
}
