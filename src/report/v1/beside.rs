//! One matrix product side by side.

use super::{Described, Document, Found, Header, KernelLaunch};
use serde::Serialize;

/// What several libraries do with one product on several devices.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The call in words.
    pub call: String,
    /// Each install on each device; the one the user asked about comes first.
    pub sides: Vec<BesideSide>,
    /// Number of different kernels they choose.
    pub kernels: u64,
    /// Which library computes the product in each release of rocBLAS, for the first device; empty unless
    /// rocBLAS was asked.
    pub releases: Vec<TakenBy>,
}

impl Described for BesideReport {
    const DOCUMENT: Document = Document {
        name: "select-beside",
        version: "1.0.0",
        about: "A matrix product on several devices, or by several installs: `select gemm --vs` and `--vs-library`, `select matmul` likewise.",
    };
}

/// What one library does on one device.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideSide {
    /// Path of the install as given.
    pub root: String,
    /// The library asked, with its release if known: `rocBLAS 5.2.0`.
    pub library: String,
    /// The device's target.
    pub target: String,
    /// Number of multiprocessors as HIP counts them.
    pub multiprocessors: u32,
    /// The answer in a sentence, or why there is none.
    pub answer: String,
    /// Whether it is an answer rather than a reason.
    pub answered: bool,
    /// Tensile's index of the solution.
    pub solution: Option<u32>,
    /// Kernel of the solution.
    pub kernel: Option<String>,
    /// The code object that holds the kernel by Tensile's naming rule.
    pub code_object: Option<String>,
    /// The launches in their order.
    pub launches: Vec<KernelLaunch>,
    /// What the function returns: rocblas_status, or hipblasStatus_t of the launch.
    pub status: Option<i32>,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
}

/// Which library computes a product in a release of rocBLAS that was built with hipBLASLt.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TakenBy {
    /// The release, or the date of the source.
    pub release: String,
    /// The library that computes it.
    pub first: ProductTaker,
}

/// The library or kernel that computes a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProductTaker {
    /// hipBLASLt first, then rocBLAS's catalogs if hipBLASLt has no algorithm.
    Hipblaslt,
    /// rocBLAS's own catalogs.
    Catalogs,
    /// A kernel inside rocBLAS for products of a matrix and a vector.
    Vector,
}
