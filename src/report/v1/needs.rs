//! The document of `needs`.

use super::{Described, Document, Finding, Header};
use serde::Serialize;

/// What libraries need from others.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedsReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// False if something could not be read: see `findings`.
    pub complete: bool,
    /// Why the run ended with 1: ids of the rules that `--fail-on` names, including those of damage; empty if
    /// it did not.
    pub failed_because: Vec<String>,
    /// ROCm's libraries and programs, those that need one of its libraries, and those with device code, in
    /// walking order.
    pub files: Vec<FileNeeds>,
    /// Each library that is needed but missing here, with the files that need it; ROCm's come first.
    pub missing: Vec<MissingLibrary>,
    /// For each library and kind of version, the highest version required: `hip_6.0`, `GLIBC_2.38`.
    pub versions: Vec<NeededVersion>,
    /// The oldest release of the HIP runtime that satisfies all files; `null` if no file shows it.
    pub least_runtime: Option<LeastRuntime>,
    /// Problems with linking, and what could not be read.
    pub findings: Vec<Finding>,
}

impl Described for NeedsReport {
    const DOCUMENT: Document = Document {
        name: "needs",
        version: "1.2.0",
        about: "What libraries need from others, and where it is: `needs`.",
    };
}

/// What one file needs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileNeeds {
    /// Path of the file.
    pub path: String,
    /// `DT_SONAME`; `null` if the file has none.
    pub soname: Option<String>,
    /// `DT_RUNPATH`, or `DT_RPATH` without one.
    pub search_paths: Vec<String>,
    /// Whether the paths are from `DT_RPATH`.
    pub is_rpath: bool,
    /// Search paths to fixed places that are neither the system's nor here.
    pub absolute_paths: Vec<String>,
    /// The oldest release of the HIP runtime that satisfies it; `null` if it does not show one.
    pub least_runtime: Option<LeastRuntime>,
    /// Number of HIP runtime symbols it uses without naming the runtime as needed, so that the process must
    /// have loaded the runtime before; 0 if it names the runtime or uses no symbols.
    pub unnamed_runtime_symbols: u64,
    /// The needed libraries, in the order of the file.
    pub needed: Vec<NeededLibrary>,
    /// Libraries of ROCm that it may open by name at run time (`dlopen`): their names are among its constants,
    /// and it is not linked with them.
    pub opens: Vec<NeededLibrary>,
}

/// A library that a file needs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeededLibrary {
    /// Name of the library.
    pub name: String,
    /// Where the library is.
    pub place: NeededPlace,
    /// Path below its root or in its package, if it is here.
    pub path: Option<String>,
}

/// Where a needed library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NeededPlace {
    /// Here, and the loader finds it through the file's search paths or its own folders.
    Here,
    /// Here, but the file does not lead to it: `LD_LIBRARY_PATH`, `ld.so.conf` or a process that has loaded
    /// it must.
    Unreachable,
    /// Not here: part of the C library, the compiler or Windows.
    System,
    /// Not here: one of ROCm's libraries.
    Rocm,
    /// Not here: another project's library.
    Other,
}

/// A library that is needed but missing here.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingLibrary {
    /// Name of the library.
    pub name: String,
    /// Origin of the library.
    pub place: NeededPlace,
    /// The files that need it.
    pub needed_by: Vec<String>,
}

/// The highest version required of a library.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeededVersion {
    /// The library.
    pub library: String,
    /// The symbol version.
    pub version: String,
    /// The files that require it.
    pub asked_by: Vec<String>,
}

/// The oldest release of the HIP runtime that suffices.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeastRuntime {
    /// The release: `6.3`.
    pub release: String,
    /// The evidence, in a sentence.
    pub why: String,
}
