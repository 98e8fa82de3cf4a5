//! Whether the files of Tensile library folders hang together.

use super::{Finding, GemmType, SeverityCounts};
use serde::Serialize;
use std::collections::BTreeMap;

/// One library folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryFolder {
    /// The folder.
    pub path: String,
    /// `rocBLAS` or `hipBLASLt`.
    pub library: String,
    /// Findings by severity.
    pub counts: SeverityCounts,
    /// Whether no finding is an error.
    pub consistent: bool,
    /// Catalogs and tables.
    pub catalogs: u64,
    /// Files with code.
    pub code_objects: u64,
    /// Solutions in all catalogs.
    pub solutions: u64,
    /// Rows of all tables, and decision trees.
    pub tuned_sizes: u64,
    /// Per target.
    pub targets: Vec<LibraryTarget>,
    /// What is wrong or worth knowing, the worst first.
    pub findings: Vec<Finding>,
}

/// What a target has in a folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryTarget {
    /// The target.
    pub target: String,
    /// Catalogs of its own.
    pub native_catalogs: u64,
    /// Catalogs that its master catalog leads to.
    pub catalogs: u64,
    /// Their solutions.
    pub solutions: u64,
    /// Solutions whose kernel is compiled from HIP source; the others are assembly.
    pub source_solutions: u64,
    /// Distinct kernels.
    pub kernels: u64,
    /// Files with code, helpers included.
    pub code_objects: u64,
    /// Bytes of its catalogs.
    pub catalog_bytes: u64,
    /// Bytes of these files.
    pub code_bytes: u64,
    /// What is tuned.
    pub types: Vec<GemmType>,
    /// Catalogs that are only asked with a flag, and their number.
    pub variants: BTreeMap<String, u64>,
}
