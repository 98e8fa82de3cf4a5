//! The document of `slim`.

use super::{Count, Described, Document, Finding, Header};
use serde::Serialize;

/// What can be removed from a tree if only some GPUs must be served.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// The GPUs to keep.
    pub keep: Vec<String>,
    /// False if something could not be read: see `findings`. What could not be read stays.
    pub complete: bool,
    /// All files that were read, and their bytes.
    pub all: Count,
    /// Whole files that no kept GPU loads.
    pub removable: Count,
    /// Code objects of other targets inside files that stay; bytes inflated.
    pub inside: Count,
    /// Kept GPUs that lack code of their own in some or all files and could use other code through an
    /// override. That other code is not kept.
    pub overrides: Vec<SlimOverride>,
    /// Kept GPUs without any code here.
    pub without_code: Vec<String>,
    /// Whole files, and code inside other files, by library.
    pub libraries: Vec<SlimLibrary>,
    /// The files, by path.
    pub files: Vec<SlimFile>,
    /// What could not be read, and other findings.
    pub findings: Vec<Finding>,
}

impl Described for SlimReport {
    const DOCUMENT: Document = Document {
        name: "slim",
        version: "1.1.0",
        about: "What a tree can lose where only some GPUs are to be served: `slim`.",
    };
}

/// The removable parts of a library.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimLibrary {
    /// The library.
    pub library: String,
    /// Whole files.
    pub removable: Count,
    /// Code objects inside files that stay; bytes inflated.
    pub inside: Count,
    /// Whether some of these are compressed, so that they occupy fewer bytes in the file.
    pub inside_compressed: bool,
}

/// Code that serves a GPU only through an override.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimOverride {
    /// The kept GPU.
    pub gpu: String,
    /// The value of `HSA_OVERRIDE_GFX_VERSION`.
    pub value: String,
    /// The processor whose code the override makes the runtime load.
    pub processor: String,
    /// Whether some files have the GPU's own code.
    pub has_code: bool,
}

/// A file that can be removed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SlimFile {
    /// The path to open it; for a member of a package, the member's path.
    pub path: String,
    /// Whether it is a member of a package, which must be rebuilt without it.
    pub in_package: bool,
    /// Whether `path` is exact; false if the real path is not UTF-8.
    pub is_exact: bool,
    /// The library it belongs to.
    pub library: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The targets it serves.
    pub targets: Vec<String>,
}
