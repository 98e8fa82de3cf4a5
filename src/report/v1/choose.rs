//! The document of `choose`: which of several artifacts serves a card.

use super::{Answer, Described, Document, Finding, Header, ManifestCoverage, ManifestOverride};
use serde::Serialize;

/// Which of several artifacts run on a card, best first.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChooseReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The processor of the card.
    pub processor: String,
    /// Products that the user's word means; empty if it named a processor.
    pub products: Vec<String>,
    /// False if a candidate could not be read whole: see `findings`.
    pub complete: bool,
    /// Why the run ended with 1.
    pub failed_because: Vec<String>,
    /// The artifacts, best first: what runs, runs with limits, compiles its kernels, runs with an override, is
    /// not known, does not run. Of equal ones, those for Linux or without a system in their name, then that with more
    /// tuned types of matrix products, then the smaller.
    pub candidates: Vec<Candidate>,
    /// What could not be read.
    pub findings: Vec<Finding>,
}

impl Described for ChooseReport {
    const DOCUMENT: Document = Document {
        name: "choose",
        version: "1.1.0",
        about: "Which of several artifacts run on a card, best first: `choose`.",
    };
}

/// An artifact.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// File name.
    pub name: String,
    /// The file, if it is here.
    pub path: Option<String>,
    /// The address that the call or a list gives for it.
    pub url: Option<String>,
    /// What the answer was taken from.
    pub known_by: CandidateSource,
    /// Whether it runs on the card.
    pub answer: Answer,
    /// The answer in words.
    pub headline: String,
    /// What each library of it does on the card, worst first.
    pub libraries: Vec<ManifestCoverage>,
    /// A value of `HSA_OVERRIDE_GFX_VERSION` with which it would run, or could.
    #[serde(rename = "override")]
    pub override_value: Option<ManifestOverride>,
    /// The target IDs of its code objects.
    pub targets: Vec<String>,
    /// The system that its name says it is for.
    pub system: Option<CandidateSystem>,
    /// Its size in bytes, if known.
    pub bytes: Option<u64>,
    /// How many of them came from its address, if its parts were read from there.
    pub fetched: Option<u64>,
    /// A command that installs it, if it runs and its name says how.
    pub install: Option<String>,
    /// What does not fit together: a manifest or a list that says other than the file, and other remarks.
    pub remarks: Vec<String>,
}

impl Candidate {
    /// The name of the package in that of its file, as far as naming rules tell: `torch` of
    /// `torch-2.9.1+rocm7.2-cp312-cp312-linux_x86_64.whl`.
    pub fn package(&self) -> &str {
        let end = self.name.find(['-', '_']).unwrap_or(self.name.len());
        self.name.get(..end).unwrap_or_default()
    }

    /// Whether it runs with an override, and not without.
    pub fn runs_with_override(&self) -> bool {
        self.answer == Answer::Not && self.override_value.as_ref().is_some_and(ManifestOverride::serves_all)
    }

    /// Whether it runs as it is, also with limits, or by compiling its kernels.
    pub fn runs(&self) -> bool {
        matches!(self.answer, Answer::Runs | Answer::Limits | Answer::Compiles)
    }
}

/// What an answer was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CandidateSource {
    /// The bytes of the file.
    File,
    /// The parts of the file that matter, from its address; the file is not here.
    Address,
    /// A manifest of it; the file is not here.
    Manifest,
    /// Nothing: neither the file nor a manifest of it is here.
    Nothing,
}

/// Operating systems by which wheels and packages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CandidateSystem {
    /// Linux.
    Linux,
    /// Windows.
    Windows,
    /// macOS, for which there is no ROCm.
    Macos,
}

impl CandidateSystem {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CandidateSystem::Linux => "Linux",
            CandidateSystem::Windows => "Windows",
            CandidateSystem::Macos => "macOS",
        }
    }
}
