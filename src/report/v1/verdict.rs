//! The verdict for a processor.

use super::{Coverage, Evidence, OverriddenLibrary, OverrideAnswer};
pub use crate::capability::answer::Answer;
use serde::Serialize;

/// What a library is for programs that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LibraryRole {
    /// Programs that are linked with it do not run without its code.
    Needed,
    /// Callers go another way where it has nothing for a GPU.
    Optional,
    /// It compiles kernels at run time for others, and has none of its own.
    Compiler,
    /// It gives calls on to other libraries.
    Wrapper,
    /// It starts kernels of others.
    Runtime,
    /// It serves compilers or developers.
    Tool,
    /// The driver loads it.
    Firmware,
    /// Code objects outside of any library: what loads them is not known.
    Loose,
}

/// The verdict for one processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The processor.
    pub processor: String,
    /// Products with it, a few.
    pub products: Vec<String>,
    /// What follows from all libraries by their roles: the worst of those that programs need; what callers do without is a limit at
    /// most, compiling beside libraries that run is none, and the runtime decides nothing.
    pub answer: Answer,
    /// The same in words, and where no library decides, why.
    pub headline: String,
    /// How that is known, where it does not stand beside each library.
    pub evidence: Option<Evidence>,
    /// Each library with device code, the worst first.
    pub libraries: Vec<LibraryVerdict>,
    /// Files that could not be read in full: what they have is not known.
    pub damaged: Vec<DamagedFile>,
    /// Code of neighbours that `HSA_OVERRIDE_GFX_VERSION` would have loaded, the most similar first; only where a library,
    /// or one of its files, does not run, and the processor was asked for.
    pub overrides: Vec<Override>,
    /// The libraries of which more would run with the first of `overrides` than without.
    pub with_override: Vec<LibraryVerdict>,
    /// Whether there is no override only because the code of neighbours is in files of Windows, which has no such variable.
    pub only_on_windows: bool,
    /// Processors that there is code for.
    pub here: Vec<String>,
}

/// A file that could not be read in full.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DamagedFile {
    /// The file.
    pub path: String,
    /// The first thing that is wrong with it.
    pub what: String,
}

/// What a library does on a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryVerdict {
    /// The library.
    pub library: String,
    /// What it is for programs that use it.
    pub role: LibraryRole,
    /// The root or the package that it lies in, where it lies in several.
    pub place: Option<String>,
    /// Whether it runs.
    pub answer: Answer,
    /// What it has for the processor: of its own kernels or of those of its Tensile folder, whichever are worse.
    pub coverage: Coverage,
    /// Why, in a clause.
    pub reason: String,
    /// What happens at run time, where it does not run; read in the libraries' sources.
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
    /// Its `DT_SONAME`.
    pub soname: String,
    /// Its verdict, where it is here.
    pub answer: Option<Answer>,
}

/// What `HSA_OVERRIDE_GFX_VERSION` could make of code for another processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Override {
    /// The processor whose code would be loaded.
    pub processor: String,
    /// The value of the variable.
    pub value: String,
    /// Whether it is safe.
    pub answer: OverrideAnswer,
    /// Why, as a clause.
    pub because: String,
    /// Whether what is known speaks for it: `answer` is `legal` or `legal-with-differences`.
    pub is_legal: bool,
    /// Instructions of that processor that the card lacks or has under other bits.
    pub lacking: u64,
    /// What kernels of that processor state in ways that the card reads otherwise.
    pub starts: Vec<String>,
    /// Features that only one of both has, and that decoding cannot judge.
    pub features: Vec<String>,
    /// Kernels of the libraries that run with it and not, or not wholly, without.
    pub kernels: u64,
    /// Types of matrix products that those are tuned for.
    pub tuned_types: u64,
    /// Programs and shared libraries that have code for it and none for the card: those that it is needed for.
    pub needed_by: Vec<String>,
    /// Those that have code for the card and none for it: with it they do not run.
    pub lost_by: Vec<String>,
    /// What decoding the code that would be loaded says, by library; only for the best override, where the tables do not
    /// decide.
    pub code: Vec<OverriddenLibrary>,
    /// How it is known: from LLVM's tables and the decoded code, not tried.
    pub evidence: Evidence,
}
