//! Facts: what was found, where, and what went wrong. Scanners only add to them.

pub mod cache_file;
pub mod close_instructions;
pub mod code_place;
pub mod code_sources;
mod collect;
pub mod compiled_kernel;
pub mod copies;
mod device_code;
pub mod distributions;
pub mod file_bytes;
pub mod file_code;
mod instruction_place;
pub mod kernel_manifest;
pub mod kernel_row;
pub mod kernel_sources;
mod kpack_set;
pub mod library_name;
pub mod linkage;
pub mod missing_waits;
mod other_names;
pub(crate) mod outcome;
pub mod ownership;
pub mod run_time_compiler;
pub mod source_lines;
pub mod when_missing;

use crate::engines::tensile::consistency::content::LazyContent;
use crate::finding::Finding;
use crate::format::Format;
use crate::input::package::layer::Layer;
use crate::inventory::copies::Duplicates;
use crate::locator::Locator;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use device_code::{DeviceCode, NameConflict, TargetCode};
pub use outcome::Scanned;

/// Everything found in one run.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The roots as they were given.
    pub roots: Vec<String>,
    /// Whether to keep [`DeviceCode::parts`] after comparing them.
    pub keep_code_objects: bool,
    /// Files with content that reports mention, in walking order.
    pub artifacts: Vec<Artifact>,
    /// All other files, by format: number and bytes.
    pub remainder: KeyMap<Uncounted, CountAndBytes>,
    /// ROCm's shared libraries without device code: library and path.
    pub libraries_without_code: Vec<(String, String)>,
    /// How the host libraries are linked.
    pub linkage: Vec<linkage::Linkage>,
    /// Shared libraries by file name, including links and libraries that are not ROCm's: their places once
    /// everything named together is installed.
    pub shared_libraries: KeyMap<String, BTreeSet<String>>,
    /// Number of places in `shared_libraries`.
    pub(crate) libraries_kept: usize,
    /// Shared libraries that were not kept in full because there are too many.
    pub libraries_more: u64,
    /// Memory that `linkage` takes.
    pub(crate) linked_bytes: u64,
    /// Kernels compiled at run time, known from their compilers' metadata.
    pub compiled: Vec<compiled_kernel::CompiledKernel>,
    /// Tables that map calls to code objects.
    pub manifests: Vec<kernel_manifest::KernelManifest>,
    /// What wheels, installed packages and lists say of packages of ROCm's.
    pub packages_stated: Vec<distributions::PackageStatement>,
    /// Folders on disk that are named as a processor: the number of the root, and the path as reports show
    /// it.
    pub processor_folders: Vec<(usize, String)>,
    /// Places of the user's caches, if the caller requested them.
    pub user_places: Vec<UserPlace>,
    /// Which installed package owns which file.
    pub(crate) ownership: ownership::Ownership,
    /// Programs' own lists of GPUs: the library's path, and the processors.
    pub own_lists: Vec<(String, Vec<&'static str>)>,
    /// Compilers of kernels at run time.
    pub run_time_compilers: run_time_compiler::RunTimeCompilers,
    /// Kernels as text, by package.
    pub kernel_sources: kernel_sources::KernelSources,
    /// What could not be read.
    pub findings: Vec<Finding>,
    /// Number of findings that were not kept.
    pub findings_more: u64,
    /// What was seen but not examined.
    pub not_examined: Vec<NotExamined>,
    /// Number of regular files and their bytes. Members of packages count, unpacked; the packages do not.
    pub files: CountAndBytes,
    /// Files, folders and members of packages that were left out.
    pub excluded: u64,
    /// Packages whose members were read.
    pub packages: Vec<PackageFacts>,
    /// Duplicate code.
    pub duplicates: Duplicates,
    /// Symbolic links that were not followed.
    pub links: u64,
    /// Further names of files that were read: hard links, and followed links.
    pub other_names: u64,
    /// Symbolic and hard links that may name files of library folders, kept until these folders are known.
    pub(crate) named_otherwise: Vec<other_names::OtherName>,
}

/// What files without any finding are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// A known format.
    Format(Format),
    /// Sources that the verdict is drawn from.
    Source,
    /// A scanner reads such files, but was disabled.
    Skipped,
    /// Files that could not be read.
    Unreadable,
}

impl Uncounted {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Uncounted::Format(format) => format.name(),
            Uncounted::Source => "kernel sources, and what compiles or opens ROCm's",
            Uncounted::Skipped => "skipped by --only or --skip",
            Uncounted::Unreadable => "unreadable",
        }
    }
}

/// Ordered by name, as reports list them.
impl Ord for Uncounted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Uncounted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A package whose members were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFacts {
    /// The path as reports show it.
    pub shown: String,
    /// Format of the package.
    pub format: Format,
    /// Size in bytes.
    pub bytes: u64,
    /// Its members that are files, and their unpacked bytes.
    pub members: CountAndBytes,
    /// Layers of the container images in it.
    pub layers: Vec<Layer>,
    /// Name and version of what it installs, if stated.
    pub identity: Option<Arc<str>>,
}

/// A place where a program keeps a user's cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlace {
    /// Software that owns the cache: `Triton`.
    pub of: &'static str,
    /// The folder or file.
    pub path: String,
    /// The variable that names it; `None` for the default place.
    pub variable: Option<&'static str>,
    /// Whether it exists.
    pub is_there: bool,
}

/// A number of items and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Count"))]
pub struct CountAndBytes {
    /// Number of items.
    pub count: u64,
    /// Size of the items in bytes.
    pub bytes: u64,
}

impl CountAndBytes {
    /// Counts one more item.
    pub fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: CountAndBytes) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// One file with content that reports mention.
#[derive(Debug)]
pub struct Artifact {
    /// The path as reports show it.
    pub shown: String,
    /// Index of its root.
    pub root: usize,
    /// The path below its root.
    pub relative: String,
    /// Where it is.
    pub locator: Locator,
    /// Who put it there, if known: a layer of an image.
    pub owner: Option<Arc<str>>,
    /// The package it belongs to, with its version, if known: the one that contains it, or an installed one.
    pub package: Option<Arc<str>>,
    /// The library it belongs to.
    pub library: String,
    /// The scanner that claimed it.
    pub scanner: &'static str,
    /// Size in bytes.
    pub bytes: u64,
    /// The target in the file's name.
    pub named_target: Option<TargetId>,
    /// Kind of the file.
    pub kind: ArtifactKind,
    /// Device code in it.
    pub device: Option<DeviceCode>,
    /// The file, as reports show it, that this is another name of: a symbolic or hard link, whose bytes and
    /// device code are counted there. See [`Inventory::file_of`].
    pub link_to: Option<String>,
}

/// Kinds of artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactKind {
    /// A file with device code and nothing else to count.
    DeviceCode,
    /// A file of a Tensile library folder.
    Tensile(crate::engines::tensile::name::Role, TensileFacts),
    /// A MIOpen find-db: lines, which are records.
    FindDb(DatabaseFacts),
    /// A MIOpen perf-db: lines, or for SQLite the lines of its text form.
    PerfDb(DatabaseFacts),
    /// A MIOpen kernel database: records, which are kernels.
    KernelDb(DatabaseFacts),
    /// A MIOpen model that predicts solvers or their parameters.
    Model(DatabaseFacts),
    /// GPU firmware, by the driver's codename.
    Firmware {
        /// Prefix of the file name: `vega10`, `gc_11_0_0`, `psp_13_0_0`.
        codename: String,
        /// True for a symbolic link to another firmware file.
        alias: bool,
        /// The release of firmware for the micro engine scheduler.
        mes_release: Option<u32>,
    },
    /// A statement of a version.
    Version {
        /// The component whose version it is.
        component: String,
        /// The version as written.
        version: String,
    },
}

/// Facts from the name and the head of a Tensile file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensileFacts {
    /// The type code: `HH`, `SS`, `I8I`, `4xi8I`.
    pub type_code: Option<String>,
    /// Number of solutions in a catalog; `None` if it is not a catalog or was not read.
    pub solutions: Option<u64>,
    /// For a catalog of everything: number of its solutions that each processor's row leads to.
    pub of_processors: Vec<(String, u64)>,
    /// The file's contents, to compare with the other files of its folder; `None` if it is neither catalog
    /// nor code.
    pub content: Option<Arc<LazyContent>>,
}

/// Counts for a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// `HIP`, `OpenCL`, or empty if the name states neither.
    pub backend: Option<String>,
    /// Number of compute units in the name.
    pub compute_units: Option<u32>,
    /// Storage form.
    pub form: DatabaseForm,
    /// Number of lines or records; `None` if they could not be counted.
    pub records: Option<u64>,
    /// What a file of a model says of those beside it; `None` for databases, and where it could not be read.
    pub model: Option<crate::engines::miopen::model_name::ModelShape>,
}

/// How a database is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseForm {
    /// Lines of text.
    #[default]
    Text,
    /// SQLite.
    Sqlite,
    /// A Git LFS pointer without the database itself.
    GitLfsPointer,
    /// A model that predicts solvers.
    SolverModel,
    /// A model that predicts the parameters of kernels.
    ParameterModel,
}

/// Something that was seen but not examined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotExamined {
    /// Description in words.
    pub what: String,
    /// The path as reports show it.
    pub shown: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}
