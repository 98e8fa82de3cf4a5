//! Whether the catalogs, code objects and databases that libraries read are consistent.

use super::{Described, Document, Finding, Found, Header, LibraryFolder, MiopenFolder};
use serde::Serialize;

/// The report of `rocm-audit verify`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings, including those of single folders.
    #[serde(flatten)]
    pub found: Found,
    /// Targets the user asked about; empty if all are reported.
    pub asked: Vec<String>,
    /// Multiprocessors of the devices the user asked about, as HIP counts them.
    pub asked_multiprocessors: Vec<u32>,
    /// Library folders of rocBLAS, hipBLASLt and hipSPARSELt.
    pub libraries: Vec<LibraryFolder>,
    /// Folders with MIOpen's databases.
    pub databases: Vec<MiopenFolder>,
    /// Tuning files that were held against the libraries.
    pub tuning: Vec<TuningFile>,
    /// What this report does not show, in sentences.
    pub not_shown: Vec<String>,
}

impl Described for VerifyReport {
    const DOCUMENT: Document = Document {
        name: "verify",
        version: "1.0.0",
        about: "Whether library folders and databases hang together: `verify`.",
    };
}

/// A tuning file: which of its rows are in force.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TuningFile {
    /// The file.
    pub path: String,
    /// Who reads it: `rocBLAS`, `hipBLASLt`, `PyTorch's TunableOp`, or a shell.
    pub reader: String,
    /// Rows that name a solution.
    pub rows: u64,
    /// Rows in force: they name a solution that is here, and nothing rejects them or the file.
    pub in_force: u64,
    /// Why the whole file is rejected.
    pub rejected: Option<String>,
}

impl VerifyReport {
    /// The folders with the findings of each.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &[Finding])> {
        parts(&self.libraries, &self.databases)
    }
}

/// Folders with the findings of each.
pub fn parts<'f>(
    libraries: &'f [LibraryFolder],
    databases: &'f [MiopenFolder],
) -> impl Iterator<Item = (&'f str, &'f [Finding])> {
    let of_libraries = libraries.iter().map(|folder| (folder.path.as_str(), &folder.findings[..]));
    of_libraries.chain(databases.iter().map(|folder| (folder.path.as_str(), &folder.findings[..])))
}
