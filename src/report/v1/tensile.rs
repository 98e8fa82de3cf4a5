//! Whether the files of Tensile library folders hang together.

use super::{Finding, Found, GemmType, Header, SeverityCounts};
use serde::Serialize;
use std::collections::BTreeMap;

/// The report of `rocm-audit tensile`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TensileReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found, in parts too.
    #[serde(flatten)]
    pub found: Found,
    /// Targets that were asked for; empty where all are reported.
    pub asked: Vec<String>,
    /// The folders.
    pub folders: Vec<LibraryFolder>,
    /// What this does not show, in sentences.
    pub not_shown: Vec<String>,
}

impl TensileReport {
    /// The folders with the findings of each.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &[Finding])> {
        self.folders.iter().map(|folder| (folder.path.as_str(), &folder.findings[..]))
    }
}

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
