//! The matrix of libraries and processors.

use serde::Serialize;

/// One library's row of the matrix.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryRow {
    /// The library.
    pub library: String,
    /// True where the row is of its Tensile library folder, false where it is of its shared libraries.
    pub tensile: bool,
    /// Files that carry its device code.
    pub files: u64,
    /// `DT_SONAME`s of its shared libraries.
    pub sonames: Vec<String>,
    /// Whether several of these are versions of one library, which are counted together.
    pub several_versions: bool,
    /// One cell for each processor in `targets`, in that order.
    pub cells: Vec<Cell>,
}

/// A library of the field that is here without device code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryWithoutCode {
    /// The library.
    pub library: String,
    /// Its files.
    pub paths: Vec<String>,
}

/// What a library has for a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// Kernels for it in every bundle, or tuned ones.
    Native,
    /// Kernels for it in some of a file's bundles, not in all.
    Partial,
    /// In a Tensile library folder: only fallback and helper kernels.
    FallbackOnly,
    /// Nothing for it, but kernels for a generic target that it runs.
    Generic,
    /// SPIR-V, which is compiled for whatever device runs it.
    RunTime,
    /// Code objects for it that name no kernel.
    NoKernels,
    /// Nothing.
    Absent,
}

/// One cell of the matrix.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// The processor.
    pub processor: String,
    /// What is there.
    pub coverage: Coverage,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes of code objects.
    pub bytes: u64,
    /// Bundles that hold it, and bundles with device code, where the coverage is partial.
    pub bundles: Option<[u64; 2]>,
    /// The generic target, where it is reached through one.
    pub generic: Option<String>,
    /// The first code object, as evidence.
    pub first: Option<String>,
}

/// The code of a library: of its Tensile library folder, or of everything else.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryPart {
    /// The library.
    pub library: String,
    /// True for its Tensile library folder.
    pub tensile: bool,
}

/// Which libraries cover a processor that was asked for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetAnswer {
    /// The processor.
    pub processor: String,
    /// Libraries by coverage, best first; empty where nothing carries device code.
    pub libraries: Vec<CoveredLibraries>,
}

/// Libraries that cover a processor in one way.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredLibraries {
    /// How.
    pub coverage: Coverage,
    /// Which.
    pub parts: Vec<LibraryPart>,
}
