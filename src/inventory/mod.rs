//! Facts: what was found, where, and what went wrong. Scanners add to it; nothing is ever taken away.

pub mod copies;

use crate::codeobject::instruction_tally::InstructionTally;
use crate::codeobject::{AbiVersion, CodeObject, KernelTotals, SectionBytes};
use crate::container::find::Gaps;
use crate::container::kpack::Reference;
use crate::finding::read_fault::ReadFault;
use crate::format::Format;
use crate::inventory::copies::{Duplicates, Fingerprint};
use crate::locator::Locator;
use crate::target::TargetId;
use std::collections::BTreeMap;

/// Everything one run found.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The roots as they were given.
    pub roots: Vec<String>,
    /// Files that carry something a report speaks of, in walking order.
    pub artifacts: Vec<Artifact>,
    /// Files that do not, by format: number and bytes.
    pub remainder: BTreeMap<&'static str, Tally>,
    /// Shared libraries of the field without device code: library and path.
    pub libraries_without_code: Vec<(String, String)>,
    /// What went wrong.
    pub problems: Vec<ReadFault>,
    /// How many more problems there were than are kept.
    pub problems_more: u64,
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
}

/// A number of things and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// Whether a catalog leads to any solution; `None` where that was not read.
    pub leads: Option<bool>,
    /// The catalogs that a first catalog leads to, per row for devices, with the processor that the row asks for.
    pub rows: Vec<(Option<String>, Vec<String>)>,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

/// The device code of one file.
#[derive(Debug, Default)]
pub struct DeviceCode {
    /// Its format.
    pub format: Option<Format>,
    /// `DT_SONAME` of a shared library.
    pub soname: Option<String>,
    /// Number of bundles.
    pub bundles: u64,
    /// Number of compressed ones among them.
    pub compressed: u64,
    /// Bytes that compressed bundles inflate to.
    pub unpacked_bytes: u64,
    /// Compressed bundles whose content was not read to its end, so that their hash is not verified.
    pub unverified: u64,
    /// Number of bundle entries by id.
    pub entries: BTreeMap<String, Tally>,
    /// Code objects by target.
    pub targets: BTreeMap<TargetId, TargetCode>,
    /// Entries that are no code objects, by what they are.
    pub other_payloads: BTreeMap<&'static str, Tally>,
    /// Bytes between bundles.
    pub gaps: Gaps,
    /// Bytes between the entries of bundles that are not compressed.
    pub between_entries: u64,
    /// Bundles that are not compressed, and their bytes.
    pub plain: Tally,
    /// All code objects, to be compared with each other.
    pub parts: Vec<Fingerprint>,
    /// Where names of the same code object disagree.
    pub disagreements: Vec<Disagreement>,
    /// Where the device code is, if it was moved out of the file.
    pub kpack: Option<Reference>,
    /// What the file holds and was not looked into.
    pub unread: Vec<String>,
}

/// Code objects of one target in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetCode {
    /// Number of code objects.
    pub objects: u64,
    /// Number of those without kernel metadata.
    pub without_metadata: u64,
    /// Number of kernel descriptors; `None` where the symbols of a code object were not read.
    pub descriptors: Option<u64>,
    /// Number of bundles in which the target occurs.
    pub bundles: u64,
    /// Bytes of the code objects, inflated.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Totals over kernels.
    pub kernels: KernelTotals,
    /// Bytes by class, of the code objects whose sections were read.
    pub sections: SectionBytes,
    /// Number of code objects by ABI version.
    pub versions: BTreeMap<AbiVersion, u64>,
    /// What its machine code is made of, where that was decoded.
    pub instructions: Option<Box<InstructionTally>>,
    /// The first code object, as evidence.
    pub first: Option<Locator>,
}

impl TargetCode {
    /// Counts a code object of `bytes` bytes.
    pub fn add(&mut self, object: &CodeObject, bytes: u64, at: impl FnOnce() -> Locator) {
        self.descriptors = self.descriptors_with(object.descriptors);
        self.objects += 1;
        self.without_metadata += u64::from(!object.has_metadata);
        self.bytes += bytes;
        self.code_bytes = self.code_bytes.saturating_add(object.code_bytes);
        self.kernels.merge(&object.kernels);
        *self.versions.entry(object.header.version).or_default() += 1;
        if let Some(sections) = &object.bytes {
            self.sections.merge(sections);
        }
        if object.code_asked {
            // What was not decoded counts as that.
            let instructions = self.instructions.get_or_insert_default();
            object.code.iter().for_each(|code| instructions.add(code));
        }
        self.first.get_or_insert_with(at);
    }

    /// The number of descriptors with those of further code objects: unknown once it is unknown for one.
    fn descriptors_with(&self, more: Option<u64>) -> Option<u64> {
        let so_far = if self.objects == 0 { Some(0) } else { self.descriptors };
        so_far.zip(more).map(|(a, b)| a + b)
    }

    /// Adds the code objects of another file.
    pub fn merge(&mut self, other: &TargetCode) {
        if other.objects > 0 {
            self.descriptors = self.descriptors_with(other.descriptors);
        }
        self.objects += other.objects;
        self.without_metadata += other.without_metadata;
        self.bundles += other.bundles;
        self.bytes += other.bytes;
        self.code_bytes = self.code_bytes.saturating_add(other.code_bytes);
        self.kernels.merge(&other.kernels);
        self.sections.merge(&other.sections);
        if let Some(instructions) = &other.instructions {
            self.instructions.get_or_insert_default().merge(instructions);
        }
        for (version, count) in &other.versions {
            *self.versions.entry(*version).or_default() += count;
        }
        if self.first.is_none() {
            self.first.clone_from(&other.first);
        }
    }
}

/// Names of the same code object that do not agree. Kept as a fact: which of them counts is the loader's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// What the bundle entry's id says, if there is one.
    pub bundle_id: Option<String>,
    /// What `e_flags` say.
    pub e_flags: String,
    /// What the kernel metadata says, if it says anything.
    pub metadata: Option<String>,
    /// What the file's name says, if it names a target.
    pub file_name: Option<String>,
    /// How many code objects of the file disagree in this way.
    pub count: u64,
    /// The first of them.
    pub first: Locator,
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
