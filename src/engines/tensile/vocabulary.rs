//! Whether a library knows the words of its catalogs: the types of nodes, predicates and properties.
//!
//! A library refuses a whole catalog for one type that it does not have, and the names of all that it has stand among its
//! constants. So whether a catalog of another release loads can be read from both, whatever their versions say.
#![deny(clippy::indexing_slicing)]

use super::consistency::Owner;
use super::name::{Name, Role};
use super::version;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::tensile::WORD_UNKNOWN;
use crate::input::folder::Folder;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Words that every library of the kind has; where they are not among its bytes, its constants are stored otherwise.
const OF_ALL: [&[u8]; 3] = [b"TruePred", b"Placeholder", b"OperationIdentifierEqual"];

/// The shortest word that is looked for: shorter ones can be parts of instructions.
const SHORTEST: usize = 4;

/// The types that a catalog in MessagePack names.
pub fn words(catalog: &[u8]) -> HashSet<&[u8]> {
    const KEY: &[u8] = b"\xa4type";
    let mut words = HashSet::new();
    for at in memchr::memmem::find_iter(catalog, KEY) {
        let behind = catalog.get(at + KEY.len()..).unwrap_or_default();
        let word = match *behind {
            [head @ 0xa0..=0xbf, ref rest @ ..] => rest.get(..usize::from(head & 0x1f)),
            [0xd9, length, ref rest @ ..] => rest.get(..usize::from(length)),
            _ => None,
        };
        let is_name = |word: &&[u8]| word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        words.extend(word.filter(is_name).filter(|word| word.len() >= SHORTEST));
    }
    words
}

/// The words that a library does not have, or nothing where its constants cannot be told.
pub fn unknown<'w>(library: &[u8], words: impl IntoIterator<Item = &'w [u8]>) -> Vec<&'w [u8]> {
    let has = |word: &[u8]| memchr::memmem::find(library, word).is_some();
    if !OF_ALL.iter().all(|word| has(word)) {
        return Vec::new();
    }
    words.into_iter().filter(|word| !has(word)).collect()
}

/// The catalogs of a folder that its library refuses for a word, one finding for each word.
pub fn check(folder: &Folder, owner: Owner) -> Vec<Finding> {
    let stem = match owner {
        Owner::RocBlas => "librocblas.so",
        Owner::HipBlasLt => "libhipblaslt.so",
    };
    let near = folder.ancestors().skip(1).take(4).find_map(|folder| {
        let name = version::library_in(&folder, stem)?;
        Some((folder, name))
    });
    let Some((above, name)) = near else { return Vec::new() };
    let Ok(library) = above.open(&name) else { return Vec::new() };
    let is_catalog = |name: &String| {
        let role = Name::role_of(name);
        let catalogs = [Role::LazyCatalog, Role::Catalog, Role::FallbackCatalog, Role::MergedCatalog];
        name.ends_with(".dat") && role.is_some_and(|role| catalogs.contains(&role))
    };
    let names: Vec<String> = folder.names().into_iter().filter(is_catalog).collect();
    let of_each: Vec<BTreeSet<Vec<u8>>> = names
        .par_iter()
        .map(|name| {
            let file = folder.open(name).ok();
            let words = file.as_ref().map(|file| words(file.bytes())).unwrap_or_default();
            words.into_iter().map(<[u8]>::to_vec).collect()
        })
        .collect();
    let all: BTreeSet<&[u8]> = of_each.iter().flatten().map(Vec::as_slice).collect();
    let mut found: BTreeMap<&[u8], Vec<&String>> = BTreeMap::new();
    for word in unknown(library.bytes(), all) {
        let with = names.iter().zip(&of_each).filter(|(_, words)| words.contains(word));
        found.entry(word).or_default().extend(with.map(|(name, _)| name));
    }
    let one = |(word, catalogs): (&[u8], Vec<&String>)| {
        let first = catalogs.first().map(|name| name.as_str()).unwrap_or_default();
        let others = match catalogs.len() - 1 {
            0 => String::new(),
            others => format!(" and in {others} other catalogs"),
        };
        Finding {
            detail: format!("{name} has no {} of {first}{others}", String::from_utf8_lossy(word)),
            ..Finding::at(&WORD_UNKNOWN, Location::file(folder.path_of(first).to_string_lossy(), ""))
        }
    };
    found.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_refuses_the_words_that_it_does_not_have() {
        let catalog = b"\x82\xa4type\xa8TruePred\xa5value\x81\xa4type\xd9\x20ANameThatIsLongerThanThirtyOneXY\xa4type\x01";
        let words = words(catalog);
        assert!(words.contains(&b"TruePred"[..]) && words.len() == 2, "{words:?}");
        let library = b"..TruePred\0Placeholder\0OperationIdentifierEqual\0";
        assert_eq!(unknown(library, words.iter().copied()), [&b"ANameThatIsLongerThanThirtyOneXY"[..]]);
        // What keeps its constants otherwise says nothing.
        assert!(unknown(b"TruePred", words).is_empty());
        assert!(super::words(b"\xa4type").is_empty());
    }

    #[test]
    fn the_library_above_a_folder_is_asked() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("hipblaslt/library");
        std::fs::create_dir_all(&folder).unwrap();
        let name = "TensileLibrary_lazy_gfx942.dat";
        std::fs::write(folder.join(name), b"\x81\xa4type\xb0GateResidualList").unwrap();
        let found = || check(&Folder::on_disk(&folder), Owner::HipBlasLt);
        assert!(found().is_empty());
        let file = root.path().join("libhipblaslt.so.1.2");
        std::fs::write(&file, b"TruePred Placeholder OperationIdentifierEqual").unwrap();
        let [one] = &found()[..] else { unreachable!() };
        assert_eq!(one.rule, &WORD_UNKNOWN);
        assert_eq!(one.detail, format!("libhipblaslt.so.1.2 has no GateResidualList of {name}"));
        std::fs::write(&file, b"TruePred Placeholder OperationIdentifierEqual GateResidualList").unwrap();
        assert!(found().is_empty());
    }
}
