//! Which release of hipBLASLt a folder belongs to, and which rules answer for it.
//!
//! The rules of the choice changed between releases: how far a row of a grid is (its distance, and whether
//! the earlier or the later of two equally near rows wins), how a batch is folded into M and N, whether the
//! workspace is rounded up to tiles, and whether checks of offsets stop at N. Catalogs do not say which
//! release wrote them; the library near them does, by the number that `hipblasLtGetVersion` gives and, where
//! its code does not show that, by its name.
#![deny(clippy::indexing_slicing)]

use crate::tensile::version::{self, Version};
use amdgpu_object::bytes::elf;
use rocm_audit_files::input::folder::Folder;
use std::path::PathBuf;

/// Releases of hipBLASLt and the ROCm that they came with. Source: `CHANGELOG.md` of hipBLASLt, whose
/// headings name both; those before 0.10 name no ROCm, and are left out.
pub(crate) const KNOWN: &[(Version, &str)] = &[
    (Version::new(0, 10), "6.3"),
    (Version::new(0, 12), "6.4"),
    (Version::new(1, 0), "7.0"),
    (Version::new(1, 1), "7.1"),
    (Version::new(1, 2), "7.2"),
    (Version::new(1, 4), "7.14"),
    (Version::new(1, 5), "10.1"),
];

/// Releases of hipSPARSELt, likewise. Source: its `CHANGELOG.md`.
const KNOWN_SPARSE: &[(u32, &str)] = &[(2, "6.3"), (3, "6.4"), (4, "7.0"), (5, "7.1"), (6, "7.2")];

/// A library with catalogs of this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteLibrary {
    /// hipBLASLt.
    HipBlasLt,
    /// hipSPARSELt, whose products have a sparse matrix.
    HipSparseLt,
}

impl LiteLibrary {
    /// The beginning of its file's name.
    pub fn stem(self) -> &'static str {
        match self {
            LiteLibrary::HipBlasLt => "libhipblaslt.so",
            LiteLibrary::HipSparseLt => "libhipsparselt.so",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LiteLibrary::HipBlasLt => "hipBLASLt",
            LiteLibrary::HipSparseLt => "hipSPARSELt",
        }
    }

    fn stated(self, library: &[u8]) -> Option<Version> {
        match self {
            LiteLibrary::HipBlasLt => Version::of_hipblaslt(library),
            LiteLibrary::HipSparseLt => Version::of_hipsparselt(library),
        }
    }

    /// The ROCm that a version came with.
    fn rocm(self, version: Version) -> Option<&'static str> {
        match self {
            LiteLibrary::HipBlasLt => {
                KNOWN.iter().find(|(known, _)| *known == version.minor_release()).map(|(_, rocm)| *rocm)
            }
            LiteLibrary::HipSparseLt if version.minor_release() == Version::new(0, 2) => {
                KNOWN_SPARSE.iter().find(|(patch, _)| *patch == version.patch).map(|(_, rocm)| *rocm)
            }
            LiteLibrary::HipSparseLt => None,
        }
    }

    /// The rules that answer for a version.
    fn rules(self, version: Version) -> ChoiceRules {
        match self {
            LiteLibrary::HipBlasLt => ChoiceRules::for_version(version),
            // Of the ROCm before 7.2 no library was run; its copy of TensileLite is that of hipBLASLt.
            LiteLibrary::HipSparseLt if version < SPARSE_OF_7_2 => ChoiceRules::Of1_1,
            LiteLibrary::HipSparseLt => ChoiceRules::Of1_2,
        }
    }

    /// Whether the library of a version was run and compared.
    fn was_run(self, version: Version) -> bool {
        match self {
            LiteLibrary::HipBlasLt => ChoiceRules::are_of(version),
            LiteLibrary::HipSparseLt => version == SPARSE_OF_7_2,
        }
    }
}

/// hipSPARSELt of ROCm 7.2.
const SPARSE_OF_7_2: Version = Version { major: 0, minor: 2, patch: 6 };

/// The rules of a choice. Each set is that of the first release that has it, and is in force until the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChoiceRules {
    /// Those of hipBLASLt 1.1 (ROCm 7.1).
    Of1_1,
    /// Those of hipBLASLt 1.2 (ROCm 7.2): cells of a grid have a level of batches, and checks of offsets stop
    /// at N.
    Of1_2,
    /// Those of hipBLASLt 1.4 (ROCm 7.14), by its source alone: the model that ranks asks the device for its
    /// dies.
    Of1_4,
}

impl ChoiceRules {
    /// The rules that answer for a version: its own, or those of the nearest release that has some.
    pub fn for_version(version: Version) -> ChoiceRules {
        if version < Version::new(1, 2) {
            ChoiceRules::Of1_1
        } else if version < Version::new(1, 4) {
            ChoiceRules::Of1_2
        } else {
            ChoiceRules::Of1_4
        }
    }

    /// Whether a version is one whose library was run and compared with them.
    pub fn are_of(version: Version) -> bool {
        [Version::new(1, 1), Version::new(1, 2)].contains(&version.minor_release())
    }

    /// How many rows the checks of offsets into C and D take, of a kernel's own number for a problem with N
    /// columns.
    pub(super) fn rows(self, own: u64, n: u64) -> u64 {
        if self >= ChoiceRules::Of1_2 { own.min(n) } else { own }
    }

    /// The ROCm that the release came with.
    pub fn rocm(self) -> &'static str {
        match self {
            ChoiceRules::Of1_1 => "7.1",
            ChoiceRules::Of1_2 => "7.2",
            ChoiceRules::Of1_4 => "7.14",
        }
    }

    /// The release in words.
    pub fn release(self) -> &'static str {
        match self {
            ChoiceRules::Of1_1 => "hipBLASLt 1.1 (ROCm 7.1)",
            ChoiceRules::Of1_2 => "hipBLASLt 1.2 (ROCm 7.2)",
            ChoiceRules::Of1_4 => {
                "hipBLASLt 1.4 (ROCm 7.14), read in its source and compared with no library"
            }
        }
    }
}

/// How the rules of the answer stand to the library of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// The library is of a release whose rules answer.
    Same(Library),
    /// It is of another release, whose rules differ in ways that are known in part.
    Other(Library),
    /// No library lies near the catalogs.
    NotFound,
}

/// A library file and what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// The file.
    pub path: PathBuf,
    /// Which library it is.
    pub of: LiteLibrary,
    /// Its version.
    pub version: Option<Version>,
    /// Whether its code states the version, not only its name.
    pub stated: bool,
    /// The release in words: `hipBLASLt 1.1 (ROCm 7.1)`, where the version is known.
    pub release: Option<String>,
}

impl Release {
    /// The release of the library that would load a folder: in the folders above it.
    pub fn near(folder: &Folder, of: LiteLibrary) -> Release {
        let found = folder.ancestors().skip(1).take(4).find_map(|folder| {
            let name = version::library_in(&folder, of.stem())?;
            Some((folder, name))
        });
        let Some((folder, name)) = found else { return Release::NotFound };
        let file = folder.open(&name).ok();
        let stated = file.as_ref().and_then(|file| of.stated(file.bytes()));
        let stated = stated.filter(|_| file.is_some_and(|file| file.check_unchanged().is_ok()));
        Release::from_path(folder.path_of(&name), of, &name, stated)
    }

    fn from_path(path: PathBuf, of: LiteLibrary, name: &str, stated: Option<Version>) -> Release {
        let named = || name.split_once(".so.").and_then(|(_, number)| Version::parse(number));
        let version = stated.or_else(named);
        let release = version.and_then(|version| {
            let rocm = of.rocm(version)?;
            let patch =
                if of == LiteLibrary::HipSparseLt { format!(".{}", version.patch) } else { String::new() };
            Some(format!("{} {}.{}{patch} (ROCm {rocm})", of.name(), version.major, version.minor))
        });
        let same = version.is_some_and(|version| of.was_run(version));
        let library = Library { path, of, version, stated: stated.is_some(), release };
        if same { Release::Same(library) } else { Release::Other(library) }
    }

    /// The library.
    pub fn library(&self) -> Option<&Library> {
        match self {
            Release::Same(library) | Release::Other(library) => Some(library),
            Release::NotFound => None,
        }
    }

    /// Whether the library near a folder has the stamp of a build among its constants; `None` where it cannot
    /// be looked into.
    pub fn is_built_by(&self, folder: &Folder, stamp: &str) -> Option<bool> {
        self.has_constant(folder, &[stamp])
    }

    /// Whether the library near a folder was built with the compiler RocRoller; `None` where it cannot be
    /// looked into.
    pub fn compiles_at_run_time(&self, folder: &Folder) -> Option<bool> {
        self.has_constant(folder, &["RocRoller", "rocRoller", "rocroller"])
    }

    fn has_constant(&self, folder: &Folder, any: &[&str]) -> Option<bool> {
        let name = self.library()?.path.file_name()?.to_str()?.to_owned();
        let folder = folder.ancestors().skip(1).take(4).find(|folder| folder.has(&name))?;
        let file = folder.open(&name).ok()?;
        let constants = elf::named_section(file.bytes(), b".rodata")?;
        let has =
            |text: &&str| !text.is_empty() && memchr::memmem::find(constants, text.as_bytes()).is_some();
        let found = any.iter().any(has);
        file.check_unchanged().is_ok().then_some(found)
    }

    /// The rules that answer. Where no library says which, they are those of 1.1, which more was compared
    /// with.
    pub fn rules(&self) -> ChoiceRules {
        let library = self.library().and_then(|library| Some(library.of.rules(library.version?)));
        library.unwrap_or(ChoiceRules::Of1_1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_library_says_its_release() {
        let of = |name: &str| Release::from_path(PathBuf::from(name), LiteLibrary::HipBlasLt, name, None);
        let Release::Same(own) = of("libhipblaslt.so.1.1.70100") else { unreachable!() };
        assert_eq!(own.release.as_deref(), Some("hipBLASLt 1.1 (ROCm 7.1)"));
        let Release::Other(older) = of("libhipblaslt.so.0.12") else { unreachable!() };
        assert_eq!(older.release.as_deref(), Some("hipBLASLt 0.12 (ROCm 6.4)"));
        let Release::Other(unknown) = of("libhipblaslt.so.9.9") else { unreachable!() };
        assert_eq!((unknown.version, unknown.release), (Some(Version::new(9, 9)), None));
        assert!(matches!(of("libhipblaslt.so"), Release::Other(Library { version: None, .. })));
    }

    #[test]
    fn what_the_code_states_comes_before_the_name() {
        // A distribution can name it by the interface alone.
        let from = |name, stated| Release::from_path(PathBuf::new(), LiteLibrary::HipBlasLt, name, stated);
        let stated = from("libhipblaslt.so.1", Version::of_number(100_202));
        assert_eq!(stated.rules(), ChoiceRules::Of1_2);
        let Release::Same(library) = stated else { unreachable!() };
        assert_eq!(library.release.as_deref(), Some("hipBLASLt 1.2 (ROCm 7.2)"));
        assert_eq!(from("libhipblaslt.so.1.1", None).rules(), ChoiceRules::Of1_1);
        assert_eq!(from("libhipblaslt.so.1.4", None).rules(), ChoiceRules::Of1_4);
        assert_eq!(Release::NotFound.rules(), ChoiceRules::Of1_1);
    }

    #[test]
    fn libraries_of_sparse_products_have_numbers_of_their_own() {
        let of = |number| {
            let stated = Version::of_number(number);
            Release::from_path(PathBuf::new(), LiteLibrary::HipSparseLt, "libhipsparselt.so.0.2", stated)
        };
        let Release::Same(own) = of(206) else { unreachable!() };
        assert_eq!(own.release.as_deref(), Some("hipSPARSELt 0.2.6 (ROCm 7.2)"));
        assert_eq!(of(206).rules(), ChoiceRules::Of1_2);
        // Of the name alone, 0.2, the third number is not known.
        assert!(matches!(of(205), Release::Other(_)));
        assert_eq!(of(205).rules(), ChoiceRules::Of1_1);
    }
}
