//! What the libraries in a tree choose with, and the versions of these libraries.

use super::miopen_build::{self, Lacking};
use crate::bytes::elf::{self, Elf};
use crate::engines::miopen::folder::{Database, DatabaseFolder};
use crate::engines::miopen::release_text;
use crate::engines::miopen::solver::Version;
use crate::engines::miopen::solver::clause::class;
use crate::engines::tensile::consistency::FolderOwner;
use crate::engines::tensile::lite::release::LiteLibrary;
use crate::engines::tensile::name::{self, Name, Role};
use crate::engines::tensile::packed;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::tensile::OTHER_RELEASE;
use crate::input::folder::Folder;
use crate::input::install::{Install, InstallFile};
use crate::limits::{ELF_HEADERS, TEXT_BYTES};
use crate::scan::library_names;
use crate::source::SourceFile;
use crate::target::TargetId;
use crate::tree::wanted::is_miopen_header;
use memchr::memmem;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

/// The facts of an install.
#[derive(Debug, Default)]
pub struct InstallFacts {
    /// Folders with catalogs, by path.
    pub tensile_folders: Vec<TensileFolder>,
    /// Folders with databases of MIOpen, by path.
    pub database_folders: Vec<Folder>,
    /// MIOpen's library file, if the tree has it.
    miopen_file: Option<InstallFile>,
    miopen: OnceLock<Option<MiopenLibrary>>,
    /// The header that states MIOpen's version.
    version_header: Option<InstallFile>,
    /// The most precise name of rocBLAS's library, if the tree has it: `librocblas.so.4.4`.
    pub rocblas: Option<String>,
}

/// A folder with Tensile catalogs and code objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensileFolder {
    /// The folder.
    pub folder: Folder,
    /// The library that owns it.
    pub owner: FolderOwner,
    /// Whether it belongs to hipSPARSELt, which uses hipBLASLt's layout.
    pub is_sparse: bool,
    /// The targets for which it has a master catalog.
    pub targets: BTreeSet<TargetId>,
    /// Whether it has a single catalog of everything.
    pub has_one_catalog: bool,
    /// The processor the folder is named for, if its library searches it for that processor alone.
    pub only: Option<String>,
}

impl TensileFolder {
    /// Whether its library searches it for any of these processors, or, if `processors` is empty, at all.
    pub fn serves(&self, processors: &[String]) -> bool {
        processors.is_empty() || self.only.as_ref().is_none_or(|only| processors.contains(only))
    }
}

/// A version and the file that states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedVersion {
    /// The version.
    pub version: Version,
    /// The name of the file.
    pub file: String,
}

/// What `libMIOpen.so` states about its build.
#[derive(Debug)]
pub struct MiopenLibrary {
    /// The file's name.
    pub file: String,
    /// The version in the text `MIOpen version 3.4.0` among its constants.
    pub version: Option<Version>,
    /// Parts that it was built without.
    pub without: Vec<Lacking>,
    /// The file itself; its symbol names are read later.
    source: SourceFile,
}

impl InstallFacts {
    pub(super) fn from_install(install: &Install) -> InstallFacts {
        let header =
            |file: &&InstallFile| is_miopen_header(&file.path().to_string_lossy().replace('\\', "/"));
        InstallFacts {
            tensile_folders: tensile_folders(install),
            database_folders: install.folders_with(|name| Database::of_name(name, false).is_some()),
            miopen_file: install.named(|name| name.starts_with("libMIOpen.so")).next().cloned(),
            miopen: OnceLock::new(),
            version_header: install.named(|name| name == "version.h").find(header).cloned(),
            rocblas: install
                .named(|name| name.starts_with("librocblas.so"))
                .map(|file| file.name.clone())
                .max_by_key(String::len),
        }
    }

    /// MIOpen's library, if the tree has it and it is readable. Opened on first use.
    pub fn miopen(&self) -> Option<&MiopenLibrary> {
        self.miopen.get_or_init(|| miopen_library(self.miopen_file.as_ref()?)).as_ref()
    }

    /// MIOpen's version: from its header, else from its library.
    pub fn miopen_version(&self) -> Option<StatedVersion> {
        let library = || {
            let library = self.miopen()?;
            Some(StatedVersion { version: library.version?, file: library.file.clone() })
        };
        self.version_header.as_ref().and_then(version_header).or_else(library)
    }

    /// The finding for a rocBLAS folder that was made for another release than the library's. From
    /// `librocblas.so.4` on, each target has a master catalog; source: rocBLAS of ROCm 5.5 to 7.1, its
    /// packages and `tensile_host.cpp`.
    pub fn release_conflict(&self, folder: &TensileFolder) -> Option<Finding> {
        let library = self.rocblas.as_ref().filter(|_| folder.owner == FolderOwner::RocBlas)?;
        let major: u32 = library.strip_prefix("librocblas.so.")?.split('.').next()?.parse().ok()?;
        let one_catalog = folder.targets.is_empty() && folder.has_one_catalog;
        let what =
            format!("one catalog for all targets, and {library}, whose release has one for each target");
        let path = folder.folder.path().join("TensileLibrary.dat");
        let location = Location::file(path.to_string_lossy(), what);
        (major >= FIRST_WITH_LAZY_CATALOGS && one_catalog).then(|| Finding::at(&OTHER_RELEASE, location))
    }

    /// The folders of rocBLAS's catalogs.
    pub fn rocblas_folders(&self) -> impl Iterator<Item = &TensileFolder> {
        self.tensile_folders.iter().filter(|folder| folder.owner == FolderOwner::RocBlas)
    }

    /// The folders of hipBLASLt, which serve dense products, or those of hipSPARSELt.
    pub fn lite_folders(&self, of: LiteLibrary) -> impl Iterator<Item = &TensileFolder> {
        let is_sparse = of == LiteLibrary::HipSparseLt;
        self.tensile_folders
            .iter()
            .filter(move |folder| folder.owner == FolderOwner::HipBlasLt && folder.is_sparse == is_sparse)
    }

    /// The databases that MIOpen would use: in a root itself or in its `share/miopen/db`, else in the first
    /// folder below that has any.
    pub fn databases(&self, install: &Install) -> Option<DatabaseFolder> {
        let filled =
            |folder: &Folder| DatabaseFolder::open(folder).ok().filter(|folder| !folder.databases.is_empty());
        let usual = |root: &Path| {
            filled(&root.into()).or_else(|| filled(&Folder::on_disk(root.join("share/miopen/db"))))
        };
        let usual = install.roots().iter().find_map(|root| usual(root));
        usual.or_else(|| self.database_folders.iter().find_map(filled))
    }
}

/// The first `librocblas.so.N` whose folder has a master catalog for each target.
const FIRST_WITH_LAZY_CATALOGS: u32 = 4;

/// The folders with files of a Tensile library, and their owners.
fn tensile_folders(install: &Install) -> Vec<TensileFolder> {
    /// What a folder's file names show.
    #[derive(Default)]
    struct FileNameFacts {
        has_library: bool,
        has_extension: bool,
        has_one_catalog: bool,
        targets: BTreeSet<TargetId>,
    }
    let mut folders: KeyMap<&Folder, FileNameFacts> = KeyMap::new();
    // The files of one folder are adjacent, so most need no look-up.
    for files in install.files().chunk_by(|a, b| a.folder == b.folder) {
        let mut named = FileNameFacts::default();
        for (file, role) in files.iter().filter_map(|file| Some((file, Name::role_of(&file.name)?))) {
            named.has_extension |= file.name.ends_with(packed::EXTENSION);
            match role {
                Role::Extension => named.has_extension = true,
                Role::Helper => {}
                Role::MergedCatalog => (named.has_one_catalog, named.has_library) = (true, true),
                _ => named.has_library = true,
            }
            if role == Role::LazyCatalog {
                named.targets.extend(Name::parse(&file.name).and_then(|name| name.target));
            }
        }
        if let Some(file) = files.first() {
            let known = folders.entry(&file.folder).or_default();
            known.has_library |= named.has_library;
            known.has_extension |= named.has_extension;
            known.has_one_catalog |= named.has_one_catalog;
            known.targets.extend(named.targets);
        }
    }
    let with_library = folders.into_iter().filter(|(_, named)| named.has_library);
    with_library
        .map(|(folder, named)| {
            let inside = format!("{}/", folder.path().to_string_lossy().replace('\\', "/"));
            let library = library_names::library_name(&inside);
            let by_files = || if named.has_extension { FolderOwner::HipBlasLt } else { FolderOwner::RocBlas };
            let owner = FolderOwner::of_library(&library).unwrap_or_else(by_files);
            let is_sparse = library == "hipSPARSELt";
            let FileNameFacts { targets, has_one_catalog, .. } = named;
            let path = folder.path().to_string_lossy().replace('\\', "/");
            let only = name::folder_of_processor(&path).map(|(_, only)| only.to_owned());
            TensileFolder { folder: folder.clone(), owner, is_sparse, targets, has_one_catalog, only }
        })
        .collect()
}

fn miopen_library(found: &InstallFile) -> Option<MiopenLibrary> {
    let file = found.open().ok()?;
    let elf = Elf::open(file.bytes(), 0).ok()?;
    let sections = elf.sections_up_to(ELF_HEADERS).ok()?;
    let section = |name: &[u8]| {
        let section = sections.iter().find(|section| section.name == name)?;
        elf.section_bytes(section).ok()
    };
    let version = section(b".rodata").and_then(release_text::among_constants);
    let version = version.map(|(major, minor, patch)| Version(major, minor, patch));
    let without = miopen_build::lacking(&elf);
    file.check_unchanged().ok()?;
    Some(MiopenLibrary { file: found.name.clone(), version, without, source: file })
}

impl MiopenLibrary {
    /// Whether the library's symbols name the applicability check of a solver. A template's name has its
    /// parameters at the end, so comparing the class name is enough.
    pub fn has_solver(&self, solver: &str) -> bool {
        let class = class(solver);
        // Reads only the symbol names, not the gigabytes in other sections.
        let names = elf::named_section(self.source.bytes(), b".dynstr").unwrap_or_default();
        memmem::find(names, format!("{}{class}", class.len()).as_bytes()).is_some()
    }
}

fn version_header(found: &InstallFile) -> Option<StatedVersion> {
    let file = found.open().ok()?;
    let text = std::str::from_utf8(file.bytes().get(..TEXT_BYTES.min(file.bytes().len()))?).ok()?;
    let number = |name: &str| {
        let line =
            text.lines().find_map(|line| line.trim().strip_prefix("#define")?.trim().strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let version = Version(
        number("MIOPEN_VERSION_MAJOR")?,
        number("MIOPEN_VERSION_MINOR")?,
        number("MIOPEN_VERSION_PATCH")?,
    );
    Some(StatedVersion { version, file: found.name.clone() })
}
