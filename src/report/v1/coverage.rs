//! The matrix of libraries and processors.

pub use crate::capability::coverage::Coverage;
use serde::Serialize;
use std::collections::BTreeMap;

/// One library's row of the matrix.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryRow {
    /// The library.
    pub library: String,
    /// True if the row is about the Tensile library folder, false if it is about the shared libraries.
    pub tensile: bool,
    /// The root or package that contains it, if the library lies in several; each copy has its own row.
    pub place: Option<String>,
    /// Number of files with its device code.
    pub files: u64,
    /// `DT_SONAME`s of its shared libraries.
    pub sonames: Vec<String>,
    /// Whether several of these are versions of one library, which are counted together.
    pub several_versions: bool,
    /// One cell for each processor in `targets`, in that order.
    pub cells: Vec<Cell>,
}

/// A ROCm library that is here without device code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryWithoutCode {
    /// The library.
    pub library: String,
    /// Paths of its files.
    pub paths: Vec<String>,
}

/// One cell of the matrix.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// The processor.
    pub processor: String,
    /// How the library covers the processor.
    pub coverage: Coverage,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Kernels that only trap, in the code objects whose machine code was examined.
    pub trap_stubs: u64,
    /// Code objects whose machine code was not examined because it is compressed.
    pub bodies_unread: u64,
    /// Bytes of code objects.
    pub bytes: u64,
    /// Bytes by class (`code`, `kernel-metadata`, `data`, `debug`, `symbols`, `elf-headers`, `padding`), as
    /// far as known: only the beginnings of compressed code objects are read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bytes_by_class: BTreeMap<&'static str, u64>,
    /// Files with and without kernels for it, if only some files cover it.
    pub files: Option<FileShare>,
    /// Number of bundles that cover it, and of all bundles with device code, if the coverage is partial.
    pub bundles: Option<[u64; 2]>,
    /// The generic target through which it is covered, if any.
    pub generic: Option<String>,
    /// Location of the first code object, as evidence.
    pub first: Option<String>,
}

/// The files of a library with device code, split by whether they have kernels for a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileShare {
    /// Files with kernels for it.
    pub with: Vec<String>,
    /// Files without.
    pub without: Vec<String>,
}

/// The code of a library: in its Tensile library folder, or everywhere else.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryPart {
    /// The library.
    pub library: String,
    /// True for the Tensile library folder.
    pub tensile: bool,
    /// The root or package that contains it, if the library lies in several.
    pub place: Option<String>,
}

/// How libraries cover an asked processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetAnswer {
    /// The processor.
    pub processor: String,
    /// Libraries by coverage, best first; empty if nothing carries device code.
    pub libraries: Vec<CoveredLibraries>,
}

/// Libraries with the same coverage of a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredLibraries {
    /// The coverage they share.
    pub coverage: Coverage,
    /// The libraries' parts.
    pub parts: Vec<CoveredPart>,
}

/// A library's code, and how many of its kernels run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredPart {
    /// The library's part.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// Number of kernels in its cell of the matrix.
    pub kernels: u64,
    /// Kernels that only trap.
    pub trap_stubs: u64,
    /// Files with and without kernels for it, if only some files cover it.
    pub files: Option<FileShare>,
}
