//! The verdict for a processor.

use super::{Coverage, Evidence, OverriddenLibrary, OverrideAnswer};
pub use crate::capability::Role as LibraryRole;
pub use crate::capability::answer::Answer;
use serde::Serialize;

/// The verdict for one processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The processor.
    pub processor: String,
    /// Some products with it.
    pub products: Vec<String>,
    /// The conclusion from all libraries by their roles: the worst of those that programs need decides;
    /// optional libraries and run-time compilers can at most limit the answer, and the runtime decides
    /// nothing.
    pub answer: Answer,
    /// The answer in words, with the reason if no library decides.
    pub headline: String,
    /// How the answer is known, unless each library states it.
    pub evidence: Option<Evidence>,
    /// Each library with device code, worst first.
    pub libraries: Vec<LibraryVerdict>,
    /// Files that could not be read in full; their contents are unknown.
    pub damaged: Vec<DamagedFile>,
    /// Code of similar processors that `HSA_OVERRIDE_GFX_VERSION` would make the runtime load, most similar
    /// first; only if the user asked about the processor and a library, or one of its files, does not run.
    pub overrides: Vec<Override>,
    /// Libraries that would run better with the first of `overrides`.
    pub with_override: Vec<LibraryVerdict>,
    /// Libraries that have no code for the card and none with the first of `overrides` either.
    pub without_override: Vec<String>,
    /// Whether there is no override only because the similar processors' code is in Windows files; Windows
    /// has no such variable.
    pub only_on_windows: bool,
    /// Processors with code here.
    pub here: Vec<String>,
    /// What builds for the processor are called where they are published, as a sentence.
    pub published: Option<String>,
}

/// The verdicts of both sides on a card.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictChange {
    /// The processor.
    pub processor: String,
    /// Some products with it.
    pub products: Vec<String>,
    /// Of the old side.
    pub before: SideVerdict,
    /// Of the new side.
    pub after: SideVerdict,
}

/// A verdict of one side; the audit of that side says what decides it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SideVerdict {
    /// The answer.
    pub answer: Answer,
    /// The answer in words.
    pub headline: String,
}

/// A file that could not be read in full.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DamagedFile {
    /// The file.
    pub path: String,
    /// The first problem with it.
    pub what: String,
}

/// What a library does on a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryVerdict {
    /// The library.
    pub library: String,
    /// The role of the library.
    pub role: LibraryRole,
    /// The root or package that contains it, if it lies in several.
    pub place: Option<String>,
    /// Whether it runs.
    pub answer: Answer,
    /// Coverage of the processor by its own kernels or by its Tensile folder, whichever is worse.
    pub coverage: Coverage,
    /// The reason, as a clause.
    pub reason: String,
    /// What happens at run time if it does not run, according to the libraries' sources.
    pub then: Option<String>,
    /// Libraries with GPU code that it is linked with.
    pub needs: Vec<Need>,
    /// How the reason is known.
    pub evidence: Evidence,
}

/// A library that another one is linked with.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Need {
    /// `DT_SONAME` of the library.
    pub soname: String,
    /// Verdict on the library, if it is here.
    pub answer: Option<Answer>,
}

/// What `HSA_OVERRIDE_GFX_VERSION` could achieve with code for another processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Override {
    /// The processor whose code would be loaded.
    pub processor: String,
    /// The value of the variable.
    pub value: String,
    /// Whether the value is safe.
    pub answer: OverrideAnswer,
    /// The reason, as a clause.
    pub because: String,
    /// Whether the evidence supports it: `answer` is `legal` or `legal-with-differences`.
    pub is_legal: bool,
    /// Number of that processor's instructions that the card lacks or encodes differently.
    pub lacking: u64,
    /// Settings in that processor's kernel descriptors that the card reads differently.
    pub starts: Vec<String>,
    /// Features that only one of both has and that decoding cannot judge.
    pub features: Vec<String>,
    /// Kernels of the libraries that run only, or only wholly, with it.
    pub kernels: u64,
    /// Types of matrix products that these kernels are tuned for.
    pub tuned_types: u64,
    /// Programs and shared libraries with code for that processor but not for the card; they need the
    /// override.
    pub needed_by: Vec<String>,
    /// Programs and shared libraries with code for the card but not for that processor; the override stops
    /// them.
    pub lost_by: Vec<String>,
    /// Result of decoding the code that would be loaded, by library; only for the best override, and if the
    /// tables do not decide.
    pub code: Vec<OverriddenLibrary>,
    /// How it is known: from LLVM's tables and the decoded code; it was not tried.
    pub evidence: Evidence,
}
