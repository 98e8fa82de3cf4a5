//! What `check` says.

use super::{Coverage, Finding, Header, Input};
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
    /// What the roots that are files hold; empty unless `--digest` asked for it.
    pub inputs: Vec<Input>,
    /// Target IDs that are required.
    pub required: Vec<String>,
    /// Whether all requirements are met, all could be read, and nothing was found that `--fail-on` names.
    pub passed: bool,
    /// What made it fail: `requirement-not-met`, and ids of rules, those of damage among them.
    pub failed_because: Vec<String>,
    /// False where something could not be read: see `findings`.
    pub complete: bool,
    /// One row for each target and library; empty where no library carries device code.
    pub requirements: Vec<Requirement>,
    /// Roots in which no library carries device code, where others have some: nothing is required of them.
    pub roots_without_code: Vec<String>,
    /// The report that nothing may be worse than.
    pub baseline: Option<String>,
    /// What is ignored by request and did not occur.
    pub unused_ignores: Vec<UnusedIgnore>,
    /// What could not be read, and what else is worth saying, the worst first.
    pub findings: Vec<Finding>,
    /// The ids of rules whose findings do not count: the baseline had them, or they are ignored by request.
    pub not_counted: Vec<String>,
}

/// Something that is ignored by request and did not occur.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnusedIgnore {
    /// Its rule, target and library.
    pub what: String,
    /// The reason that was given.
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
    /// Whether it is of the library's Tensile folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several.
    pub place: Option<String>,
    /// The packages, or else the roots, that are judged: those that the library lies in, and all roots where it lies in none.
    pub places: Vec<String>,
    /// Whether the requirement is met.
    pub is_met: bool,
    /// What is there; nothing where the library is not.
    pub coverage: Option<Coverage>,
    /// Why it is not met although code is there.
    pub why: Option<String>,
    /// What the baseline had, where that is why it is required.
    pub before: Option<Coverage>,
    /// The reason for which it does not count, where it is not met and ignored.
    pub ignored: Option<String>,
    /// Files that have no kernel for it, where others have.
    pub lacking: Vec<String>,
}
