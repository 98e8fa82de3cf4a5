//! gfx900's catalogs in YAML, as dumped by Python's writer, give the same answers as in MessagePack.

use super::{fixtures, folder, lines, problems, stated};
use rocm_audit::engines::tensile::catalog::{Catalog, CatalogError, Fault};
use rocm_audit::engines::tensile::consistency::FolderOwner;
use rocm_audit::engines::tensile::consistency::content::CatalogContent;
use rocm_audit::engines::tensile::library::Library;
use rocm_audit::engines::tensile::name::Role;
use rocm_audit::engines::tensile::skim::Skim;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// gfx900's code objects, with catalogs in YAML.
fn copied() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let objects = |path: &Path| path.to_str().unwrap().contains("gfx900");
    for (from, wanted) in
        [(folder(), &objects as &dyn Fn(&Path) -> bool), (fixtures().join("yaml"), &|_| true)]
    {
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            if wanted(&path) && path.extension().is_none_or(|e| e != "dat") {
                std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    copy
}

fn catalogs(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "yaml")).collect();
    files.sort();
    files
}

/// The error of a text read as a catalog.
fn told(text: &[u8]) -> (u64, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("TensileLibrary.yaml");
    std::fs::write(&path, text).unwrap();
    let error = open(&path).unwrap_err();
    assert_eq!(error.path, path);
    match error.fault {
        Fault::Malformed(fault) => (fault.offset(), fault.what().to_owned()),
        Fault::Unreadable(what) => panic!("{what}"),
    }
}

fn open(path: &Path) -> Result<Catalog, CatalogError> {
    let name = path.file_name().unwrap().to_string_lossy();
    Catalog::open(&path.parent().unwrap().into(), &name)
}

#[test]
fn answers_are_those_of_messagepack() {
    let copy = copied();
    let library = Library::open(copy.path(), "gfx900:xnack-").unwrap();
    assert_eq!(library.master().path(), copy.path().join("TensileLibrary_lazy_gfx900.yaml"));
    let mut process = library.process();
    let mut asked = 0;
    for (problem, expected) in problems().iter().zip(lines("answers.jsonl")) {
        if problem.target == "gfx900:xnack-" {
            assert_eq!(stated(problem, &process.call(problem, None).unwrap()), expected);
            asked += 1;
        }
    }
    assert!(asked > 90);
}

#[test]
fn messagepack_comes_first_and_extensions_say_nothing() {
    let copy = copied();
    let master = copy.path().join("TensileLibrary_lazy_gfx900.yaml");
    // A merged catalog in MessagePack has precedence over a lazy one in YAML; here that name contains text.
    let renamed = copy.path().join("TensileLibrary_gfx900.dat");
    std::fs::copy(&master, &renamed).unwrap();
    let library = Library::open(copy.path(), "gfx900").unwrap();
    assert_eq!(library.master().path(), renamed);
    let packed = std::fs::read(folder().join("TensileLibrary_lazy_gfx900.dat")).unwrap();
    std::fs::remove_file(&renamed).unwrap();
    std::fs::write(&master, &packed).unwrap();
    assert_eq!(Library::open(copy.path(), "gfx900").unwrap().master().bytes(), packed);
}

#[test]
fn an_audit_reads_of_yaml_what_it_reads_of_messagepack() {
    for path in catalogs(&fixtures().join("yaml")) {
        let name = path.with_extension("dat");
        let packed = std::fs::read(folder().join(name.file_name().unwrap())).unwrap();
        let text = std::fs::read(&path).unwrap();
        let content = |bytes: &[u8]| {
            let CatalogContent { outline, mut kernels } =
                CatalogContent::read(bytes, FolderOwner::RocBlas).unwrap();
            // The two forms list a row's operations in different orders.
            let rows = outline.rows.iter().map(|row| {
                let mut names: Vec<_> =
                    row.leads_to.iter().map(|at| outline.placeholders[*at].0.clone()).collect();
                names.sort();
                (row.processor.clone(), names)
            });
            kernels.sort();
            (rows.collect::<Vec<_>>(), outline.tuned, kernels)
        };
        assert_eq!(content(&text), content(&packed), "{}", path.display());
    }
}

#[test]
fn errors_name_line_and_column() {
    let path = fixtures().join("yaml/TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    for (from, to, expected) in [
        ("distance: Equality", "distance: Eqality", "unknown word Eqality"),
        ("type: Matching", "type: Machting", "unknown node Machting"),
        ("persistentKernel: 2", "persistentKernel: two", "expected an integer, found a string"),
        ("type: EqualityMatching", "type: {a: b}", "expected a string, found a map"),
    ] {
        let changed = text.replacen(from, to, 1);
        let at = changed.find(to).unwrap() + to.find(": ").unwrap() + 2;
        let (line, column) = (changed[..at].lines().count(), at - changed[..at].rfind('\n').unwrap());
        let (offset, what) = told(changed.as_bytes());
        assert_eq!(offset, at as u64, "{what}");
        assert!(what.starts_with(&format!("line {line}, column {column}: ")), "{what}, not {line}, {column}");
        assert!(what.contains(expected), "{what}");
    }
}

#[test]
fn what_is_no_catalog_is_told() {
    for (text, expected) in [
        ("solutions: []\n", "has no library"),
        ("- a\n- b\n", "expected a map"),
        ("just words", "expected a map"),
        ("solutions: [\n", "line"),
        ("a: b: c", "line 1, column"),
        ("a: *nowhere\n", "line 1"),
        ("{[1]: 2}", "a key must be a word"),
        ("a: &a [*a]\n", "an alias for what it stands in itself"),
        ("\u{feff}# nothing\n", "ends too early"),
    ] {
        let (offset, what) = told(text.as_bytes());
        assert!(what.contains(expected) && offset <= text.len() as u64, "{text}: {offset} {what}");
    }
    assert!(told(&[&[b' '; 64][..], b"a: \xff\xfe\n"].concat()).1.contains("must be UTF-8"));
    let deep = format!("a: {}", "[".repeat(200));
    assert!(told(deep.as_bytes()).1.contains("nested deeper than"));
    let deep = (0..200).fold(String::new(), |text, level| format!("{text}{}a:\n", " ".repeat(level)));
    assert!(told(deep.as_bytes()).1.contains("nested deeper than"));
}

/// Nine lines of aliases of aliases would be 10^9 values.
#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut text = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..10 {
        let before = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    let (_, what) = told(text.as_bytes());
    assert!(what.contains("aliases stand for more than"), "{what}");
}

#[test]
fn a_text_that_ends_anywhere_or_is_changed_does_no_harm() {
    let path = fixtures().join("yaml/TensileLibrary_lazy_gfx900.yaml");
    let whole = std::fs::read(path).unwrap();
    let end = whole.len() - "...\n".len();
    for end in (0..end - 200).step_by(61) {
        let folder = tempfile::tempdir().unwrap();
        let cut = folder.path().join("cut");
        std::fs::write(&cut, &whole[..end]).unwrap();
        assert!(open(&cut).is_err(), "{end}");
    }
    for at in (0..whole.len()).step_by(61) {
        for byte in [b':', b'*', b'[', b'\n', 0xff] {
            let mut changed = whole.clone();
            changed[at] = byte;
            let _ = Skim::read(&changed, Role::LazyCatalog);
        }
    }
}
