//! Whether a library knows the words of its catalogs: the types of nodes, predicates and properties.
//!
//! A library refuses a whole catalog for one type that it does not have, and the names of all that it has
//! stand among its constants. So whether a catalog of another release loads can be read from both, whatever
//! their versions say.
#![deny(clippy::indexing_slicing)]

use super::consistency::FolderOwner;
use super::name::{self, Name, Role};
use super::packed;
use super::version;
use rayon::prelude::*;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rules::tensile::{KEY_MISSING, WORD_UNKNOWN};
use rocm_audit_files::input::folder::Folder;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Words that every library of the kind has; where they are not among its bytes, its constants are stored
/// otherwise.
const OF_ALL: [&[u8]; 3] = [b"TruePred", b"Placeholder", b"OperationIdentifierEqual"];

/// The shortest word that is looked for: shorter ones can be parts of instructions.
const SHORTEST: usize = 4;

/// Properties of solutions that a reader which has them requires; those that every release requires are left
/// out.
///
/// Source: `Serialization/ContractionSolution.hpp` of hipBLASLt 1.2 and of its develop of 2026.
const REQUIRED: [&[u8]; 14] = [
    b"useSFC",
    b"customMainLoopScheduling",
    b"NonTemporalD",
    b"WaveSeparateGlobalReadA",
    b"WaveSeparateGlobalReadB",
    b"UnrollLoopSwapGlobalReadOrder",
    b"DirectToVgprA",
    b"DirectToVgprB",
    b"NumLoadsCoalescedA",
    b"NumLoadsCoalescedB",
    b"VectorWidthA",
    b"VectorWidthB",
    b"DirectToLdsA",
    b"DirectToLdsB",
];

/// The keys that a library requires of solutions and a catalog with solutions does not have.
pub fn missing_keys(library: &[u8], catalog: &[u8]) -> Vec<&'static [u8]> {
    let has = |bytes: &[u8], key: &[u8]| memchr::memmem::find(bytes, key).is_some();
    if !has(catalog, b"sizeMapping") {
        return Vec::new();
    }
    REQUIRED.into_iter().filter(|key| has(library, key) && !has(catalog, key)).collect()
}

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
pub fn check(folder: &Folder, owner: FolderOwner) -> Vec<Finding> {
    let stem = match owner {
        FolderOwner::RocBlas => "librocblas.so",
        FolderOwner::HipBlasLt => "libhipblaslt.so",
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
        name::plain(name).ends_with(".dat") && role.is_some_and(|role| catalogs.contains(&role))
    };
    let names: Vec<String> = folder.names().into_iter().filter(is_catalog).collect();
    let of_each: Vec<BTreeSet<Vec<u8>>> = names
        .par_iter()
        .map(|name| {
            let file = folder.open(name).ok();
            let catalog = file.as_ref().and_then(|file| packed::content(name, file.bytes()));
            let words = catalog.as_ref().map(|catalog| words(catalog)).unwrap_or_default();
            words.into_iter().map(<[u8]>::to_vec).collect()
        })
        .collect();
    let mut findings = Vec::new();
    if owner == FolderOwner::HipBlasLt {
        findings.extend(without_keys(folder, &names, &name, library.bytes()));
    }
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
    findings.extend(found.into_iter().map(one));
    findings
}

/// Catalogs that lack keys which their library requires, one finding for each key.
fn without_keys(folder: &Folder, names: &[String], library_name: &str, library: &[u8]) -> Vec<Finding> {
    let keys: Vec<&[u8]> =
        REQUIRED.into_iter().filter(|key| memchr::memmem::find(library, key).is_some()).collect();
    if keys.is_empty() || !OF_ALL.iter().all(|word| memchr::memmem::find(library, word).is_some()) {
        return Vec::new();
    }
    // What the keys of the library are is known now; of a catalog they are looked for as they would be in the
    // library.
    let known = keys.concat();
    let of_each: Vec<Vec<&'static [u8]>> = names
        .par_iter()
        .map(|name| {
            let file = folder.open(name).ok();
            let catalog = file.as_ref().and_then(|file| packed::content(name, file.bytes()));
            catalog.map(|catalog| missing_keys(&known, &catalog)).unwrap_or_default()
        })
        .collect();
    let one = |key: &&'static [u8]| {
        let mut with = names.iter().zip(&of_each).filter(|(_, missing)| missing.contains(key));
        let (first, _) = with.next()?;
        let others = match with.count() {
            0 => String::new(),
            others => format!(" and {others} other catalogs"),
        };
        let key = String::from_utf8_lossy(key);
        Some(Finding {
            detail: format!("{library_name} requires {key} of each solution, and {first}{others} has none"),
            ..Finding::at(&KEY_MISSING, Location::file(folder.path_of(first).to_string_lossy(), ""))
        })
    };
    REQUIRED.iter().filter_map(one).collect()
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
    fn a_library_requires_the_keys_that_it_has() {
        let older = b"\xabsizeMapping\x80";
        assert!(missing_keys(b"TruePred sizeMapping", older).is_empty());
        assert_eq!(missing_keys(b"sizeMapping useSFC", older), [&b"useSFC"[..]]);
        assert!(missing_keys(b"sizeMapping useSFC", b"\xabsizeMapping\x81\xa6useSFC\xc2").is_empty());
        // A catalog that only leads to others has no solutions.
        assert!(missing_keys(b"sizeMapping useSFC", b"\xa7library").is_empty());
    }

    #[test]
    fn the_library_above_a_folder_is_asked() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("hipblaslt/library");
        std::fs::create_dir_all(&folder).unwrap();
        let name = "TensileLibrary_lazy_gfx942.dat";
        std::fs::write(folder.join(name), b"\x81\xa4type\xb0GateResidualList").unwrap();
        let found = || check(&Folder::on_disk(&folder), FolderOwner::HipBlasLt);
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
