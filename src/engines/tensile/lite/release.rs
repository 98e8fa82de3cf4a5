//! Which release of hipBLASLt a folder belongs to, and which rules answer for it.
//!
//! The rules of the choice changed between releases: how far a row of a grid is (its distance, and whether the earlier or
//! the later of two equally near rows wins), how a batch is folded into M and N, whether the workspace is rounded up to
//! tiles, and whether checks of offsets stop at N. Catalogs do not say which release wrote them; the library beside them
//! does, by the number behind its name.
#![deny(clippy::indexing_slicing)]

use crate::input::folder::Folder;
use std::path::PathBuf;

/// A release of hipBLASLt: the number behind `libhipblaslt.so.`, which is its version, and the ROCm it came with.
struct Known {
    soname: &'static str,
    rocm: &'static str,
}

/// Source: `CHANGELOG.md` of hipBLASLt, whose headings name both; those before 0.10 name no ROCm, and are left out.
const KNOWN: &[Known] = &[
    Known { soname: "0.10", rocm: "6.3" },
    Known { soname: "0.12", rocm: "6.4" },
    Known { soname: "1.0", rocm: "7.0" },
    Known { soname: RULES_OF, rocm: "7.1" },
    Known { soname: "1.2", rocm: "7.2" },
    Known { soname: "1.4", rocm: "7.14" },
    Known { soname: "1.5", rocm: "10.1" },
];

/// The release whose rules answer, by the number behind the name of its library.
pub const RULES_OF: &str = "1.1";

/// How the rules of the answer stand to the library of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// The library is of the release whose rules answer.
    Same(Library),
    /// It is of another release, whose rules differ in ways that are known in part.
    Other(Library),
    /// No library lies near the catalogs.
    NotFound,
}

/// A library file and what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// The file.
    pub path: PathBuf,
    /// The number behind its name, where it has one.
    pub number: Option<String>,
    /// The release in words: `hipBLASLt 1.1 (ROCm 7.1)`, where the number is known.
    pub release: Option<String>,
}

impl Release {
    /// The release of the library that would load a folder: in the folders above it.
    pub fn near(folder: &Folder) -> Release {
        let found = folder.ancestors().skip(1).take(4).find_map(|folder| {
            let name = library_of(&folder)?;
            Some((folder.path_of(&name), name))
        });
        found.map_or(Release::NotFound, |(path, name)| Release::of(path, &name))
    }

    fn of(path: PathBuf, name: &str) -> Release {
        let number = name.split_once(".so.").map(|(_, number)| two_parts(number));
        let known = number.as_deref().and_then(|number| KNOWN.iter().find(|known| known.soname == number));
        let release = known.map(|known| format!("hipBLASLt {} (ROCm {})", known.soname, known.rocm));
        let same = number.as_deref() == Some(RULES_OF);
        let library = Library { path, number, release };
        if same { Release::Same(library) } else { Release::Other(library) }
    }
}

/// The first two parts of a number: `1.1` of `1.1.70100`.
fn two_parts(number: &str) -> String {
    number.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// The `libhipblaslt.so*` of a folder with the longest name: the file itself, to which the shorter ones are links.
fn library_of(folder: &Folder) -> Option<String> {
    let names = folder.names().into_iter().filter(|name| name.starts_with("libhipblaslt.so"));
    names.max_by_key(|name| (name.len(), name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_library_says_its_release() {
        let of = |name: &str| Release::of(PathBuf::from(name), name);
        let Release::Same(own) = of("libhipblaslt.so.1.1.70100") else { unreachable!() };
        assert_eq!(own.release.as_deref(), Some("hipBLASLt 1.1 (ROCm 7.1)"));
        let Release::Other(older) = of("libhipblaslt.so.0.12") else { unreachable!() };
        assert_eq!(older.release.as_deref(), Some("hipBLASLt 0.12 (ROCm 6.4)"));
        let Release::Other(unknown) = of("libhipblaslt.so.9.9") else { unreachable!() };
        assert_eq!((unknown.number.as_deref(), unknown.release), (Some("9.9"), None));
        assert!(matches!(of("libhipblaslt.so"), Release::Other(Library { number: None, .. })));
    }
}
