//! What `needs` says.

use super::{Finding, Header};
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
    /// False where something could not be read: see `findings`.
    pub complete: bool,
    /// What made the run end with 1: ids of the rules that `--fail-on` names, those of damage among them; empty where it did not.
    pub failed_because: Vec<String>,
    /// The libraries and programs that are ROCm's, need one of its libraries or have device code, in walking order.
    pub files: Vec<FileNeeds>,
    /// Each library that is needed and not here, with the files that need it: ROCm's first.
    pub missing: Vec<MissingLibrary>,
    /// For each library and kind of version the highest that is asked of it: `hip_6.0`, `GLIBC_2.38`.
    pub versions: Vec<NeededVersion>,
    /// The least release of the HIP runtime that has what all files ask of it; `null` where nothing says so.
    pub least_runtime: Option<LeastRuntime>,
    /// What is wrong with it, and what could not be read.
    pub findings: Vec<Finding>,
}

/// What one file needs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileNeeds {
    /// The file.
    pub path: String,
    /// `DT_SONAME`; `null` where it has none.
    pub soname: Option<String>,
    /// `DT_RUNPATH`, or `DT_RPATH` where there is no other.
    pub search_paths: Vec<String>,
    /// Whether these are of `DT_RPATH`.
    pub is_rpath: bool,
    /// Those that lead to fixed places which are neither the system's nor here.
    pub absolute_paths: Vec<String>,
    /// The least release of the HIP runtime that has what it asks of it; `null` where it says none.
    pub least_runtime: Option<LeastRuntime>,
    /// Number of symbols of the HIP runtime that it asks for without naming its library, so that the process has to have loaded that
    /// before; zero where it names it, or needs none.
    pub unnamed_runtime_symbols: u64,
    /// The libraries, in the order of the file.
    pub needed: Vec<NeededLibrary>,
}

/// A library that a file needs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeededLibrary {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: NeededPlace,
    /// Its path below its root, or in its package, where it is here.
    pub path: Option<String>,
}

/// Where a needed library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NeededPlace {
    /// Here, and the loader comes to it by the file's search paths or its own folders.
    Here,
    /// Here, but nothing in the file leads to it: `LD_LIBRARY_PATH`, `ld.so.conf` or a process that has loaded it before has to.
    Unreachable,
    /// Not here: of the C library or the compiler, or one of Windows' own.
    System,
    /// Not here: one of ROCm's.
    Rocm,
    /// Not here, and of others.
    Other,
}

/// A library that is needed and not here.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingLibrary {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub place: NeededPlace,
    /// The files that need it.
    pub needed_by: Vec<String>,
}

/// The highest version that is asked of a library.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeededVersion {
    /// The library.
    pub library: String,
    /// The version of its symbols.
    pub version: String,
    /// The files that ask for it.
    pub asked_by: Vec<String>,
}

/// The least release of the HIP runtime that will do.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeastRuntime {
    /// The release: `6.3`.
    pub release: String,
    /// What says so, in a sentence.
    pub why: String,
}
