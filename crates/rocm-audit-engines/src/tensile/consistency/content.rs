//! What a file of a library folder holds, as far as the files of a folder are compared by it.
#![deny(clippy::indexing_slicing)]

use super::FolderOwner;
use crate::tensile::catalog::{CatalogIndex, Fault};
use crate::tensile::catalog_summary::CatalogSummary;
use crate::tensile::code_file::{CodeFile, UnreadCodeFile};
use crate::tensile::code_objects::KernelId;
use crate::tensile::rocblas::RocBlas;
use crate::tensile::skim::Skim;
use crate::tensile::yaml;
use amdgpu_object::budget::MemoryPermit;
use amdgpu_object::source::{Access, SourceFile};
use rocm_audit_files::error::Parsed;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A catalog, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogContent {
    /// What it holds in outline.
    pub outline: CatalogSummary,
    /// The kernels of its solutions, in their order.
    pub kernels: Vec<KernelId>,
}

impl CatalogContent {
    /// Reads a catalog as the library does that owns it: rocBLAS refuses a whole file for one word that it
    /// does not know.
    ///
    /// # Errors
    /// Where it is not what the library accepts.
    pub fn read(bytes: &[u8], owner: FolderOwner) -> Parsed<Self> {
        match owner {
            FolderOwner::RocBlas if yaml::is_text(bytes) => {
                // The files of a folder are read at the same time.
                let _memory = MemoryPermit::take(Skim::memory(bytes));
                let converted = yaml::to_msgpack(bytes)?;
                Self::of_rocblas(&converted).map_err(|error| yaml::relocated(bytes, &error))
            }
            FolderOwner::RocBlas => Self::of_rocblas(bytes),
            FolderOwner::HipBlasLt => {
                CatalogSummary::read_lite(bytes).map(|outline| Self::from_outline(outline, bytes))
            }
        }
    }

    fn of_rocblas(bytes: &[u8]) -> Parsed<Self> {
        let content = CatalogIndex::<RocBlas>::read(bytes)?;
        Ok(Self::from_outline(CatalogSummary::of_content(&content), bytes))
    }

    fn from_outline(outline: CatalogSummary, bytes: &[u8]) -> Self {
        let kernels =
            outline.solutions.iter().map(|one| KernelId::from_name(one.kernel.in_catalog(bytes))).collect();
        CatalogContent { outline, kernels }
    }
}

/// A catalog as either library reads it. Whose a folder is only all of its files show, so that both readings
/// are kept where they differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogReadings {
    rocblas: Option<Result<Arc<CatalogContent>, Fault>>,
    hipblaslt: Option<Result<Arc<CatalogContent>, Fault>>,
}

impl CatalogReadings {
    /// Reads a catalog for its owner, or, where that is not known, as rocBLAS does, and if that fails as
    /// hipBLASLt does.
    pub fn read(bytes: &[u8], owner: Option<FolderOwner>) -> Self {
        let read = |owner| Some(CatalogContent::read(bytes, owner).map(Arc::new).map_err(Fault::Malformed));
        let rocblas = if owner == Some(FolderOwner::HipBlasLt) { None } else { read(FolderOwner::RocBlas) };
        let is_enough = owner == Some(FolderOwner::RocBlas) || rocblas.as_ref().is_some_and(Result::is_ok);
        let hipblaslt = if is_enough { None } else { read(FolderOwner::HipBlasLt) };
        CatalogReadings { rocblas, hipblaslt }
    }

    /// A catalog that cannot be read by either.
    pub fn refused(fault: Fault) -> Self {
        let refused = || Some(Err(fault.clone()));
        CatalogReadings { rocblas: refused(), hipblaslt: refused() }
    }

    /// What the library that owns the folder reads in it.
    pub fn owner_reading(&self, owner: FolderOwner) -> Option<&Result<Arc<CatalogContent>, Fault>> {
        match owner {
            FolderOwner::RocBlas => self.rocblas.as_ref().or(self.hipblaslt.as_ref()),
            FolderOwner::HipBlasLt => self.hipblaslt.as_ref().or(self.rocblas.as_ref()),
        }
    }
}

/// What a file of a library folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// A catalog.
    Catalog(CatalogReadings),
    /// Code.
    Code(Result<Arc<CodeFile>, UnreadCodeFile>),
}

/// What a file of a library folder holds, read when it is first asked for: a question about one target needs
/// a twentieth of a folder's catalogs. A member of a package is read at once, since there is no way back to
/// it.
#[derive(Debug)]
pub struct LazyContent {
    /// A file of the file system, with its size when it was scanned, and whose a catalog is, where its path
    /// says so.
    file: Option<(PathBuf, u64, FileRole)>,
    read: OnceLock<FileContent>,
}

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// A catalog, of this owner where its path says so.
    Catalog(Option<FolderOwner>),
    /// Code.
    Code,
}

impl LazyContent {
    /// The content of a file that is open: at once of a member of a package, else when it is asked for.
    pub fn open(file: &SourceFile, kind: FileRole) -> Self {
        match file.locator().member {
            Some(_) => LazyContent { file: None, read: OnceLock::from(read(file, kind)) },
            None => {
                let on_disk = (file.path().to_owned(), file.len(), kind);
                LazyContent { file: Some(on_disk), read: OnceLock::new() }
            }
        }
    }

    /// A content that was read already.
    pub fn known(content: FileContent) -> Self {
        LazyContent { file: None, read: OnceLock::from(content) }
    }

    /// The content. A file that is another one by now cannot be read.
    pub fn get(&self) -> &FileContent {
        self.read.get_or_init(|| {
            let Some((path, bytes, kind)) = &self.file else {
                return unreadable(FileRole::Code, "is gone");
            };
            match SourceFile::open(path) {
                Ok(file) if file.len() == *bytes => {
                    let content = read(&file, *kind);
                    file.check_unchanged()
                        .map_or_else(|what| unreadable(*kind, &what.to_string()), |()| content)
                }
                Ok(_) => unreadable(*kind, "changed while the tree was read"),
                Err(error) => unreadable(*kind, &error.to_string()),
            }
        })
    }
}

/// The same file is the same content.
impl PartialEq for LazyContent {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file && (self.file.is_some() || self.read.get() == other.read.get())
    }
}

impl Eq for LazyContent {}

fn read(file: &SourceFile, kind: FileRole) -> FileContent {
    match kind {
        FileRole::Catalog(owner) => {
            file.expect(Access::Content);
            FileContent::Catalog(CatalogReadings::read(file.bytes(), owner))
        }
        FileRole::Code => {
            let code = CodeFile::read(file.bytes(), file.head()).map_err(UnreadCodeFile::Malformed);
            FileContent::Code(code.map(|code| Arc::new(CodeFile { bytes: file.len(), ..code })))
        }
    }
}

fn unreadable(kind: FileRole, what: &str) -> FileContent {
    match kind {
        FileRole::Catalog(_) => {
            FileContent::Catalog(CatalogReadings::refused(Fault::Unreadable(what.to_owned())))
        }
        FileRole::Code => FileContent::Code(Err(UnreadCodeFile::Unreadable(what.to_owned()))),
    }
}
