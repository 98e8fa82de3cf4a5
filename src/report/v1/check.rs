//! What `check` says.

use super::{Coverage, Finding, Header};
use serde::Serialize;

/// Whether libraries have the targets that are required of them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// Target IDs that are required.
    pub required: Vec<String>,
    /// Whether all requirements are met and all could be read.
    pub passed: bool,
    /// False where something could not be read: see `findings`.
    pub complete: bool,
    /// One row for each target and library; empty where no library carries device code.
    pub requirements: Vec<Requirement>,
    /// What could not be read, and what else is worth saying, the worst first.
    pub findings: Vec<Finding>,
}

/// Whether a library has a target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requirement {
    /// The processor.
    pub processor: String,
    /// The library.
    pub library: String,
    /// Whether it is of the library's Tensile folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several.
    pub place: Option<String>,
    /// Whether the requirement is met.
    pub is_met: bool,
    /// What is there; nothing where the library is not.
    pub coverage: Option<Coverage>,
    /// Files that have no kernel for it, where others have.
    pub lacking: Vec<String>,
}
