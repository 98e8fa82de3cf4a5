//! The capability report.

use super::{
    ByteClass, Claim, ClassAnswer, Count, DatabaseLines, Described, Document, Evidence, Finding,
    FirmwareCount, FirmwareRow, GemmRow, Header, LibraryInstructions, LibraryRow, LibraryWithoutCode,
    MiopenRow, SeverityCounts, Target, TargetAnswer, TargetIdRow, TargetTotals, TensileRow, Verdict, Waste,
};
pub use crate::capability::caches::Broken as BrokenEntry;
pub use crate::capability::linked_with::LinkedRelease;
pub use crate::capability::mixed_host::Consequence;
pub use crate::capability::summary::UnreportedReason;
pub use crate::inventory::run_time_compiler::CompilerRelation as CompilerSign;
use serde::Serialize;
use std::collections::BTreeMap;

/// The capability report of one or more roots.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// False if something could not be read: see `findings`. Compressed code counts as read when its
    /// beginning was: `summary.unverified_bundles` says how many bundles were not read to their end.
    pub complete: bool,
    /// Why the run ended with 1: ids of the rules that `--fail-on` names, including those of damage; empty if
    /// it did not.
    pub failed_because: Vec<String>,
    /// The roots as given.
    pub roots: Vec<String>,
    /// Digests of the roots that are files; empty unless `--digest` asked for them.
    pub inputs: Vec<Input>,
    /// Target IDs that the user asked about; empty if all found ones are reported.
    pub asked: Vec<String>,
    /// The override that the answer takes as set (`--override`).
    pub claim: Option<Claim>,
    /// Whether the stack here runs on each processor the user asked about, or, without any, on each that
    /// libraries other than the HSA runtime have kernels for.
    pub verdicts: Vec<Verdict>,
    /// Consequences of having GPUs of all asked processors in one host; empty for one processor.
    pub mixed_host: Vec<Consequence>,
    /// The versions that files in the tree state.
    pub versions: Vec<Version>,
    /// The releases of ROCm's libraries that files in the tree are linked with, by the names that they ask
    /// the loader for.
    pub linked_with: Vec<LinkedRelease>,
    /// Sums over everything.
    pub summary: Summary,
    /// Packages whose members were read, each as one file. All sums count the members, not the packages.
    pub packages: Vec<Package>,
    /// Caches of what was compiled or measured at run time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<Cache>,
    /// Places of the user's caches, searched because of `--caches`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_places: Vec<UserPlace>,
    /// One row for each processor found.
    pub targets: Vec<Target>,
    /// Sums over the parts of the report.
    pub totals: Totals,
    /// The matrix of libraries and processors.
    pub matrix: Vec<LibraryRow>,
    /// For each asked processor, how libraries cover it; empty if all are reported.
    pub answers: Vec<TargetAnswer>,
    /// The instruction mix of each library for each processor; empty unless requested.
    pub instructions: Vec<LibraryInstructions>,
    /// For each asked processor, which libraries use the most telling classes of instructions.
    pub instruction_answers: Vec<ClassAnswer>,
    /// ROCm's shared libraries here that contain no device code.
    pub libraries_without_code: Vec<LibraryWithoutCode>,
    /// Matrix products for each library and processor: which are tuned, fall back, or are missing.
    pub gemm: Vec<GemmRow>,
    /// Tensile library folders for each processor.
    pub tensile: Vec<TensileRow>,
    /// MIOpen databases per processor and number of compute units.
    pub miopen: Vec<MiopenRow>,
    /// Firmware per codename.
    pub firmware: Vec<FirmwareRow>,
    /// Bytes of the code objects by class, summed over all whose sections were read.
    pub device_bytes: Vec<ByteClass>,
    /// Bytes that could be saved.
    pub waste: Waste,
    /// Every file with something counted above.
    pub artifacts: Vec<Artifact>,
    /// Findings by severity.
    pub counts: SeverityCounts,
    /// Software here that compiles kernels for the GPU at run time, recognised by its file names.
    pub run_time_compilers: Vec<RunTimeCompiler>,
    /// What could not be read, and other findings, worst first.
    pub findings: Vec<Finding>,
    /// Files with nothing counted above, by format.
    pub remainder: Vec<Remainder>,
    /// What was seen but not examined.
    pub not_examined: Vec<NotExamined>,
    /// What bytes alone cannot show, in sentences.
    pub not_shown: Vec<String>,
}

impl Described for Report {
    const DOCUMENT: Document =
        Document { name: "report", version: "2.7.0", about: "The capability report of an audit." };
}

/// A file that was read whole for its digest.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// Path of the root.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of the file in hexadecimal.
    pub sha256: String,
}

/// A statement of a version.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version {
    /// The component whose version it is.
    pub component: String,
    /// The version as the file writes it.
    pub version: String,
    /// The file that states it.
    pub path: String,
    /// How the version is known.
    pub evidence: Evidence,
}

/// Software that compiles kernels for the GPU at run time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunTimeCompiler {
    /// Name of the software.
    pub name: String,
    /// What it compiles, and for which purpose.
    pub compiles: String,
    /// Whether it produces kernels without the user's doing.
    pub makes_kernels: bool,
    /// How the files are related to it.
    pub sign: CompilerSign,
    /// Number of files that indicate it.
    pub files: u64,
    /// Path of the first such file.
    pub first: String,
    /// How its presence is known.
    pub evidence: Evidence,
}

/// A package whose members were read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Package {
    /// Path of the package.
    pub path: String,
    /// Name and version of what it installs, if stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// Format of the package: `zip or wheel`, `Debian package`, `tar`, `gzip`.
    pub format: String,
    /// Size of the package in bytes.
    pub bytes: u64,
    /// Number of files in it, including those in packages inside it.
    pub members: u64,
    /// Unpacked size of these files in bytes.
    pub member_bytes: u64,
    /// The layers of the container images in it, each with what later layers remove. The members are those of
    /// the running image: all layers on top of each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<ImageLayer>,
}

/// A cache of what was compiled or measured at run time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cache {
    /// Software that owns the cache: `Triton`, `comgr`, `MIOpen, kernels`, `rocFFT`.
    pub of: String,
    /// The version that wrote it; `null` if unknown.
    pub version: Option<String>,
    /// Folders of the cache, the first 16.
    pub folders: Vec<String>,
    /// Number of entries: kernels, code objects or databases.
    pub entries: u64,
    /// Entries by target; entries of unknown target are not counted here.
    pub targets: BTreeMap<String, u64>,
    /// Bytes of its code objects and databases.
    pub bytes: u64,
    /// Entries with no code object next to them, or with one for another target.
    pub broken: Vec<BrokenEntry>,
    /// The installed version, if it differs and so does not use these entries; `null` if it uses them or a
    /// version is unknown.
    pub stale_for: Option<String>,
}

/// A place where a program keeps a cache of the user: `--caches`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserPlace {
    /// Software that owns the place.
    pub of: String,
    /// The folder or file.
    pub path: String,
    /// The variable that names it; `null` for the default place.
    pub variable: Option<String>,
    /// Whether it exists; then it was read.
    pub is_there: bool,
}

/// A layer of a container image.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageLayer {
    /// The image it belongs to, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Number of the layer, from 1 for the lowest.
    pub number: u64,
    /// Digest of the layer, or its path if the image states no digest.
    pub digest: String,
    /// The command that made it, from the image's history.
    pub command: Option<String>,
    /// Files in the layer, unpacked.
    pub files: Count,
    /// Files that a later layer deletes.
    pub deleted: Count,
    /// Files that a later layer replaces.
    pub replaced: Count,
}

/// Sums over a report.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Number of regular files.
    pub files: u64,
    /// Size of these files in bytes.
    pub bytes: u64,
    /// Symbolic links that were not followed.
    pub links: u64,
    /// Further names of files that were read (hard links, and links that were followed), if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_names: Option<u64>,
    /// Files, folders and members of packages that `--exclude` left out.
    pub excluded: u64,
    /// Number of items with something counted: files, links to firmware, and each library's part of a kpack
    /// archive.
    pub artifacts: u64,
    /// Size of these items in bytes.
    pub artifact_bytes: u64,
    /// Number of distinct files among these items.
    pub artifact_files: u64,
    /// Files in a format that may hold device code, in which it was not looked for.
    pub not_examined_files: u64,
    /// Packages that are not inside other packages.
    pub outer_packages: Count,
    /// Number of bundles.
    pub bundles: u64,
    /// Number of compressed bundles.
    pub compressed_bundles: u64,
    /// Inflated size of the compressed bundles in bytes.
    pub unpacked_bytes: u64,
    /// Compressed bundles that were not read to their end, so that their hash was not verified.
    pub unverified_bundles: u64,
    /// Number of code objects.
    pub code_objects: u64,
    /// Number of kernels in their metadata.
    pub kernels: u64,
    /// Bytes of code objects, inflated.
    pub code_object_bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Code objects by ABI version.
    pub abi_versions: BTreeMap<String, u64>,
}

/// Files with nothing counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remainder {
    /// Format of the files, or why it is unknown.
    pub format: String,
    /// Why the report has nothing on them.
    pub state: UnreportedReason,
    /// Number of files.
    pub files: u64,
    /// Size of the files in bytes.
    pub bytes: u64,
}

/// Something that was seen but not examined.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotExamined {
    /// Description in words.
    pub what: String,
    /// Number of files.
    pub files: u64,
    /// Size of the files in bytes.
    pub bytes: u64,
    /// Path of one of the files.
    pub example: String,
    /// Whether `remainder` has this format and counts these files.
    pub in_remainder: bool,
}

/// Sums over the parts of a report.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Totals {
    /// Over `targets`.
    pub targets: TargetTotals,
    /// Lines of find-dbs and perf-dbs, by processor.
    pub database_lines_by_processor: Vec<DatabaseLines>,
    /// Lines of all find-dbs and perf-dbs.
    pub database_lines: u64,
    /// All firmware.
    pub firmware: FirmwareCount,
    /// Firmware that names no processor.
    pub firmware_of_no_processor: FirmwareCount,
    /// Bytes of `device_bytes`.
    pub device_bytes: u64,
    /// Code objects that were not decoded, over `instructions`.
    pub not_decoded: u64,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactKind {
    /// A file that carries device code and nothing else the report counts.
    DeviceCode,
    /// A Tensile catalog that names the catalogs to load on demand.
    LazyCatalog,
    /// A Tensile catalog of one type for one target.
    Catalog,
    /// A Tensile catalog of one type for every target.
    FallbackCatalog,
    /// A Tensile catalog of everything.
    MergedCatalog,
    /// Tuned kernels of a Tensile library folder.
    CodeObject,
    /// Kernels that any product of a type can fall back to.
    FallbackCodeObject,
    /// Helper kernels of a Tensile library folder.
    HelperKernels,
    /// Other kernels and tables of hipBLASLt.
    Extension,
    /// A find-db of MIOpen.
    FindDb,
    /// A perf-db of MIOpen.
    PerfDb,
    /// A kernel database of MIOpen.
    KernelDb,
    /// A model of MIOpen.
    Model,
    /// GPU firmware.
    Firmware,
    /// A link to GPU firmware.
    FirmwareLink,
    /// A statement of a version.
    Version,
}

/// A file with something the report counts.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// Index of the file's root in `roots`.
    pub root: usize,
    /// Path below that root.
    pub path: String,
    /// Who put it there, if known: a layer of an image with its command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The package it belongs to, with its version, if known: the one that contains it, or an installed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The library it belongs to.
    pub library: String,
    /// The scanner that claimed it.
    pub scanner: String,
    /// Kind of the file.
    pub kind: ArtifactKind,
    /// Size in bytes.
    pub bytes: u64,
    /// The target in the file's name.
    pub named_target: Option<String>,
    /// The file that this is another name of: the target of a link or hard link, where its bytes and code are
    /// counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_to: Option<String>,
    /// Number of bundles in it.
    pub bundles: u64,
    /// Number of compressed bundles in it.
    pub compressed_bundles: u64,
    /// Bundle entries by id: number and bytes.
    pub entries: BTreeMap<String, Count>,
    /// Code objects by target ID: number, kernels, bytes.
    pub targets: Vec<TargetIdRow>,
    /// Number of lines, records or solutions, if it has any.
    pub records: Option<u64>,
}
