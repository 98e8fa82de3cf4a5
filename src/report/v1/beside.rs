//! One matrix product side by side.

use super::{Found, Header, KernelLaunch};
use serde::Serialize;

/// What several libraries do with one product on several devices.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The call in words.
    pub call: String,
    /// Each install on each device, the one that was asked first.
    pub sides: Vec<BesideSide>,
    /// How many different kernels they take.
    pub kernels: u64,
    /// Which library takes the product by release of rocBLAS, for the first device, where rocBLAS was asked.
    pub releases: Vec<TakenBy>,
}

/// What one library does on one device.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BesideSide {
    /// The install, as it was named.
    pub root: String,
    /// The library that was asked, and its release where it is known: `rocBLAS 5.2.0`.
    pub library: String,
    /// The device's target.
    pub target: String,
    /// What HIP calls multiprocessors.
    pub multiprocessors: u32,
    /// The answer in a sentence, or why there is none.
    pub answer: String,
    /// Whether there is an answer.
    pub answered: bool,
    /// Tensile's index of the solution.
    pub solution: Option<u32>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// The code object by rule.
    pub code_object: Option<String>,
    /// The launches in their order.
    pub launches: Vec<KernelLaunch>,
    /// What the function returns: rocblas_status, or hipblasStatus_t of the launch.
    pub status: Option<i32>,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
}

/// What takes a product in a release of rocBLAS that was built with hipBLASLt.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TakenBy {
    /// The release, or the day of the source.
    pub release: String,
    /// What takes it.
    pub first: ProductTaker,
}

/// What takes a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProductTaker {
    /// hipBLASLt is asked first, and rocBLAS's catalogs where it has no algorithm.
    Hipblaslt,
    /// rocBLAS's own catalogs.
    Catalogs,
    /// A kernel inside of rocBLAS for a product of a matrix and a vector.
    Vector,
}
