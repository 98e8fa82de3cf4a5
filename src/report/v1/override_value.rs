//! What `override` says.

use super::{Absent, Evidence, Finding, Header, LibraryPart};
use serde::Serialize;

/// What `HSA_OVERRIDE_GFX_VERSION` would make of the code that is here.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverrideReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// The value of the variable.
    pub value: String,
    /// The processor that the runtime would claim to have.
    pub claimed: String,
    /// The processor of the card.
    pub card: String,
    /// What it comes to.
    pub answer: OverrideAnswer,
    /// How that is known: by LLVM's tables or from the decoded code, never tried.
    pub evidence: Evidence,
    /// Whether the code had to be decoded: not where both processors have the same instructions.
    pub decoded: bool,
    /// Code that would become loadable, by library.
    pub libraries: Vec<OverriddenLibrary>,
    /// Features of the claimed processor that the card lacks and that no instruction shows.
    pub features: Vec<String>,
    /// A better value: one that is legal and whose code is in files that have none for the card.
    pub better: Option<String>,
    /// False where something could not be read: see `findings`.
    pub complete: bool,
    /// What could not be read.
    pub findings: Vec<Finding>,
}

/// What an override comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OverrideAnswer {
    /// The card has every instruction of the code that would be loaded.
    Legal,
    /// It has, but the processors differ in what decoding cannot judge.
    LegalWithDifferences,
    /// The card lacks instructions of that code, or reads them as others.
    Illegal,
    /// The card has the claimed processor, or every file with code for the claimed processor has code for the card, too.
    Unneeded,
    /// The processors are of different major versions.
    CrossMajor,
    /// There is no code for the claimed processor here.
    NoCode,
    /// Only files of Windows, which has no such variable, have code for the claimed processor.
    Windows,
}

/// The code of a library for the claimed processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverriddenLibrary {
    /// Whose code it is.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Number of those that only trap: nothing of them runs.
    pub trap_stubs: u64,
    /// Whether the override is needed for it: it, or one of its files, has no code for the card.
    pub needed: bool,
    /// Its programs and shared libraries that have code for the claimed processor and none for the card.
    pub needed_by: Vec<String>,
    /// Those that have code for both, and do not need it.
    pub not_needed_by: Vec<String>,
    /// Those that have code for the card and none for the claimed processor: with the override they do not run.
    pub lost_by: Vec<String>,
    /// Instructions that were decoded; nothing where that was not needed.
    pub instructions: Option<u64>,
    /// Those that the card lacks or reads otherwise.
    pub absent: Option<Absent>,
}
