//! The document of `explain --override`.

use super::{Absent, Described, Document, Evidence, Finding, Header, LibraryPart};
use crate::capability::overriding::{Safety, sentence};
use serde::{Deserialize, Serialize};

/// The effect of `HSA_OVERRIDE_GFX_VERSION` on the code here.
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
    /// The processor that the runtime would claim.
    pub claimed: String,
    /// The processor of the card.
    pub card: String,
    /// The judgement.
    pub answer: OverrideAnswer,
    /// The reason, as a clause.
    pub because: String,
    /// How the judgement is known: by LLVM's tables or from the decoded code; it was never tried.
    pub evidence: Evidence,
    /// Whether the code had to be decoded; not if both processors have the same instructions.
    pub decoded: bool,
    /// Code that would become loadable, by library.
    pub libraries: Vec<OverriddenLibrary>,
    /// Libraries with device code, none of it for the claimed processor or the card: the value does not help
    /// them.
    pub without: Vec<LibraryPart>,
    /// Settings in the claimed processor's kernel descriptors that the card reads differently.
    pub starts: Vec<String>,
    /// Features that only one of both has and that no instruction shows.
    pub features: Vec<String>,
    /// A better value: legal, with code in files that have none for the card, and with more benefit.
    pub better: Option<String>,
    /// False if something could not be read: see `findings`.
    pub complete: bool,
    /// What could not be read.
    pub findings: Vec<Finding>,
}

impl Described for OverrideReport {
    const DOCUMENT: Document = Document {
        name: "override",
        version: "2.4.0",
        about: "What an override of the version would make of code: `explain --override`.",
    };
}

/// The judgement on an override.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OverrideAnswer {
    /// The card has every instruction of the code that would be loaded.
    Legal,
    /// The card has all instructions, but the processors differ in ways that decoding cannot judge.
    LegalWithDifferences,
    /// The tables of instructions do not decide it, and the code was not decoded.
    NotDecoded,
    /// The card lacks instructions of that code, refuses their registers, or reads them or the kernel
    /// descriptors differently.
    Illegal,
    /// Every file with code for the claimed processor also has code for the card.
    Unneeded,
    /// The card has the claimed processor.
    Useless,
    /// The processors have different major versions.
    CrossMajor,
    /// Nothing here has code for the claimed processor.
    NoCode,
    /// Only Windows files have code for the claimed processor, and Windows has no such variable.
    Windows,
}

/// The code of a library for the claimed processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverriddenLibrary {
    /// The library's part.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Kernels that only trap and so cannot run.
    pub trap_stubs: u64,
    /// Whether it needs the override: it, or one of its files, has no code for the card.
    pub needed: bool,
    /// Programs and shared libraries with code for the claimed processor but not for the card.
    pub needed_by: Vec<String>,
    /// Programs and shared libraries with code for both; they do not need it.
    pub not_needed_by: Vec<String>,
    /// Programs and shared libraries with code for the card but not for the claimed processor: the override
    /// stops them.
    pub lost_by: Vec<String>,
    /// Number of decoded instructions; `null` if decoding was not needed.
    pub instructions: Option<u64>,
    /// Instructions that the card lacks or reads differently.
    pub absent: Option<Absent>,
}

impl OverrideAnswer {
    /// The leading words in every form of output.
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

    /// The sentence for a judgement in every form of output.
    pub fn sentence(self, because: &str) -> String {
        sentence(self.words(), self.is_legal(), because)
    }

    /// Whether the evidence supports it.
    pub fn is_legal(self) -> bool {
        matches!(self, OverrideAnswer::Legal | OverrideAnswer::LegalWithDifferences)
    }

    /// Whether it would load code that runs on the card with other results than intended.
    pub fn is_unsafe(self) -> bool {
        matches!(self, OverrideAnswer::Illegal | OverrideAnswer::CrossMajor)
    }
}
