//! The document of `check`.

use super::{Coverage, Described, Document, Finding, Header, Input};
use serde::Serialize;

/// Whether libraries have the required targets.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// Digests of the roots that are files; empty unless `--digest` asked for them.
    pub inputs: Vec<Input>,
    /// Required target IDs.
    pub required: Vec<String>,
    /// Whether all requirements are met, everything could be read, and nothing in `--fail-on` was found.
    pub passed: bool,
    /// Why it failed: `requirement-not-met`, and ids of rules, including those of damage.
    pub failed_because: Vec<String>,
    /// False if something could not be read: see `findings`.
    pub complete: bool,
    /// One row for each target and library; empty if no library carries device code.
    pub requirements: Vec<Requirement>,
    /// Roots in which no library carries device code, if others have some; requirements do not apply to them.
    pub roots_without_code: Vec<String>,
    /// Path of the baseline report.
    pub baseline: Option<String>,
    /// The sizes that are allowed, as they were asked for: `500MiB`, `gfx906=120MB`.
    pub size_budgets: Vec<String>,
    /// Entries to ignore that did not occur.
    pub unused_ignores: Vec<UnusedIgnore>,
    /// What could not be read, and other findings, worst first.
    pub findings: Vec<Finding>,
    /// Ids of rules whose findings do not count, since the baseline had them or the user ignores them.
    pub not_counted: Vec<String>,
}

impl Described for CheckReport {
    const DOCUMENT: Document = Document {
        name: "check",
        version: "2.5.0",
        about: "Whether libraries have the targets that are required: `check`.",
    };
}

/// An entry to ignore that did not occur.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnusedIgnore {
    /// Rule, target and library of the entry.
    pub what: String,
    /// The user's reason.
    pub reason: String,
}

/// Whether a library has a target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requirement {
    /// The processor.
    pub processor: String,
    /// The library.
    pub library: String,
    /// Whether it is about the library's Tensile folder.
    pub tensile: bool,
    /// The root or package that contains it, if the library lies in several.
    pub place: Option<String>,
    /// The judged packages, or else roots: those that contain the library, or all roots if none does.
    pub places: Vec<String>,
    /// Whether the requirement is met.
    pub is_met: bool,
    /// The library's coverage; `null` if the library is missing.
    pub coverage: Option<Coverage>,
    /// Why the requirement is not met although code exists.
    pub why: Option<String>,
    /// The baseline's coverage, if this is why it is required.
    pub before: Option<Coverage>,
    /// The reason why it does not count, if it is unmet and ignored.
    pub ignored: Option<String>,
    /// The code for it; `null` if there is none, or a manifest was read.
    pub code: Option<RequiredCode>,
    /// Files without a kernel for the target, if other files have some.
    pub lacking: Vec<String>,
}

/// The code that a requirement found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequiredCode {
    /// Number of code objects.
    pub code_objects: u64,
    /// Number of kernels.
    pub kernels: u64,
    /// Where the first code object is.
    pub first: Option<String>,
}
