//! The output types: what JSON shows, and what every renderer draws from.
//!
//! These types are copies for the outside: once released, fields are only ever added, and the version of the document
//! says so ([`document`]). Numbers are raw, sizes in bytes, arrays sorted, and nothing depends on time or machine.

mod answer;
mod conv;
pub mod document;
mod entry;
mod fatbin;
mod gemm;
mod ggml;
mod instructions;
mod isa;
mod kernel;
mod miopen;
mod select;
mod tensile;
mod waste;

pub use answer::{ConvLine, ConvRefusal, GemmLine};
pub use conv::{
    ConvAssumption, ConvCandidate, ConvDatabase, ConvDatabaseKind, ConvEstimate, ConvOutcome, ConvPick,
    ConvRecorded, ConvRejected, ConvReport, DatabaseState, RecordVerdict,
};
pub use document::{Document, Header, Tool};
pub use entry::{EntryLine, EntryList};
pub use fatbin::{
    Bundle, CodeObject, DeviceSection, Entry, Fatbin, FatbinReport, FatbinTarget, Kpack, KpackTarget,
    Wrappers,
};
pub use gemm::{GemmRow, GemmType};
pub use ggml::{
    BlasAnswer, FamilyCell, FamilyReport, FamilyRow, KernelPresence, KernelRole, RouteCell, RouteColumn,
    RouteKernel, RouteLibrary, RouteReport, RouteRow, RouteRule, RouteTableReport,
};
pub use instructions::{
    Absent, AbsentRow, ClassRow, Instructions, KernelInstructions, LibraryInstructions, MnemonicRow,
};
pub use isa::{IsaCapability, IsaClass, IsaDifference, IsaFeature, IsaReport, IsaTarget, Renamed};
pub use kernel::{KernelLine, KernelList};
pub use miopen::{
    MiopenDatabase, MiopenDefect, MiopenDevice, MiopenExample, MiopenFinding, MiopenFolder, MiopenLines,
    MiopenOpened, MiopenReport,
};
pub use select::{GemmReport, KernelLaunch, KernelParameter, LaunchRole, Statement};
pub use tensile::{LibraryDefect, LibraryFolder, LibraryTarget, TensileReport};
pub use waste::{Copies, CopyGroup, Uncompressed, Waste};

use serde::Serialize;
use std::collections::BTreeMap;

/// How a statement is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Read in the bytes of this install.
    Observed,
    /// A rule read in cited source.
    Code,
    /// Measured on a GPU by somebody.
    Runtime,
    /// Concluded from the others.
    Inferred,
}

impl Evidence {
    /// The word for it, as JSON writes it.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Observed => "observed",
            Evidence::Code => "code",
            Evidence::Runtime => "runtime",
            Evidence::Inferred => "inferred",
        }
    }
}

/// The capability report of one or more roots.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// False where something could not be read: see `problems`.
    pub complete: bool,
    /// The roots as given.
    pub roots: Vec<String>,
    /// Target IDs that were asked for; empty where all that were found are reported.
    pub asked: Vec<String>,
    /// What the tree says of its versions.
    pub versions: Vec<Version>,
    /// Sums over everything.
    pub summary: Summary,
    /// Packages whose members were read, each as a file of its own. The members count in all sums, the packages do not.
    pub packages: Vec<Package>,
    /// One row for each processor found.
    pub targets: Vec<Target>,
    /// Library × processor.
    pub matrix: Vec<LibraryRow>,
    /// Library × processor: what the machine code is made of; empty where that was not asked for.
    pub instructions: Vec<LibraryInstructions>,
    /// Shared libraries of the field that are here and carry no device code.
    pub libraries_without_code: Vec<LibraryFile>,
    /// Matrix products: library × processor, what is tuned, what falls back, what is not there.
    pub gemm: Vec<GemmRow>,
    /// Tensile library folders: library × processor.
    pub tensile: Vec<TensileRow>,
    /// MIOpen databases per processor and number of compute units.
    pub miopen: Vec<MiopenRow>,
    /// Firmware per codename.
    pub firmware: Vec<FirmwareRow>,
    /// Where the bytes of the code objects are, summed over all whose sections were read.
    pub device_bytes: Vec<ByteClass>,
    /// Bytes that are there and need not be.
    pub waste: Waste,
    /// Every file that carries something counted above.
    pub artifacts: Vec<Artifact>,
    /// Code objects whose names disagree.
    pub disagreements: Vec<Disagreement>,
    /// What went wrong.
    pub problems: Vec<Problem>,
    /// Files that carry nothing counted above, by format.
    pub remainder: Vec<Remainder>,
    /// What was seen and not looked into.
    pub not_examined: Vec<NotExamined>,
    /// What bytes alone cannot show, in sentences.
    pub not_shown: Vec<String>,
}

/// A statement of a version.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version {
    /// Of what.
    pub component: String,
    /// As it stands.
    pub version: String,
    /// The file that states it.
    pub path: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// A package whose members were read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Package {
    /// The package.
    pub path: String,
    /// What it is: `zip or wheel`, `Debian package`, `tar`, `gzip`.
    pub format: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Files in it, those of packages in it included.
    pub members: u64,
    /// Their bytes, unpacked.
    pub member_bytes: u64,
}

/// Sums over a report.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Regular files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Symbolic links that were not followed.
    pub links: u64,
    /// Files, folders and members of packages that `--exclude` leaves out.
    pub excluded: u64,
    /// Files that carry something counted.
    pub artifacts: u64,
    /// Their bytes.
    pub artifact_bytes: u64,
    /// Bundles.
    pub bundles: u64,
    /// Compressed ones among them.
    pub compressed_bundles: u64,
    /// What those inflate to, in bytes.
    pub unpacked_bytes: u64,
    /// Compressed bundles that were not read to their end, so that their hash is not verified.
    pub unverified_bundles: u64,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels named by their metadata.
    pub kernels: u64,
    /// Bytes of code objects, inflated.
    pub code_object_bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Code objects by ABI version.
    pub abi_versions: BTreeMap<String, u64>,
}

/// One processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// `gfx900`.
    pub processor: String,
    /// The instruction set family; nothing for an unknown processor.
    pub family: Option<String>,
    /// A few devices.
    pub devices: Option<String>,
    /// Code objects by target ID, where features are fixed in some of them.
    pub target_ids: Vec<TargetIdRow>,
    /// Layer 1: code that was built for it.
    pub build: BuildLayer,
    /// Layer 2: data that selects among that code.
    pub selection: SelectionLayer,
    /// Layer 3: what it can fall back to.
    pub fallback: FallbackLayer,
    /// Layer 4: what is shipped under its name.
    pub ship: ShipLayer,
}

/// Code objects of one target ID.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetIdRow {
    /// `gfx90a:xnack+`.
    pub target_id: String,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Layer 1: code objects for exactly this processor.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildLayer {
    /// Libraries with at least one kernel for it.
    pub libraries: u64,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes of code objects, inflated.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Most vector registers of a kernel.
    pub max_vgprs: u64,
    /// Largest static LDS in bytes.
    pub max_lds: u64,
    /// Kernels that spill.
    pub spilling_kernels: u64,
    /// The first code object, as evidence.
    pub first: Option<String>,
    /// How it is known.
    pub evidence: Option<Evidence>,
}

/// Layer 2: catalogs and databases.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionLayer {
    /// Tensile catalogs that name it (lazy ones included).
    pub catalogs: u64,
    /// Solutions that they list.
    pub solutions: u64,
    /// MIOpen find-db lines.
    pub find_db_lines: u64,
    /// MIOpen perf-db lines (SQLite counted as its text form).
    pub perf_db_lines: u64,
    /// Kernels in MIOpen kernel databases.
    pub kernel_db_kernels: u64,
    /// MIOpen models.
    pub models: u64,
    /// How it is known.
    pub evidence: Option<Evidence>,
}

/// Layer 3: fallbacks.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FallbackLayer {
    /// Tensile fallback code objects for it.
    pub code_objects: u64,
    /// Generic targets that it can run and that have kernels here.
    pub generic_targets: Vec<String>,
    /// Libraries that reach it only through those.
    pub libraries_by_generic: u64,
    /// How the generic part is known: the membership is LLVM's.
    pub evidence: Option<Evidence>,
}

/// Layer 4: shipped files.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShipLayer {
    /// Files that name it or carry code for it, firmware apart.
    pub files: u64,
    /// Those whose name names it.
    pub named_files: u64,
    /// Bytes of the latter.
    pub bytes: u64,
    /// Firmware files for it, without links.
    pub firmware_files: u64,
    /// How it is known.
    pub evidence: Option<Evidence>,
}

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
    /// One cell for each processor in `targets`, in that order.
    pub cells: Vec<Cell>,
}

/// A shared library that carries no device code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryFile {
    /// The library.
    pub library: String,
    /// The file.
    pub path: String,
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

/// Files of one processor in a Tensile library folder. A file counts for the processor in its name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TensileRow {
    /// rocBLAS or hipBLASLt.
    pub library: String,
    /// The processor; nothing for files that name none.
    pub processor: Option<String>,
    /// Files that name it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Code files among them (`.co`, `.hsaco`), fallback ones included.
    pub code_files: u64,
    /// Catalogs among them, the lazy one included.
    pub catalogs: u64,
    /// Fallback files among them.
    pub fallback_files: u64,
    /// Solutions that its catalogs list.
    pub solutions: u64,
    /// Files by type code.
    pub types: BTreeMap<String, u64>,
    /// One of the files, as evidence.
    pub first: String,
}

/// MIOpen databases of one processor and number of compute units.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenRow {
    /// The processor.
    pub processor: String,
    /// Compute units that the names state.
    pub compute_units: Option<u32>,
    /// `find-db`, `perf-db`, `kernel-db`, `model`.
    pub kind: String,
    /// `HIP` or `OpenCL`, where the name says.
    pub backend: Option<String>,
    /// `text`, `sqlite`, `git-lfs pointer`.
    pub form: String,
    /// Lines or records; nothing where they could not be counted.
    pub records: Option<u64>,
    /// The file.
    pub path: String,
}

/// Firmware of one codename.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirmwareRow {
    /// `vega10`.
    pub codename: String,
    /// The processor, where the name leads to one.
    pub processor: Option<String>,
    /// Files.
    pub files: u64,
    /// Links to such files.
    pub links: u64,
    /// Bytes.
    pub bytes: u64,
    /// One of the files, as evidence.
    pub first: String,
}

/// Bytes of one class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByteClass {
    /// What they are.
    pub class: String,
    /// How many.
    pub bytes: u64,
}

/// A file that carries something counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// Index of its root in `roots`.
    pub root: usize,
    /// Its path below that root.
    pub path: String,
    /// The library it belongs to.
    pub library: String,
    /// The scanner that claimed it.
    pub scanner: String,
    /// What it is.
    pub kind: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The target that its name names.
    pub named_target: Option<String>,
    /// Bundles in it.
    pub bundles: u64,
    /// Compressed ones among them.
    pub compressed_bundles: u64,
    /// Bundle entries by id: number and bytes.
    pub entries: BTreeMap<String, Count>,
    /// Code objects by target ID: number, kernels, bytes.
    pub targets: Vec<TargetIdRow>,
    /// Lines, records or solutions, where it is something that has them.
    pub records: Option<u64>,
}

/// A number of things and their bytes.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Count {
    /// How many.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Code objects whose names disagree.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// The file.
    pub path: String,
    /// The target of the bundle entry's id.
    pub bundle_id: Option<String>,
    /// The target of `e_flags`.
    pub e_flags: String,
    /// The target of the kernel metadata.
    pub metadata: Option<String>,
    /// The target of the file's name.
    pub file_name: Option<String>,
    /// How many code objects.
    pub count: u64,
    /// The first of them.
    pub first: String,
}

/// Something that went wrong.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// Kebab-case id of its kind.
    pub kind: String,
    /// The file.
    pub path: String,
    /// Offset in bytes.
    pub offset: Option<u64>,
    /// True where the offset counts inflated bytes of a compressed bundle.
    pub unpacked: bool,
    /// A sentence.
    pub what: String,
}

/// Files that carry nothing counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remainder {
    /// Their format.
    pub format: String,
    /// How many.
    pub files: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Something seen and not looked into.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotExamined {
    /// What.
    pub what: String,
    /// How many files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// One of them.
    pub example: String,
}
