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
    /// True where the row is of its Tensile library folder, false where it is of its shared libraries.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several: each copy has a row.
    pub place: Option<String>,
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
    /// Kernels that can only trap, of the code objects whose machine code was looked at.
    pub trap_stubs: u64,
    /// Code objects whose machine code was not looked at, because it is compressed.
    pub bodies_unread: u64,
    /// Bytes of code objects.
    pub bytes: u64,
    /// The same by class (`code`, `kernel-metadata`, `data`, `debug`, `symbols`, `elf-headers`, `padding`), as far as that is known: of
    /// compressed code objects only beginnings are read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bytes_by_class: BTreeMap<&'static str, u64>,
    /// The files that have kernels for it and those that have none, where the coverage is of some files.
    pub files: Option<FileShare>,
    /// Bundles that hold it, and bundles with device code, where the coverage is partial.
    pub bundles: Option<[u64; 2]>,
    /// The generic target, where it is reached through one.
    pub generic: Option<String>,
    /// The first code object, as evidence.
    pub first: Option<String>,
}

/// The files of a library with device code, by whether they have kernels for a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileShare {
    /// Files that have kernels for it.
    pub with: Vec<String>,
    /// Files that have none.
    pub without: Vec<String>,
}

/// The code of a library: of its Tensile library folder, or of everything else.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryPart {
    /// The library.
    pub library: String,
    /// True for its Tensile library folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several.
    pub place: Option<String>,
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
    pub parts: Vec<CoveredPart>,
}

/// The code of a library and how many of its kernels run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredPart {
    /// Whose code it is.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// Its cell of the matrix.
    pub kernels: u64,
    /// Kernels that can only trap.
    pub trap_stubs: u64,
    /// The files that have kernels for it and those that have none, where the coverage is of some files.
    pub files: Option<FileShare>,
}
