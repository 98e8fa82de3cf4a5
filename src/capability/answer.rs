//! Whether something runs, and what a library does on a processor: what verdicts are made of.

use super::coverage::Coverage;
use crate::finding::evidence::Evidence;
use crate::scan::library_names::Role;

/// Whether something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Kernels for it are here.
    Runs,
    /// It runs, slower or with less than others have.
    Limits,
    /// Its kernels are compiled for the card at run time.
    Compiles,
    /// What was read does not decide it.
    Unknown,
    /// It does not.
    Not,
}

/// What a library does on a processor.
#[derive(Debug)]
pub struct LibraryVerdict<'a> {
    /// The library.
    pub library: &'a str,
    /// What it is for programs that use it.
    pub role: Role,
    /// The root or the package that it lies in, where it lies in several.
    pub place: Option<&'a str>,
    /// Whether it runs.
    pub answer: Answer,
    /// What it has for the processor: of its own kernels or of those of its Tensile folder, whichever are
    /// worse.
    pub coverage: Coverage,
    /// Why, in a clause.
    pub reason: String,
    /// What happens at run time, where it does not run.
    pub then: Option<&'static str>,
    /// Libraries with GPU code that it is linked with.
    pub needs: Vec<LinkedLibrary<'a>>,
    /// How the reason is known.
    pub evidence: Evidence,
}

/// A library that another one is linked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedLibrary<'a> {
    /// Its `DT_SONAME`.
    pub soname: &'a str,
    /// Its verdict, where it is here.
    pub answer: Option<Answer>,
}
