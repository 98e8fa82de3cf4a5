//! Rules on the folders of rocBLAS and hipBLASLt.

use super::Row;
use crate::common::fixture;
use crate::common::seen::{Seen, by_command, folder};
use crate::common::tensile::{Folder, SS, bump, clear_tables, get, hipblaslt, hipblaslt_and, indexed};
use crate::common::trees;
use rmpv::Value;
use rocm_audit::engines::tensile::consistency::{self, FolderOwner};
use std::fs;
use std::io::Write;
use std::path::Path;

pub(super) const ROWS: &[Row] = &[
    ("master-catalog-missing", || rocblas(|f| f.remove(MASTER)), || rocblas(|_| {})),
    ("master-catalog-unreadable", || rocblas(|f| f.truncate(MASTER)), || rocblas(|_| {})),
    ("catalog-missing", || rocblas(|f| f.remove(&own("dat"))), || rocblas(|_| {})),
    (
        "catalog-unreadable",
        || rocblas(|f| f.replace(&own("dat"), "Euclidean", "Euclideon")),
        || rocblas(|_| {}),
    ),
    (
        "catalog-nested",
        || rocblas(|f| f.copy(MASTER, &own("dat"))),
        || rocblas(|f| f.copy(&own("dat"), &own("dat.old"))),
    ),
    ("code-object-missing", || rocblas(|f| f.remove(&own("co"))), || rocblas(|_| {})),
    (
        "code-object-refused",
        || rocblas(|f| f.copy(&format!("{SS}_gfx90a.co"), &own("co"))),
        || rocblas(|_| {}),
    ),
    ("code-object-unreadable", || rocblas(|f| f.truncate(&own("co"))), || rocblas(|_| {})),
    (
        "kernel-missing",
        || rocblas(|f| f.replace(&own("co"), "Cijk_Ailk_Bljk", "Dijk_Ailk_Bljk")),
        || rocblas(|_| {}),
    ),
    ("helper-missing", || rocblas(|f| f.remove(HELPERS)), || rocblas(|_| {})),
    ("helper-kernel-missing", || rocblas(|f| f.replace(HELPERS, "Cijk_S", "Dijk_S")), || rocblas(|_| {})),
    ("solution-unreadable", || hipblaslt_with(first_broken), || hipblaslt_with(second_form)),
    (
        "solution-index-twice",
        || rocblas(|f| index_of_other(f, 0)),
        || rocblas(|f| index_of_other(f, 1 << 12)),
    ),
    (
        "solution-index-of-another-target",
        || rocblas(|f| indices_of(f, 0x906)),
        || rocblas(|f| indices_of(f, 0x900)),
    ),
    (
        "mapping-wrong",
        || hipblaslt_with(|name, v| map_from(name, v, 11)),
        || hipblaslt_with(|name, v| map_from(name, v, 10)),
    ),
    ("ext-op-missing", || hipblaslt_with(rename_softmax), || hipblaslt_with(|_, value| value)),
    ("transform-missing", || with_transform("v5_gfx1030"), || with_transform("v5_gfx90a_heavy")),
    ("answer-depends-on-history", || of_target("gfx90a", |_| {}), || of_target("gfx90a", without_beta)),
    (
        "catalog-orphaned",
        || rocblas(|f| f.copy(&own("dat"), &other("dat"))),
        || rocblas(|f| f.copy(&own("dat"), "notes.dat")),
    ),
    (
        "code-object-orphaned",
        || rocblas(|f| f.copy(&own("co"), &other("co"))),
        || rocblas(|f| f.copy(&own("co"), "notes.co")),
    ),
    ("own-folder-empty", || beside_own_folder("gfx90a"), || beside_own_folder("gfx803")),
    (
        "target-not-served",
        || by_command(&["verify", "--arch", "gfx1201", "fixtures/tensile/library"]),
        || by_command(&["verify", "--arch", "gfx900", "fixtures/tensile/library"]),
    ),
    ("several-targets", || rocblas(|_| {}), || rocblas(|f| f.keep(&["gfx900", "fallback.dat"]))),
    ("no-native-catalogs", || of_target("gfx1010", |_| {}), || of_target("gfx900", |_| {})),
    ("folder-of-another-release", || library_over("librocblas.so.4.4"), || library_over("librocblas.so.0.1")),
    ("table-empty", || rocblas(|f| f.edit(&second(), empty_tables)), || rocblas(|_| {})),
    ("solution-unreachable", || rocblas(|f| f.edit(&second(), empty_tables)), || rocblas(|_| {})),
    (
        "kernel-twins",
        || of_target("gfx900", |f| f.copy(&own("co"), &second().replace(".dat", ".co"))),
        || of_target("gfx900", |_| {}),
    ),
    (
        "kernel-orphaned",
        || rocblas(|f| f.replace(&own("co"), "Cijk_Ailk_Bljk", "Dijk_Ailk_Bljk")),
        || rocblas(|_| {}),
    ),
    (
        "node-unknown",
        || hipblaslt_with(|n, v| node(n, v, "MLPClassification")),
        || hipblaslt_with(|n, v| node(n, v, "Matching")),
    ),
    (
        "library-folder-missing",
        || trees::rocblas_with_folder(None),
        || trees::rocblas_with_folder(Some("gfx906")),
    ),
    (
        "catalogs-without-own-code",
        || trees::rocblas_with_folder(Some("gfx900")),
        || trees::rocblas_with_folder(Some("gfx906")),
    ),
    (
        "catalog-of-another-target",
        || rocblas(|f| f.copy(MASTER, "TensileLibrary_lazy_gfx1010.dat")),
        || rocblas(|f| f.copy(MASTER, "notes.dat")),
    ),
    (
        "manifest-file-missing",
        || rocblas(|f| f.write("TensileManifest.txt", "library/TensileLibrary_lazy_gfx803.dat\n")),
        || rocblas(|f| f.write("TensileManifest.txt", "library/TensileLibrary_lazy_gfx900.dat\n")),
    ),
    (
        "revision-folder-missing",
        || trees::revision_beside("gfx1250v1"),
        || trees::revision_beside("gfx1250v0"),
    ),
    ("stale-tuning", || tuned("T,N,64,64"), || tuned(OVERRIDE)),
    ("tuning-in-force", || tuned(OVERRIDE), || tuned("T,N,64,64")),
    ("catalog-word-unknown", || beside_library(""), || beside_library("Matching")),
    (
        "catalog-key-missing",
        || solution_beside("useSFC", b"\xabsizeMapping\x80"),
        || solution_beside("useSFC", b"\xabsizeMapping\x81\xa6useSFC\xc2"),
    ),
    ("catalog-form-not-read", || streams(b"TensileLibrary_lazy_", |_, _| {}), || streams(READER, |_, _| {})),
    (
        "catalog-form-passed-over",
        || {
            streams(READER, |plain, stream| {
                fs::write(stream, b"\x78\xda broken").unwrap();
                fs::copy(fixture("hipblaslt/library").join(plain), stream.with_extension("")).unwrap();
            })
        },
        || {
            streams(READER, |plain, stream| {
                _ = fs::copy(fixture("hipblaslt/library").join(plain), stream.with_extension("")).unwrap();
            })
        },
    ),
    (
        "catalog-forms-differ",
        || {
            streams(READER, |_, stream| {
                let other = fixture("hipblaslt/library/TensileLibrary_lazy_gfx942.dat");
                _ = fs::copy(other, stream.with_extension("")).unwrap();
            })
        },
        || {
            streams(READER, |plain, stream| {
                _ = fs::copy(fixture("hipblaslt/library").join(plain), stream.with_extension("")).unwrap();
            })
        },
    ),
    (
        "solution-unlike-kernel",
        || held(|f| mapping(f, "depthU", 16.into())),
        || held(|f| mapping(f, "staggerU", 16.into())),
    ),
    (
        "occupancy-overstated",
        || held(|f| mapping(f, "CUOccupancy", 1000.into())),
        || held(|f| mapping(f, "CUOccupancy", 1.into())),
    ),
    ("kernel-over-limits", || held(|f| lds(f, 0x0001_0001)), || held(|f| lds(f, 0x0001_0000))),
    (
        "fingerprint-differs",
        || held(|f| fingerprint(f, "sha256-v1:")),
        || held(|f| fingerprint(f, "sha256-v9:")),
    ),
];

const MASTER: &str = "TensileLibrary_lazy_gfx900.dat";
const HELPERS: &str = "Kernels.so-000-gfx900.hsaco";

/// The file of the master catalog that the tests break, or its code object.
pub(super) fn own(extension: &str) -> String {
    format!("{SS}_gfx900.{extension}")
}

/// The same for a type without one.
fn other(extension: &str) -> String {
    own(extension).replace("_SS_", "_ZZ_")
}

/// The target's other catalog.
fn second() -> String {
    own("dat").replace("Bljk", "Bjlk")
}

fn of_target(target: &str, change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    let found = consistency::check(folder.0.path(), FolderOwner::RocBlas, &[target.to_owned()]).unwrap();
    found.findings.iter().map(Seen::from).collect()
}

fn rocblas(change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    folder.check().findings.iter().map(Seen::from).collect()
}

/// What the command finds in the fixtures' library folder of rocBLAS with one thing changed.
fn held(change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    by_command(&["verify", "--arch", "gfx900", folder.0.path().to_str().unwrap()])
}

/// Sets what the first solution says of its sizes.
fn mapping(folder: &Folder, key: &str, value: Value) {
    folder.edit(&own("dat"), |catalog| {
        let Value::Array(solutions) = get(catalog, "solutions") else { panic!("no solutions") };
        set(get(&mut solutions[0], "sizeMapping"), key, value.clone());
    });
}

/// Gives the first solution a fingerprint of this form.
fn fingerprint(folder: &Folder, form: &str) {
    folder.edit(&own("dat"), |catalog| {
        let Value::Array(solutions) = get(catalog, "solutions") else { panic!("no solutions") };
        set(&mut solutions[0], "fingerprint", format!("{form}{}", "0".repeat(64)).into());
    });
}

fn set(map: &mut Value, key: &str, value: Value) {
    let Value::Map(pairs) = map else { panic!("no map") };
    pairs.retain(|(own, _)| own.as_str() != Some(key));
    pairs.push((key.into(), value));
}

/// Lets the first kernel of the code object take so many bytes of LDS: the number needs two bytes more than
/// the one that is there, which the name of the key behind it gives.
fn lds(folder: &Folder, size: u32) {
    let path = folder.path(&own("co"));
    let mut bytes = fs::read(&path).unwrap();
    let key = b".group_segment_fixed_size";
    let at = memchr::memmem::find(&bytes, key).unwrap() + key.len();
    let [0xcd, _, _, head, name @ ..] = &bytes[at..at + 40] else { panic!("a number of two bytes") };
    let length = usize::from(head - 0xa0);
    let mut changed = vec![0xce];
    changed.extend(size.to_be_bytes());
    changed.push(head - 2);
    changed.extend(&name[..length - 2]);
    bytes[at..at + changed.len()].copy_from_slice(&changed);
    fs::write(path, bytes).unwrap();
}

fn hipblaslt_with(change: impl Fn(&str, Value) -> Value) -> Vec<Seen> {
    hipblaslt(change).findings.iter().map(Seen::from).collect()
}

/// Constants of a library that reads catalogs as zlib streams.
const READER: &[u8] = b"TensileLibrary_lazy_ TENSILE_MAX_DECOMPRESSED_BYTES";

/// Findings if catalogs are zlib streams, below a library with these constants; `change` receives the name of
/// gfx90a's first catalog, and its stream.
fn streams(library: &[u8], change: impl Fn(&str, &Path)) -> Vec<Seen> {
    let root = folder(&[("libhipblaslt.so.1.4", library)]);
    let into = root.path().join("hipblaslt/library");
    fs::create_dir_all(&into).unwrap();
    for entry in fs::read_dir(fixture("hipblaslt/library")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let content = fs::read(entry.path()).unwrap();
        if !name.ends_with(".dat") {
            fs::write(into.join(name), content).unwrap();
            continue;
        }
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&content).unwrap();
        fs::write(into.join(format!("{name}.zlib")), encoder.finish().unwrap()).unwrap();
    }
    let plain = "TensileLibrary_lazy_gfx90a.dat";
    change(plain, &into.join(format!("{plain}.zlib")));
    consistency::check(&into, FolderOwner::HipBlasLt, &[]).unwrap().findings.iter().map(Seen::from).collect()
}

/// hipBLASLt's folder with an empty folder of this name in it.
fn beside_own_folder(name: &str) -> Vec<Seen> {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture("hipblaslt/library")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    fs::create_dir(folder.path().join(name)).unwrap();
    consistency::check(folder.path(), FolderOwner::HipBlasLt, &[])
        .unwrap()
        .findings
        .iter()
        .map(Seen::from)
        .collect()
}

fn first_index(folder: &Folder, name: &str) -> u64 {
    let bytes = fs::read(folder.path(name)).unwrap();
    let mut catalog = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
    let Value::Array(solutions) = get(&mut catalog, "solutions") else { panic!("no solutions") };
    get(&mut solutions[0], "index").as_u64().unwrap()
}

/// Gives the first solution the index of a solution in the other catalog, or `beyond` more.
fn index_of_other(folder: &Folder, beyond: u64) {
    let (own_index, taken) = (first_index(folder, &own("dat")), first_index(folder, &second()));
    folder.edit(&own("dat"), |catalog| bump(catalog, own_index, taken + beyond));
}

fn indices_of(folder: &Folder, target: u64) {
    folder.edit(&own("dat"), |catalog| {
        for index in 0x900u64 << 18..(0x900 << 18) + 64 {
            bump(catalog, index, (target << 18) + (index & 0x3ffff));
        }
    });
}

fn empty_tables(catalog: &mut Value) {
    clear_tables(get(catalog, "library"));
}

/// Removes the predicates on beta and on C being D from the only catalog that has them.
fn without_beta(folder: &Folder) {
    folder.edit("TensileLibrary_Type_DD_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx90a.dat", |catalog| {
        let Value::Array(solutions) = get(catalog, "solutions") else { panic!("no solutions") };
        for solution in solutions {
            let Value::Array(all) = get(get(solution, "problemPredicate"), "value") else {
                panic!("no list")
            };
            all.retain_mut(|one| !matches!(get(one, "type").as_str(), Some("BetaValue" | "CEqualsD")));
        }
    });
}

/// hipBLASLt's mapping, with a second catalog that begins with this solution.
fn map_from(name: &str, mut value: Value, first: u64) -> Value {
    if name.contains("Mapping") {
        let Value::Map(pairs) = &mut value else { panic!("no mapping") };
        pairs[1].0 = Value::from(first);
    }
    value
}

/// The catalog of single precision in format 2, with the bytes of its first solution broken.
fn first_broken(name: &str, value: Value) -> Value {
    if name.contains("Type_SS") { indexed(value, true) } else { value }
}

fn second_form(name: &str, value: Value) -> Value {
    if name.contains("Type_SS") { indexed(value, false) } else { value }
}

fn rename_softmax(name: &str, mut value: Value) -> Value {
    if name.contains("ExtOp") {
        let softmax = get(get(get(&mut value, "gfx90a"), "Softmax"), "S");
        let Value::Array(kernels) = softmax else { panic!("no kernels") };
        *get(&mut kernels[0], "func_name") = "not_there".into();
    }
    value
}

/// A hipBLASLt catalog whose library is a node of this type.
fn node(name: &str, mut value: Value, ty: &str) -> Value {
    if name.contains("_SS_") {
        *get(get(&mut value, "library"), "type") = ty.into();
    }
    value
}

/// A hipBLASLt folder for gfx90a whose layout kernels come from this code object.
fn with_transform(object: &str) -> Vec<Seen> {
    let code = fs::read(fixture(&format!("rocm/lib/codeobject/{object}.hsaco"))).unwrap();
    let found = hipblaslt_and(&[("hipblasltTransform.hsaco", &code)], |_, value| value);
    found.findings.iter().map(Seen::from).collect()
}

/// rocBLAS's library with this name above a folder with one catalog for everything.
fn library_over(name: &str) -> Vec<Seen> {
    let files: [(&str, &[u8]); 2] =
        [(&format!("lib/{name}"), b"\x7fELF"), ("lib/rocblas/library/TensileLibrary.dat", &[0x80])];
    let tree = folder(&files);
    by_command(&["verify", tree.path().to_str().unwrap()])
}

/// A catalog with a table, below a library with the constants of every release plus these.
fn beside_library(words: &str) -> Vec<Seen> {
    let library = format!("TruePred Placeholder OperationIdentifierEqual {words}");
    let catalog = "lib/hipblaslt/library/TensileLibrary_lazy_gfx942.dat";
    let files: [(&str, &[u8]); 2] =
        [("lib/libhipblaslt.so.1.2", library.as_bytes()), (catalog, b"\x81\xa4type\xa8Matching")];
    let tree = folder(&files);
    by_command(&["verify", tree.path().to_str().unwrap()])
}

/// A catalog with this content, below a library with the constants of every release plus this one.
fn solution_beside(word: &str, content: &[u8]) -> Vec<Seen> {
    let library = format!("TruePred Placeholder OperationIdentifierEqual {word}");
    let catalog = "lib/hipblaslt/library/TensileLibrary_lazy_gfx942.dat";
    let files: [(&str, &[u8]); 2] = [("lib/libhipblaslt.so.1.2", library.as_bytes()), (catalog, content)];
    let tree = folder(&files);
    by_command(&["verify", tree.path().to_str().unwrap()])
}

/// NT 512 cubed in f32, and the solution that the fixtures' library has for it, in the form of rocBLAS's
/// override files.
const OVERRIDE: &str = "N,T,512,512,1,512,1,0,512,512,512,f32_r,f32_r,f32_r,603979880";

/// Checks an override file with one row against the fixtures' library.
fn tuned(row: &str) -> Vec<Seen> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuning.csv");
    fs::write(&file, format!("{row}\n")).unwrap();
    let call = ["verify", "--arch", "gfx900", "--cu", "64", "--tuning"];
    by_command(&[&call[..], &[file.to_str().unwrap(), "fixtures/tensile/library"]].concat())
}
