//! Facts: what was found, where, and what went wrong. Scanners add to it; nothing is ever taken away.

mod cache_file;
mod collect;
pub mod compiled_kernel;
pub mod copies;
mod device_code;
pub mod file_bytes;
pub mod file_code;
pub mod kernel_manifest;
pub mod kernel_row;
mod kpack_set;
pub mod library_name;
pub mod linkage;
mod other_names;
pub(crate) mod outcome;
pub mod ownership;
pub mod run_time_compiler;

use crate::engines::tensile::consistency::content::LazyContent;
use crate::finding::Finding;
use crate::format::Format;
use crate::input::package::layer::Layer;
use crate::inventory::copies::Duplicates;
use crate::locator::Locator;
use crate::target::TargetId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use device_code::{DeviceCode, NameConflict, TargetCode};
pub use outcome::Scanned;

/// Everything one run found.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The roots as they were given.
    pub roots: Vec<String>,
    /// Whether [`DeviceCode::parts`] are kept when they have been compared.
    pub keep_code_objects: bool,
    /// Files that carry something a report speaks of, in walking order.
    pub artifacts: Vec<Artifact>,
    /// Files that do not, by format: number and bytes.
    pub remainder: BTreeMap<Uncounted, Tally>,
    /// Shared libraries of the field without device code: library and path.
    pub libraries_without_code: Vec<(String, String)>,
    /// How the host libraries of the field hang together.
    pub linkage: Vec<linkage::Linkage>,
    /// Shared libraries by their file names, also links to them and such that are not of the field: where they are once all that was
    /// named together is installed.
    pub shared_libraries: BTreeMap<String, BTreeSet<String>>,
    /// Number of places in it.
    pub(crate) libraries_kept: usize,
    /// Shared libraries of which not all is kept, since there are too many.
    pub libraries_more: u64,
    /// Memory that `linkage` takes.
    pub(crate) linked_bytes: u64,
    /// Kernels that were compiled at run time, by what their compiler wrote beside them.
    pub compiled: Vec<compiled_kernel::CompiledKernel>,
    /// Tables that say which code object serves which call.
    pub manifests: Vec<kernel_manifest::KernelManifest>,
    /// Places of the user's caches that were asked for.
    pub user_places: Vec<UserPlace>,
    /// Which installed packages have which files.
    pub(crate) ownership: ownership::Ownership,
    /// Programs' own lists of GPUs: the path of the library, and the processors.
    pub own_lists: Vec<(String, Vec<&'static str>)>,
    /// What compiles kernels at run time.
    pub run_time_compilers: run_time_compiler::RunTimeCompilers,
    /// What could not be read.
    pub findings: Vec<Finding>,
    /// How many more findings there were than are kept.
    pub findings_more: u64,
    /// What was seen and not looked into.
    pub not_examined: Vec<NotExamined>,
    /// Number of regular files and their bytes. The members of packages count, unpacked; their packages do not.
    pub files: Tally,
    /// Files, folders and members of packages that were left out.
    pub excluded: u64,
    /// Packages whose members were read.
    pub packages: Vec<PackageFacts>,
    /// What is there more than once.
    pub duplicates: Duplicates,
    /// Symbolic links that were not followed.
    pub links: u64,
    /// Further names of files that were read: hard links, and links that were followed.
    pub other_names: u64,
    /// Links and hard links that name files of library folders, until these are known.
    pub(crate) named_otherwise: Vec<other_names::OtherName>,
}

/// What files are that nothing was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// Of a format.
    Format(Format),
    /// A scanner would read them, and was asked not to.
    Skipped,
    /// They could not be read.
    Unreadable,
}

impl Uncounted {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Uncounted::Format(format) => format.name(),
            Uncounted::Skipped => "skipped by --only or --skip",
            Uncounted::Unreadable => "unreadable",
        }
    }
}

/// By name, as reports list them.
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
    /// What it is.
    pub format: Format,
    /// Size in bytes.
    pub bytes: u64,
    /// Its members that are files, and their bytes, unpacked.
    pub members: Tally,
    /// The layers of the images of containers in it.
    pub layers: Vec<Layer>,
    /// Name and version of what it installs, where it says so.
    pub identity: Option<Arc<str>>,
}

/// A place where a program keeps a cache of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlace {
    /// Whose: `Triton`.
    pub of: &'static str,
    /// The folder or file.
    pub path: String,
    /// The variable that names it; `None` where it is the default place.
    pub variable: Option<&'static str>,
    /// Whether something is there.
    pub is_there: bool,
}

/// A number of things and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Count"))]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }

    /// Adds those of a part.
    pub fn merge(&mut self, other: Tally) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// One file that carries something a report speaks of.
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
    /// Who has put it there, where that is known: a layer of an image.
    pub owner: Option<Arc<str>>,
    /// The package that it is of, with its version, where one says so: that it lies in, or that is installed.
    pub package: Option<Arc<str>>,
    /// The library it belongs to.
    pub library: String,
    /// The scanner that claimed it.
    pub scanner: &'static str,
    /// Size in bytes.
    pub bytes: u64,
    /// The target that its name names.
    pub named_target: Option<TargetId>,
    /// What it is.
    pub kind: ArtifactKind,
    /// Device code in it.
    pub device: Option<DeviceCode>,
    /// The file that it is another name of, as reports show it: a link, or a hard link, whose bytes and device code are counted
    /// there. See [`Inventory::file_of`].
    pub link_to: Option<String>,
}

/// What an artifact is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactKind {
    /// A file that carries device code and nothing else that is counted.
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
        /// The name that the file begins with: `vega10`, `gc_11_0_0`, `psp_13_0_0`.
        codename: String,
        /// True for a symbolic link to another firmware file.
        alias: bool,
        /// The release of firmware for the micro engine scheduler.
        mes_release: Option<u32>,
    },
    /// A statement of a version.
    Version {
        /// Of what.
        component: String,
        /// The version as it stands.
        version: String,
    },
}

/// What the name and the head of a Tensile file say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensileFacts {
    /// The type code: `HH`, `SS`, `I8I`, `4xi8I`.
    pub type_code: Option<String>,
    /// Number of solutions that a catalog lists; `None` where it is not one or was not read.
    pub solutions: Option<u64>,
    /// Of a catalog of everything: how many of its solutions each processor's row leads to.
    pub of_processors: Vec<(String, u64)>,
    /// What the file holds, for comparing it with the other files of its folder; `None` where it is no catalog and no code.
    pub content: Option<Arc<LazyContent>>,
}

/// What is counted of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// `HIP`, `OpenCL`, or nothing where the name says neither.
    pub backend: Option<String>,
    /// Number of compute units that the name states.
    pub compute_units: Option<u32>,
    /// How it is stored.
    pub form: DatabaseForm,
    /// Lines or records; `None` where they could not be counted.
    pub records: Option<u64>,
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
    /// A Git LFS pointer: the database itself is not there.
    GitLfsPointer,
    /// A model that predicts solvers.
    SolverModel,
    /// A model that predicts the parameters of kernels.
    ParameterModel,
}

/// Something that was seen and not looked into.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotExamined {
    /// What, in words.
    pub what: String,
    /// The path as reports show it.
    pub shown: String,
    /// Its size in bytes.
    pub bytes: u64,
}
