//! Which release of hipBLASLt a folder belongs to, and which rules answer for it.
//!
//! The rules of the choice changed between releases: how far a row of a grid is (its distance, and whether the earlier or
//! the later of two equally near rows wins), how a batch is folded into M and N, whether the workspace is rounded up to
//! tiles, and whether checks of offsets stop at N. Catalogs do not say which release wrote them; the library near them
//! does, by the number that `hipblasLtGetVersion` gives and, where its code does not show that, by its name.
#![deny(clippy::indexing_slicing)]

use crate::tensile::version::{self, Version};
use amdgpu_object::bytes::elf;
use rocm_audit_files::input::folder::Folder;
use std::path::PathBuf;

/// Releases of hipBLASLt and the ROCm that they came with. Source: `CHANGELOG.md` of hipBLASLt, whose headings name both; those
/// before 0.10 name no ROCm, and are left out.
pub(crate) const KNOWN: &[(Version, &str)] = &[
    (Version::new(0, 10), "6.3"),
    (Version::new(0, 12), "6.4"),
    (Version::new(1, 0), "7.0"),
    (Version::new(1, 1), "7.1"),
    (Version::new(1, 2), "7.2"),
    (Version::new(1, 4), "7.14"),
    (Version::new(1, 5), "10.1"),
];

/// The rules of a choice. Each set is that of the first release that has it, and is in force until the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChoiceRules {
    /// Those of hipBLASLt 1.1 (ROCm 7.1).
    Of1_1,
    /// Those of hipBLASLt 1.2 (ROCm 7.2): cells of a grid have a level of batches, and checks of offsets stop at N.
    Of1_2,
    /// Those of hipBLASLt 1.4 (ROCm 7.14), by its source alone: the model that ranks asks the device for its dies.
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

    /// How many rows the checks of offsets into C and D take, of a kernel's own number for a problem with N columns.
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
    /// Its version.
    pub version: Option<Version>,
    /// Whether its code states the version, not only its name.
    pub stated: bool,
    /// The release in words: `hipBLASLt 1.1 (ROCm 7.1)`, where the version is known.
    pub release: Option<String>,
}

impl Release {
    /// The release of the library that would load a folder: in the folders above it.
    pub fn near(folder: &Folder) -> Release {
        let found = folder.ancestors().skip(1).take(4).find_map(|folder| {
            let name = version::library_in(&folder, "libhipblaslt.so")?;
            Some((folder, name))
        });
        let Some((folder, name)) = found else { return Release::NotFound };
        let file = folder.open(&name).ok();
        let stated = file.as_ref().and_then(|file| Version::of_hipblaslt(file.bytes()));
        let stated = stated.filter(|_| file.is_some_and(|file| file.check_unchanged().is_ok()));
        Release::from_path(folder.path_of(&name), &name, stated)
    }

    fn from_path(path: PathBuf, name: &str, stated: Option<Version>) -> Release {
        let named = || name.split_once(".so.").and_then(|(_, number)| Version::parse(number));
        let version = stated.or_else(named);
        let known =
            version.and_then(|version| KNOWN.iter().find(|(known, _)| *known == version.minor_release()));
        let release =
            known.map(|(known, rocm)| format!("hipBLASLt {}.{} (ROCm {rocm})", known.major, known.minor));
        let same = version.is_some_and(ChoiceRules::are_of);
        let library = Library { path, version, stated: stated.is_some(), release };
        if same { Release::Same(library) } else { Release::Other(library) }
    }

    /// The library.
    pub fn library(&self) -> Option<&Library> {
        match self {
            Release::Same(library) | Release::Other(library) => Some(library),
            Release::NotFound => None,
        }
    }

    /// Whether the library near a folder has the stamp of a build among its constants; `None` where it cannot be looked into.
    pub fn is_built_by(&self, folder: &Folder, stamp: &str) -> Option<bool> {
        self.has_constant(folder, &[stamp])
    }

    /// Whether the library near a folder was built with the compiler RocRoller; `None` where it cannot be looked into.
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

    /// The rules that answer. Where no library says which, they are those of 1.1, which more was compared with.
    pub fn rules(&self) -> ChoiceRules {
        self.library()
            .and_then(|library| library.version)
            .map_or(ChoiceRules::Of1_1, ChoiceRules::for_version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_library_says_its_release() {
        let of = |name: &str| Release::from_path(PathBuf::from(name), name, None);
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
        let stated = Release::from_path(PathBuf::new(), "libhipblaslt.so.1", Version::of_number(100_202));
        assert_eq!(stated.rules(), ChoiceRules::Of1_2);
        let Release::Same(library) = stated else { unreachable!() };
        assert_eq!(library.release.as_deref(), Some("hipBLASLt 1.2 (ROCm 7.2)"));
        assert_eq!(
            Release::from_path(PathBuf::new(), "libhipblaslt.so.1.1", None).rules(),
            ChoiceRules::Of1_1
        );
        assert_eq!(
            Release::from_path(PathBuf::new(), "libhipblaslt.so.1.4", None).rules(),
            ChoiceRules::Of1_4
        );
        assert_eq!(Release::NotFound.rules(), ChoiceRules::Of1_1);
    }
}
