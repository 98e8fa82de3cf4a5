//! What `explain --override` says.

use super::{Absent, Evidence, Finding, Header, LibraryPart};
use crate::capability::overriding::{Safety, sentence};
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
    /// Why, as a clause.
    pub because: String,
    /// How that is known: by LLVM's tables or from the decoded code, never tried.
    pub evidence: Evidence,
    /// Whether the code had to be decoded: not where both processors have the same instructions.
    pub decoded: bool,
    /// Code that would become loadable, by library.
    pub libraries: Vec<OverriddenLibrary>,
    /// What kernels of the claimed processor state in ways that the card reads otherwise.
    pub starts: Vec<String>,
    /// Features that only one of both has, and that no instruction shows.
    pub features: Vec<String>,
    /// A better value: one that is legal, whose code is in files that have none for the card, and that brings more.
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
    /// The tables of instructions do not decide it, and the code was not decoded.
    NotDecoded,
    /// The card lacks instructions of that code, refuses their registers, or reads them or the descriptors of kernels as others.
    Illegal,
    /// Every file with code for the claimed processor has code for the card, too.
    Unneeded,
    /// The card has the claimed processor.
    Useless,
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

impl OverrideAnswer {
    /// The words that every form of output begins with.
    pub fn words(self) -> &'static str {
        match self {
            OverrideAnswer::Legal => Safety::Legal.words(),
            OverrideAnswer::LegalWithDifferences => Safety::LegalWithDifferences.words(),
            OverrideAnswer::NotDecoded => Safety::NotDecoded.words(),
            OverrideAnswer::Illegal | OverrideAnswer::CrossMajor => Safety::Illegal.words(),
            OverrideAnswer::Unneeded => "not needed",
            OverrideAnswer::Useless | OverrideAnswer::NoCode | OverrideAnswer::Windows => "useless here",
        }
    }

    /// The one wording of a judgement, for every form of output.
    pub fn sentence(self, because: &str) -> String {
        sentence(self.words(), self.is_legal(), because)
    }

    /// Whether what is known speaks for it.
    pub fn is_legal(self) -> bool {
        matches!(self, OverrideAnswer::Legal | OverrideAnswer::LegalWithDifferences)
    }

    /// Whether code would be loaded that the card does not run as it was meant.
    pub fn is_unsafe(self) -> bool {
        matches!(self, OverrideAnswer::Illegal | OverrideAnswer::CrossMajor)
    }
}
