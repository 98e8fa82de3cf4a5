//! Whether the files of a library folder fit together: master catalog, catalogs, code objects, kernels,
//! helper files.
//!
//! Everything is read from the files; nothing is concluded from names but what the real library concludes
//! from them. The effects in the rules of [`rocm_audit_files::finding::rules::tensile`] were measured with
//! the real rocBLAS, or say that they were not.
#![deny(clippy::indexing_slicing)]

pub mod content;
pub mod defects;
mod device;
mod forms;
mod hipblaslt;
mod manifest;
mod orphans;
mod target;

use super::catalog::{CatalogError, Fault};
use super::code_file::{CodeFile, UnreadCodeFile};
use super::coverage::{Chain, Coverage};
use super::library::master_catalogs;
use super::name::{self, Name, Role};
use super::packed;
use super::probing::{NEAR, Probing};
use amdgpu_object::source::Access;
use amdgpu_object::target::TargetId;
use content::{CatalogContent, FileContent};
use defects::Defects;
use forms::Stream;
use rayon::prelude::*;
use rocm_audit_files::error::ParseError;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::evidence::Evidence;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rules::tensile as rules;
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The library that a folder belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderOwner {
    /// rocBLAS: Tensile.
    RocBlas,
    /// hipBLASLt: TensileLite.
    HipBlasLt,
}

impl FolderOwner {
    /// By the library's name in reports; hipSPARSELt's folder is of hipBLASLt's form.
    pub fn of_library(name: &str) -> Option<Self> {
        match name {
            "rocBLAS" => Some(FolderOwner::RocBlas),
            "hipBLASLt" | HIPSPARSELT => Some(FolderOwner::HipBlasLt),
            _ => None,
        }
    }

    /// The library's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FolderOwner::RocBlas => "rocBLAS",
            FolderOwner::HipBlasLt => "hipBLASLt",
        }
    }
}

/// What was found in one folder.
#[derive(Debug)]
pub struct Consistency {
    /// The folder, as messages name it.
    pub folder: PathBuf,
    /// The library whose form its files have.
    pub owner: FolderOwner,
    /// The library that it belongs to, by its name in reports: the owner, or hipSPARSELt.
    pub library: &'static str,
    /// The targets that its files are for, sorted.
    pub targets: Vec<TargetState>,
    /// What is wrong or worth knowing, the worst first.
    pub findings: Vec<Finding>,
    /// Number of catalog files.
    pub catalogs: u64,
    /// Number of files with code.
    pub code_objects: u64,
    /// Number of solutions in all catalogs.
    pub solutions: u64,
    /// Number of rows in all tables and decision trees.
    pub tuned: u64,
}

/// What a target has.
#[derive(Debug, Clone, Default)]
pub struct TargetState {
    /// The target.
    pub target: String,
    /// Catalogs of its own.
    pub native_catalogs: u64,
    /// Catalogs that its master catalog leads to.
    pub catalogs: u64,
    /// Their solutions.
    pub solutions: u64,
    /// Solutions whose kernel is compiled from HIP source.
    pub source_kernels: u64,
    /// Distinct kernels of the solutions.
    pub kernels: u64,
    /// Files with code that they are in, helpers included.
    pub code_objects: u64,
    /// Bytes of its catalogs, the first included.
    pub catalog_bytes: u64,
    /// Bytes of these files with code.
    pub code_bytes: u64,
    /// Whether its master catalog is here and could be read.
    pub is_served: bool,
    /// What is tuned.
    pub coverage: Coverage,
    /// What a catalog of everything leads to, which names no operations.
    pub whole: Option<Chain>,
}

/// A file of the folder.
#[derive(Debug)]
struct FolderFile {
    bytes: u64,
    name: Name,
}

/// The files of a library folder with what was read of them, however it was read.
#[derive(Debug)]
pub struct LibraryFolder {
    /// The folder, as messages name it.
    path: PathBuf,
    /// The folder itself, where it can still be read: for names of kernels, and for tables beside the
    /// catalogs.
    place: Option<Folder>,
    owner: FolderOwner,
    files: BTreeMap<String, FolderFile>,
    /// Code objects whose names no library asks for.
    strays: BTreeSet<String>,
    /// What the library reads, where it is known.
    probing: Option<Probing>,
    /// Catalogs as zlib streams that are not read, by the names of the catalogs.
    streams: BTreeMap<String, Stream>,
    /// Catalogs that were read from zlib streams.
    from_streams: BTreeSet<String>,
    /// Catalogs of a form that the library does not read.
    not_read: BTreeSet<String>,
    catalogs: HashMap<String, Result<Arc<CatalogContent>, CatalogError>>,
    supplies: HashMap<String, Result<Arc<CodeFile>, UnreadCodeFile>>,
    defects: Defects,
    /// Processors with a folder of their own in it that has no catalog.
    hollow: BTreeSet<String>,
    /// Stems of catalogs that a master catalog leads to.
    led_to: BTreeSet<String>,
    /// Files with code that solutions are in.
    used: BTreeSet<String>,
}

const HIPSPARSELT: &str = "hipSPARSELt";

/// The library that a folder of this form belongs to.
fn library_of(folder: &Path, owner: FolderOwner) -> &'static str {
    let is_sparse = || folder.iter().rev().take(NEAR).any(|outer| outer == "hipsparselt");
    if owner == FolderOwner::HipBlasLt && is_sparse() { HIPSPARSELT } else { owner.name() }
}

/// Reads a folder and compares its files with each other. Only targets that are asked for are reported,
/// whether there is anything for them or not; all where none is asked for.
///
/// # Errors
/// Where the folder cannot be listed.
pub fn check(
    folder: impl Into<Folder>,
    owner: FolderOwner,
    asked: &[String],
) -> std::io::Result<Consistency> {
    let folder = folder.into();
    let library = match library_of(&folder.path(), owner) {
        "rocBLAS" => "librocblas.so",
        HIPSPARSELT => "libhipsparselt.so",
        _ => "libhipblaslt.so",
    };
    let probing = Probing::near(&folder, library);
    Ok(LibraryFolder::read(&folder, owner)?.probed_by(probing).check(asked))
}

impl LibraryFolder {
    /// A folder that nothing is known about yet.
    pub fn new(path: PathBuf, owner: FolderOwner) -> Self {
        LibraryFolder {
            path,
            place: None,
            owner,
            files: BTreeMap::new(),
            strays: BTreeSet::new(),
            probing: None,
            streams: BTreeMap::new(),
            from_streams: BTreeSet::new(),
            not_read: BTreeSet::new(),
            catalogs: HashMap::new(),
            supplies: HashMap::new(),
            defects: Defects::default(),
            hollow: BTreeSet::new(),
            led_to: BTreeSet::new(),
            used: BTreeSet::new(),
        }
    }

    /// Adds a file with what was read of it; of a file that is no part of a library folder, only the name of
    /// a code object is kept.
    pub fn add(&mut self, file: &str, bytes: u64, content: Option<&FileContent>) {
        let Some(name) = Name::parse(file) else {
            if [".co", ".hsaco"].iter().any(|end| file.ends_with(end)) {
                self.strays.insert(file.to_owned());
            }
            return;
        };
        if name.packed {
            let read = match content {
                Some(FileContent::Catalog(readings)) => readings.owner_reading(self.owner),
                _ => None,
            };
            let at = |fault: &Fault| CatalogError { path: self.path.join(file), fault: fault.clone() };
            let read = read.map(|read| read.as_ref().map(Arc::clone).map_err(at));
            let stream = Stream { listed: FolderFile { bytes, name }, read };
            self.streams.insert(name::plain(file).to_owned(), stream);
            return;
        }
        match content {
            Some(FileContent::Catalog(readings)) => {
                if let Some(read) = readings.owner_reading(self.owner) {
                    let at =
                        |fault: &Fault| CatalogError { path: self.path.join(file), fault: fault.clone() };
                    self.catalogs.insert(file.to_owned(), read.as_ref().map(Arc::clone).map_err(at));
                }
            }
            Some(FileContent::Code(read)) => _ = self.supplies.insert(file.to_owned(), read.clone()),
            None => {}
        }
        self.files.insert(file.to_owned(), FolderFile { bytes, name });
    }

    /// Reads a folder, on all cores.
    fn read(folder: &Folder, owner: FolderOwner) -> std::io::Result<Self> {
        let mut all = LibraryFolder::new(folder.path(), owner);
        all.place = Some(folder.clone());
        for file in folder.files()? {
            all.add(&file.name, file.bytes, None);
        }
        let sizes: BTreeMap<String, u64> = folder.files()?.into_iter().map(|f| (f.name, f.bytes)).collect();
        let mut largest: Vec<(&String, Name)> =
            sizes.keys().filter_map(|name| Some((name, Name::parse(name)?))).collect();
        largest.sort_rows_by_key(|(name, _)| std::cmp::Reverse(sizes.get(*name)));
        let (code, other): (Vec<_>, Vec<_>) = largest.into_iter().partition(|(_, name)| name.code);
        let catalogs: Vec<(&String, Name)> =
            other.into_iter().filter(|(_, name)| name.role != Role::Extension).collect();
        let read = |(file, name): &(&String, Name)| {
            let read = read_catalog(folder, file, owner).map(Arc::new);
            (name.packed, name::plain(file).to_owned(), read)
        };
        let open =
            |(name, _): &(&String, Name)| ((*name).clone(), CodeFile::open(folder, name).map(Arc::new));
        let catalogs: Vec<_> = catalogs.par_iter().with_max_len(1).map(read).collect();
        all.supplies = code.par_iter().with_max_len(1).map(open).collect();
        for (is_packed, name, read) in catalogs {
            match all.streams.get_mut(&name).filter(|_| is_packed) {
                Some(stream) => stream.read = Some(read),
                None => _ = all.catalogs.insert(name, read),
            }
        }
        Ok(all)
    }

    /// Whether any of its files is a catalog that a library begins with or is led to.
    pub fn has_catalogs(&self) -> bool {
        let streams = self.streams.values().map(|stream| &stream.listed);
        self.files.values().chain(streams).any(|file| !file.name.code && file.name.role != Role::Extension)
    }

    /// Compares the files with each other. Only targets that are asked for are reported, whether there is
    /// anything for them or not; all where none is asked for.
    pub fn check(mut self, asked: &[String]) -> Consistency {
        self.check_all(asked)
    }
}

fn read_catalog(folder: &Folder, name: &str, owner: FolderOwner) -> Result<CatalogContent, CatalogError> {
    let path = &folder.path_of(name);
    let file = folder.open(name).map_err(|e| CatalogError::unreadable(path, e.to_string()))?;
    file.expect(Access::Content);
    let read = match name::plain(name) == name {
        true => CatalogContent::read(file.bytes(), owner),
        false => packed::inflated(file.bytes())
            .and_then(|catalog| CatalogContent::read(&catalog, owner).map_err(ParseError::in_unpacked)),
    };
    file.check_unchanged().map_err(|change| CatalogError::unreadable(path, change.to_string()))?;
    read.map_err(|error| CatalogError::malformed_at(path, error))
}

impl LibraryFolder {
    fn check_all(&mut self, asked: &[String]) -> Consistency {
        self.settle_forms();
        self.look_into_own_folders(asked);
        let wanted = |target: &str| asked.is_empty() || asked.iter().any(|asked| asked == target);
        let all = self.all_targets();
        let nothing: Vec<String> = asked.iter().filter(|target| !all.contains(*target)).cloned().collect();
        let mut targets: Vec<TargetState> = Vec::new();
        for target in all.iter().chain(&nothing) {
            let state = self.check_target(target);
            if wanted(target) {
                targets.push(state);
            }
        }
        self.check_indices();
        self.check_orphans();
        self.check_manifest();
        if self.owner == FolderOwner::HipBlasLt {
            self.check_tables();
        } else if all.len() > 1 {
            let list = all.join(", ");
            let example = self.example("", None, list);
            self.defects.add(&rules::SEVERAL_TARGETS, None, all.len() as u64, Some(example));
        }
        let read = || self.catalogs.values().flatten();
        let count = |code: bool| self.files.values().filter(|f| f.name.code == code).count() as u64;
        Consistency {
            folder: self.path.clone(),
            owner: self.owner,
            library: library_of(&self.path, self.owner),
            catalogs: count(false) + self.streams.len() as u64,
            code_objects: count(true),
            solutions: read().map(|c| c.outline.solutions.len() as u64).sum(),
            tuned: read().map(|c| c.outline.tuned).sum(),
            targets,
            findings: std::mem::take(&mut self.defects)
                .finish((self.owner != FolderOwner::RocBlas).then_some(Evidence::Inferred))
                .into_iter()
                .filter(|defect| {
                    defect
                        .target
                        .as_deref()
                        .is_none_or(|target| wanted(target.split(':').next().unwrap_or(target)))
                })
                .collect(),
        }
    }

    /// Notes processors whose own folder is in this one and has no catalog, where the folder can still be
    /// listed.
    fn look_into_own_folders(&mut self, asked: &[String]) {
        let Some(place) = self.place.clone().filter(|_| self.owner == FolderOwner::HipBlasLt) else { return };
        for target in self.all_targets().into_iter().chain(asked.iter().cloned()) {
            let is_catalog = |name: &String| {
                Name::parse(name).is_some_and(|name| !name.code && name.role != Role::Extension)
            };
            if place.folder(&target).is_some_and(|own| !own.names().iter().any(is_catalog)) {
                self.hollow.insert(target);
            }
        }
    }

    /// The same folder, with the processors that have a folder of their own in it which has no catalog.
    #[must_use]
    pub fn with_empty_folders(mut self, processors: impl IntoIterator<Item = String>) -> Self {
        self.hollow.extend(processors);
        self
    }

    /// The processors that any file is for.
    fn all_targets(&self) -> Vec<String> {
        let of = |file: &FolderFile| {
            let target = file.name.target.as_ref()?;
            (file.name.role != Role::Extension).then(|| TargetId::bare(target.processor.clone()))
        };
        // In the order of the processors' table.
        let streams = self.streams.values().map(|stream| &stream.listed);
        let all: BTreeSet<TargetId> = self.files.values().chain(streams).filter_map(of).collect();
        all.into_iter().map(|target| target.processor).collect()
    }

    fn example(&self, file: &str, offset: Option<u64>, what: impl Into<String>) -> Location {
        let path = if file.is_empty() { self.path.clone() } else { self.path.join(self.file_of(file)) };
        let path = path.to_string_lossy().into_owned();
        Location { path, offset, what: what.into(), ..Location::default() }
    }

    /// The text of a kernel's name, read again.
    fn kernel_name(&self, file: &str, solution: usize) -> String {
        let name = || {
            let read = self.catalogs.get(file)?.as_ref().ok()?;
            let source = self.place.as_ref()?.open(&self.file_of(file)).ok()?;
            let text = read.outline.solutions.get(solution)?.kernel;
            let catalog = match self.from_streams.contains(file) {
                true => Cow::Owned(packed::inflated(source.bytes()).ok()?),
                false => Cow::Borrowed(source.bytes()),
            };
            Some(String::from_utf8_lossy(text.in_catalog(&catalog)).into_owned())
        };
        name().unwrap_or_default()
    }

    /// Indices are unique in a folder, and carry the target.
    fn check_indices(&mut self) {
        let mut seen: HashMap<u32, &str> = HashMap::new();
        let mut twice: Vec<(String, u32, String)> = Vec::new();
        let mut elsewhere: Vec<(String, u64, u32)> = Vec::new();
        let mut names: Vec<&String> = self.catalogs.keys().collect();
        names.sort_rows();
        for name in names {
            let (Some(Ok(read)), Some(listed)) = (self.catalogs.get(name), self.files.get(name)) else {
                continue;
            };
            let own = match (self.owner, listed.name.role, &listed.name.target) {
                (FolderOwner::RocBlas, Role::FallbackCatalog, _) => Some(0),
                (FolderOwner::RocBlas, Role::Catalog, Some(target)) => target
                    .processor
                    .strip_prefix("gfx")
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok()),
                _ => None,
            };
            let mut wrong = (0, 0);
            for solution in &read.outline.solutions {
                if let Some(first) = seen.insert(solution.index, name.as_str()) {
                    twice.push((name.clone(), solution.index, first.to_owned()));
                }
                if own.is_some_and(|own| solution.index >> 18 != own) {
                    wrong = (wrong.0 + 1, solution.index);
                }
            }
            if wrong.0 > 0 {
                elsewhere.push((name.clone(), wrong.0, wrong.1));
            }
        }
        for (file, index, first) in twice {
            let example = self.example(&file, None, format!("solution {index} is also in {first}"));
            self.defects.add(&rules::INDEX_TWICE, None, 1, Some(example));
        }
        for (file, count, index) in elsewhere {
            let example = self.example(&file, None, format!("solution {index}"));
            self.defects.add(&rules::INDEX_ELSEWHERE, None, count, Some(example));
        }
    }

    /// The name of the master catalog that rocBLAS takes for a processor.
    fn master(&self, processor: &str) -> Option<String> {
        master_catalogs(processor).into_iter().find(|name| self.files.contains_key(name))
    }

    fn has_master(&self, processor: &str) -> bool {
        self.master(processor).is_some()
    }
}

/// Where a catalog is broken.
fn example_of(error: &CatalogError) -> Location {
    let (offset, what) = match &error.fault {
        Fault::Malformed(error) => (Some(error.offset()), error.what().to_owned()),
        Fault::Unreadable(what) => (None, what.clone()),
    };
    let path = error.path.to_string_lossy().into_owned();
    Location { path, offset, what, ..Location::default() }
}
