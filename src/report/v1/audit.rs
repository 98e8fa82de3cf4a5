//! The capability report.

use super::{
    ByteClass, Claim, ClassAnswer, Count, DatabaseLines, Evidence, Finding, FirmwareCount, FirmwareRow,
    GemmRow, Header, LibraryInstructions, LibraryRow, LibraryWithoutCode, MiopenRow, SeverityCounts, Target,
    TargetAnswer, TargetIdRow, TargetTotals, TensileRow, Verdict, Waste,
};
pub use crate::capability::caches::Broken as BrokenEntry;
pub use crate::capability::mixed_host::Consequence;
pub use crate::capability::summary::Reading;
pub use crate::inventory::run_time_compiler::Sign as CompilerSign;
use serde::Serialize;
use std::collections::BTreeMap;

/// The capability report of one or more roots.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// False where something could not be read: see `findings`.
    pub complete: bool,
    /// What made the run end with 1: ids of the rules that `--fail-on` names, those of damage among them; empty where it did not.
    pub failed_because: Vec<String>,
    /// The roots as given.
    pub roots: Vec<String>,
    /// What the roots that are files hold; empty unless `--digest` asked for it.
    pub inputs: Vec<Input>,
    /// Target IDs that were asked for; empty where all that were found are reported.
    pub asked: Vec<String>,
    /// The override that the answer takes as set: `--override`.
    pub claim: Option<Claim>,
    /// Whether what is here runs on each processor that was asked for; where none was, on each that libraries other than the
    /// HSA runtime have kernels for.
    pub verdicts: Vec<Verdict>,
    /// What follows where GPUs of all processors that were asked for are in one host; empty for one.
    pub mixed_host: Vec<Consequence>,
    /// What the tree says of its versions.
    pub versions: Vec<Version>,
    /// Sums over everything.
    pub summary: Summary,
    /// Packages whose members were read, each as a file of its own. The members count in all sums, the packages do not.
    pub packages: Vec<Package>,
    /// What was compiled or measured at run time and kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<Cache>,
    /// Places of the user's caches that were asked for with `--caches`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_places: Vec<UserPlace>,
    /// One row for each processor found.
    pub targets: Vec<Target>,
    /// Sums over the parts of the report.
    pub totals: Totals,
    /// Library × processor.
    pub matrix: Vec<LibraryRow>,
    /// For each processor that was asked for, which libraries cover it how; empty where all are reported.
    pub answers: Vec<TargetAnswer>,
    /// Library × processor: what the machine code is made of; empty where that was not asked for.
    pub instructions: Vec<LibraryInstructions>,
    /// For each processor that was asked for, which libraries use the classes of instructions that tell most.
    pub instruction_answers: Vec<ClassAnswer>,
    /// Shared libraries of the field that are here and carry no device code.
    pub libraries_without_code: Vec<LibraryWithoutCode>,
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
    /// Findings by severity.
    pub counts: SeverityCounts,
    /// Software here that compiles kernels for the GPU at run time, by the names of its files.
    pub run_time_compilers: Vec<RunTimeCompiler>,
    /// What could not be read, and what else is worth saying, the worst first.
    pub findings: Vec<Finding>,
    /// Files that carry nothing counted above, by format.
    pub remainder: Vec<Remainder>,
    /// What was seen and not looked into.
    pub not_examined: Vec<NotExamined>,
    /// What bytes alone cannot show, in sentences.
    pub not_shown: Vec<String>,
}

/// A file that was read whole for its digest.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// The root.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
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

/// Software that compiles kernels for the GPU at run time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunTimeCompiler {
    /// Its name.
    pub name: String,
    /// What it compiles, and for what.
    pub compiles: String,
    /// Whether kernels come of it by itself.
    pub makes_kernels: bool,
    /// What the files have to do with it.
    pub sign: CompilerSign,
    /// Number of files that are a sign of it.
    pub files: u64,
    /// The first of them.
    pub first: String,
    /// How it is known.
    pub evidence: Evidence,
}

/// A package whose members were read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Package {
    /// The package.
    pub path: String,
    /// Name and version of what it installs, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// What it is: `zip or wheel`, `Debian package`, `tar`, `gzip`.
    pub format: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Files in it, those of packages in it included.
    pub members: u64,
    /// Their bytes, unpacked.
    pub member_bytes: u64,
    /// The layers of the container images in it, each with what later layers take away. The members are those of the image that
    /// runs: all layers laid over each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<ImageLayer>,
}

/// What was compiled or measured at run time and kept.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cache {
    /// Whose: `Triton`, `comgr`, `MIOpen, kernels`, `rocFFT`.
    pub of: String,
    /// The version that wrote it; `null` where that is not known.
    pub version: Option<String>,
    /// Its folders, the first 16.
    pub folders: Vec<String>,
    /// Its entries: kernels, code objects or databases.
    pub entries: u64,
    /// Entries by target; of some the target is not known.
    pub targets: BTreeMap<String, u64>,
    /// Bytes of its code objects and databases.
    pub bytes: u64,
    /// Entries that no code object stands beside, or one for another target.
    pub broken: Vec<BrokenEntry>,
    /// The version that is installed beside it, where that is another one, so that it does not take these entries; `null` where it
    /// does, or where neither is known.
    pub stale_for: Option<String>,
}

/// A place where a program keeps a cache of the user: `--caches`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserPlace {
    /// Whose.
    pub of: String,
    /// The folder or file.
    pub path: String,
    /// The variable that names it; `null` where it is the default place.
    pub variable: Option<String>,
    /// Whether something is there. It was read then.
    pub is_there: bool,
}

/// A layer of a container's image.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageLayer {
    /// The image that it belongs to, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Its number, from 1 for the lowest.
    pub number: u64,
    /// Its digest, or its path where the image does not say that.
    pub digest: String,
    /// The command that made it, as the image tells its history.
    pub command: Option<String>,
    /// Its files, unpacked.
    pub files: Count,
    /// Those that a later layer deletes.
    pub deleted: Count,
    /// Those that a later layer puts again.
    pub replaced: Count,
}

/// Sums over a report.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Regular files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Symbolic links that were not followed.
    pub links: u64,
    /// Further names of files that were read, where there are any: hard links, and links that were followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_names: Option<u64>,
    /// Files, folders and members of packages that `--exclude` leaves out.
    pub excluded: u64,
    /// Things that carry something counted: files, links to firmware, and each library's part of a kpack archive.
    pub artifacts: u64,
    /// Their bytes.
    pub artifact_bytes: u64,
    /// The files that these are, each once.
    pub artifact_files: u64,
    /// Files whose format may hold device code that was not looked for.
    pub not_examined_files: u64,
    /// Packages that are no members of packages.
    pub outer_packages: Count,
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

/// Files that carry nothing counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remainder {
    /// Their format, or why that is not known.
    pub format: String,
    /// Why nothing is reported of them.
    pub state: Reading,
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
    /// Whether it is a format of `remainder`, which counts these files.
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
    /// A file that carries device code and nothing else that is counted.
    DeviceCode,
    /// A Tensile catalog that names those which are loaded on demand.
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

/// A file that carries something counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// Index of its root in `roots`.
    pub root: usize,
    /// Its path below that root.
    pub path: String,
    /// Who has put it there, where that is known: a layer of an image with its command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The package that it is of, with its version, where one says so: the one that it lies in, or one that is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The library it belongs to.
    pub library: String,
    /// The scanner that claimed it.
    pub scanner: String,
    /// What it is.
    pub kind: ArtifactKind,
    /// Size in bytes.
    pub bytes: u64,
    /// The target that its name names.
    pub named_target: Option<String>,
    /// The file that it is another name of: a link or a hard link to a file whose bytes and code count there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_to: Option<String>,
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
