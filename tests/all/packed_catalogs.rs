//! Catalogs in the forms of newer releases: the same catalogs, written differently, give the same answers.

use crate::common::tensile::indexed as second_form;
use rmpv::Value;
use rocm_audit::engines::tensile::call::Transpose;
use rocm_audit::engines::tensile::lite::call::MatmulCall;
use rocm_audit::engines::tensile::lite::library::Library;
use rocm_audit::engines::tensile::lite::types::types_of;
use rocm_audit::target::TargetId;
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

/// The entries of a map of MessagePack.
type Entries = Vec<(Value, Value)>;

fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hipblaslt/library"))
}

fn get<'v>(map: &'v Value, name: &str) -> Option<&'v Value> {
    map.as_map()?.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

fn bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, value).unwrap();
    out
}

/// A catalog in format 2.
fn indexed(catalog: &Value) -> Vec<(Value, Value)> {
    let Some(Value::Array(solutions)) = get(catalog, "solutions") else { panic!("no solutions") };
    let mut all: Vec<(u64, Vec<u8>)> =
        solutions.iter().map(|one| (get(one, "index").unwrap().as_u64().unwrap(), bytes(one))).collect();
    all.sort();
    let (mut table, mut blob) = (Vec::new(), Vec::new());
    for (index, solution) in all {
        table.extend([index, blob.len() as u64, solution.len() as u64].map(Value::from));
        blob.extend(solution);
    }
    vec![
        ("format_version".into(), 2.into()),
        ("solutions_index".into(), Value::Array(table)),
        ("solutions_blob".into(), Value::Binary(blob)),
        ("library".into(), get(catalog, "library").unwrap().clone()),
    ]
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// The fixtures' library folder with each catalog rewritten by `write`, which returns its name and bytes.
fn folder(write: impl Fn(&str, &[u8]) -> (String, Vec<u8>)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let content = fs::read(&path).unwrap();
        let is_catalog = name.starts_with("TensileLibrary") && name.ends_with(".dat");
        let (name, content) = if is_catalog { write(&name, &content) } else { (name, content) };
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn indexed_bytes(content: &[u8]) -> Vec<u8> {
    let catalog = rmpv::decode::read_value(&mut &content[..]).unwrap();
    bytes(&Value::Map(indexed(&catalog)))
}

/// The choices and launches for some calls on each device, twice: of format 2 solutions are read one by one
/// at first, and together when many problems have asked.
fn answers(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for (device, multiprocessors) in [("gfx90a", 104), ("gfx90a", 110), ("gfx942", 304), ("gfx1151", 20)] {
        let library = Library::open(folder, device).unwrap();
        for ty in ["f16", "f32", "i8", "f16", "f32", "i8"] {
            let ([a, ..], _) = types_of(ty).unwrap();
            for sizes in [[1, 1, 1], [100, 50, 5000], [512, 512, 512], [4096, 17, 64]] {
                let transposes = [Transpose::T, Transpose::N];
                let target = TargetId::bare(device);
                let call = MatmulCall::new(&target, multiprocessors, a, transposes, sizes);
                let call = MatmulCall { requested: 3, ..call };
                let answer = library.answer(&call).unwrap();
                all.push(format!(
                    "{device} {:?} {:?} {:?} {:?}",
                    answer.algorithms, answer.launches, answer.run_status, answer.lost
                ));
            }
        }
    }
    all
}

#[test]
fn the_way_in_which_catalogs_are_written_changes_no_answer() {
    let expected = answers(fixtures());
    assert!(expected.iter().any(|answer| answer.contains("kernel: \"")), "{expected:?}");
    let packed = |name: &str| format!("{name}.zlib");
    let whole = folder(|name, content| (packed(name), zlib(content)));
    let indexed = folder(|name, content| (packed(name), zlib(&indexed_bytes(content))));
    let plain = folder(|name, content| (name.to_owned(), indexed_bytes(content)));
    for folder in [whole, indexed, plain] {
        assert_eq!(answers(folder.path()), expected);
    }
}

#[test]
fn a_broken_stream_is_passed_over_where_the_plain_catalog_is_there() {
    let both = folder(|name, content| (name.to_owned(), content.to_vec()));
    for entry in fs::read_dir(fixtures()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with("TensileLibrary") && name.ends_with(".dat") {
            fs::write(both.path().join(format!("{name}.zlib")), b"\x78\xda broken").unwrap();
        }
    }
    assert_eq!(answers(both.path()), answers(fixtures()));
    // Without the plain catalog, the answer is the stream's error.
    let alone = folder(|name, _| (format!("{name}.zlib"), b"\x78\xda broken".to_vec()));
    let error = Library::open(alone.path(), "gfx90a").unwrap_err().to_string();
    assert!(error.contains("zlib stream"), "{error}");
}

#[test]
fn a_library_that_reads_no_streams_finds_no_catalog_in_them() {
    let tree = tempfile::tempdir().unwrap();
    let library = tree.path().join("hipblaslt/library");
    fs::create_dir_all(&library).unwrap();
    let packed = folder(|name, content| (format!("{name}.zlib"), zlib(content)));
    for entry in fs::read_dir(packed.path()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), library.join(entry.file_name())).unwrap();
    }
    let host = tree.path().join("libhipblaslt.so.1.4");
    fs::write(&host, b"\x7fELF TensileLibrary_lazy_ TENSILE_MAX_DECOMPRESSED_BYTES").unwrap();
    assert!(Library::open(library.as_path(), "gfx90a").is_ok());
    fs::write(&host, b"\x7fELF TensileLibrary_lazy_").unwrap();
    let error = Library::open(library.as_path(), "gfx90a").unwrap_err().to_string();
    assert!(error.contains("TensileLibrary_lazy_gfx90a.dat: "), "{error}");
}

#[test]
fn a_broken_solution_is_chosen_for_nothing_and_the_rest_are() {
    // In format 2 the library reads a solution when a problem reaches it, and goes on without one that is
    // broken.
    let with = |breaks: bool| {
        folder(|name, content| {
            let catalog = rmpv::decode::read_value(&mut &content[..]).unwrap();
            let is_own = get(&catalog, "solutions").is_some_and(|all| !all.as_array().unwrap().is_empty());
            let content = if is_own { bytes(&second_form(catalog, breaks)) } else { content.to_vec() };
            (name.to_owned(), content)
        })
    };
    let (whole, broken) = (answers(with(false).path()), answers(with(true).path()));
    assert_eq!(whole, answers(fixtures()));
    let same = whole.iter().zip(&broken).filter(|(before, after)| before == after).count();
    assert!(same > 0 && same < whole.len(), "{same} of {} answers are as before", whole.len());
}

/// The error for a format 2 catalog with modified parts.
fn refused(change: impl Fn(&mut Vec<(Value, Value)>)) -> String {
    let broken = folder(|name, content| {
        let catalog = rmpv::decode::read_value(&mut &content[..]).unwrap();
        let mut parts = indexed(&catalog);
        if name.contains("lazy") {
            return (name.to_owned(), content.to_vec());
        }
        change(&mut parts);
        (name.to_owned(), bytes(&Value::Map(parts)))
    });
    let library = Library::open(broken.path(), "gfx90a").unwrap();
    let ([a, ..], _) = types_of("f16").unwrap();
    let target = TargetId::bare("gfx90a");
    let call = MatmulCall::new(&target, 104, a, [Transpose::T, Transpose::N], [512, 512, 512]);
    library.answer(&call).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
}

fn table(parts: &mut [(Value, Value)]) -> &mut Vec<Value> {
    let Value::Array(table) = &mut parts[1].1 else { panic!("no table") };
    table
}

#[test]
fn a_table_of_places_that_is_wrong_is_refused() {
    assert_eq!(refused(|_| {}), "");
    // Bytes that no row refers to, and rows out of order, are allowed.
    assert_eq!(refused(|parts| table(parts).rotate_left(3)), "");
    type Case = (&'static str, fn(&mut Vec<(Value, Value)>));
    let cases: [Case; 10] = [
        ("three numbers", |parts| table(parts).push(0.into())),
        ("outside of solutions_blob", |parts| table(parts)[1] = (u64::MAX - 1).into()),
        ("outside of solutions_blob", |parts| table(parts)[2] = (1u64 << 40).into()),
        ("too large", |parts| table(parts)[0] = (1u64 << 31).into()),
        ("not negative", |parts| table(parts)[1] = (-1).into()),
        ("two solutions have the index", |parts| {
            let row = table(parts)[..3].to_vec();
            table(parts).extend(row);
        }),
        ("overlaps another", |parts| {
            let mut row = table(parts)[..3].to_vec();
            row[0] = 7.into();
            table(parts).extend(row);
        }),
        ("not bytes", |parts| parts[2].1 = "text".into()),
        ("solutions_blob", |parts| drop(parts.remove(2))),
        ("format 3", |parts| parts[0].1 = 3.into()),
    ];
    for (expected, change) in cases {
        let error = refused(change);
        assert!(error.contains(expected), "{expected}: {error}");
    }
    assert!(refused(|parts| table(parts)[0] = 7.into()).contains("not in the catalog"));
    assert!(refused(|parts| table(parts).drain(..3).for_each(drop)).contains("not in the catalog"));
}

/// The library finds such a solution when it first asks for it, and goes on as if it solved nothing.
#[test]
fn bytes_that_are_no_solution_solve_nothing_and_refuse_no_catalog() {
    let call = || {
        let ([a, ..], _) = types_of("f16").unwrap();
        MatmulCall::new(&TargetId::bare("gfx90a"), 104, a, [Transpose::T, Transpose::N], [512, 512, 512])
    };
    let first = |change: &dyn Fn(&mut Entries)| {
        let changed = folder(|name, content| {
            let catalog = rmpv::decode::read_value(&mut &content[..]).unwrap();
            if name.contains("lazy") {
                return (name.to_owned(), content.to_vec());
            }
            let mut parts = indexed(&catalog);
            change(&mut parts);
            (name.to_owned(), bytes(&Value::Map(parts)))
        });
        let library = Library::open(changed.path(), "gfx90a").unwrap();
        let choice = library.choose(&call(), None).unwrap();
        choice.first().map(|found| found.solution.index)
    };
    let chosen = first(&|_| {}).unwrap();
    let row = |parts: &mut Vec<(Value, Value)>| {
        table(parts).chunks(3).find(|row| row[0].as_u64() == Some(chosen.into())).map(<[Value]>::to_vec)
    };
    // The first byte of its map becomes one that MessagePack never uses.
    let garbage = |parts: &mut Vec<(Value, Value)>| {
        let Some(row) = row(parts) else { return };
        let Value::Binary(blob) = &mut parts[2].1 else { panic!("no blob") };
        blob[usize::try_from(row[1].as_u64().unwrap()).unwrap()] = 0xc1;
    };
    assert_ne!(first(&garbage), Some(chosen));
    // The row leads to the same solution with another number.
    let exchanged = |parts: &mut Vec<(Value, Value)>| {
        let Some(row) = row(parts) else { return };
        let place = |at: usize| usize::try_from(row[at].as_u64().unwrap()).unwrap();
        let Value::Binary(blob) = &mut parts[2].1 else { panic!("no blob") };
        let mut other = rmpv::decode::read_value(&mut &blob[place(1)..place(1) + place(2)]).unwrap();
        let Value::Map(fields) = &mut other else { panic!("no solution") };
        fields
            .iter_mut()
            .filter(|(key, _)| key.as_str() == Some("index"))
            .for_each(|(_, at)| *at = 77.into());
        let (begin, other) = (blob.len(), bytes(&other));
        blob.extend(&other);
        let table = table(parts);
        let own = table.chunks(3).position(|row| row[0].as_u64() == Some(chosen.into())).unwrap() * 3;
        (table[own + 1], table[own + 2]) = (begin.into(), other.len().into());
    };
    assert_ne!(first(&exchanged), Some(chosen));
}
