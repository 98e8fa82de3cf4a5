//! Whether the files of Tensile library folders are consistent.

use super::{Finding, GemmType, SeverityCounts};
use serde::Serialize;
use std::collections::BTreeMap;

/// One library folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryFolder {
    /// The folder.
    pub path: String,
    /// `rocBLAS`, `hipBLASLt` or `hipSPARSELt`.
    pub library: String,
    /// Findings by severity.
    pub counts: SeverityCounts,
    /// Whether no finding is an error.
    pub consistent: bool,
    /// Number of catalogs and tables.
    pub catalogs: u64,
    /// Number of files with code.
    pub code_objects: u64,
    /// Solutions in all catalogs.
    pub solutions: u64,
    /// Rows in all tables, and decision trees.
    pub tuned_sizes: u64,
    /// One row for each target.
    pub targets: Vec<LibraryTarget>,
    /// Problems and noteworthy facts, worst first.
    pub findings: Vec<Finding>,
}

/// A target's files in a folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryTarget {
    /// The target.
    pub target: String,
    /// Number of the target's own catalogs.
    pub native_catalogs: u64,
    /// Number of catalogs that its master catalog leads to.
    pub catalogs: u64,
    /// Number of solutions in these.
    pub solutions: u64,
    /// Solutions whose kernel is compiled from HIP source; the others are assembly.
    pub source_solutions: u64,
    /// Distinct kernels.
    pub kernels: u64,
    /// Files with code, including helpers.
    pub code_objects: u64,
    /// Bytes of its catalogs.
    pub catalog_bytes: u64,
    /// Size of these files in bytes.
    pub code_bytes: u64,
    /// Tuned types.
    pub types: Vec<GemmType>,
    /// Catalogs that are used only with a flag, and their number.
    pub variants: BTreeMap<String, u64>,
}
