//! What `slim` says.

use super::{Count, Finding, Header};
use serde::Serialize;

/// What a tree can lose where only some GPUs are to be served.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// The GPUs that are kept.
    pub keep: Vec<String>,
    /// False where something could not be read: see `findings`. What could not be read stays.
    pub complete: bool,
    /// All files that were read, with their bytes.
    pub all: Count,
    /// Whole files that no GPU that is kept loads.
    pub removable: Count,
    /// Code objects of other targets inside of files that stay; bytes inflated.
    pub inside: Count,
    /// GPUs that are kept and lack code of their own in some file or in all, and whose code an override would take instead. It is not
    /// kept.
    pub overrides: Vec<SlimOverride>,
    /// GPUs that are kept and that no code here is for.
    pub without_code: Vec<String>,
    /// Whole files, and code inside of others, by library.
    pub libraries: Vec<SlimLibrary>,
    /// The files, by path.
    pub files: Vec<SlimFile>,
    /// What could not be read, and what else is worth saying.
    pub findings: Vec<Finding>,
}

/// What of a library can go.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimLibrary {
    /// The library.
    pub library: String,
    /// Whole files.
    pub removable: Count,
    /// Code objects inside of files that stay; bytes inflated.
    pub inside: Count,
    /// Whether some of these are compressed, so that their bytes in the file are fewer.
    pub inside_compressed: bool,
}

/// Code that serves a GPU with an override only.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimOverride {
    /// The GPU that is kept.
    pub gpu: String,
    /// The value of `HSA_OVERRIDE_GFX_VERSION`.
    pub value: String,
    /// The processor whose code it has the runtime load.
    pub processor: String,
    /// Whether some files have code of its own.
    pub has_code: bool,
}

/// A file that can go.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimFile {
    /// Its path, as it can be opened; in a package, that of the member.
    pub path: String,
    /// Whether it is a member of a package, which has to be made anew without it.
    pub in_package: bool,
    /// Whether `path` is the path in every byte; false where that is no UTF-8.
    pub is_exact: bool,
    /// The library it belongs to.
    pub library: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The targets that it is for.
    pub targets: Vec<String>,
}
