//! Truncated, modified or missing catalogs: each is reported with its file and offset, and does no harm.

use super::{folder, run};
use proptest::prelude::*;
use rocm_audit::engines::tensile::call::GemmCall;
use rocm_audit::engines::tensile::catalog::{CatalogError, CatalogIndex, Fault};
use rocm_audit::engines::tensile::library::{INTERNAL_ERROR, Library, SUCCESS};
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

const ARCH: &str = "gfx900:xnack-";
const MASTER: &str = "TensileLibrary_lazy_gfx900";
const TYPED: &str = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx900";
const TREES: &str = "TensileLibrary_Type_HH_HPA_ExperimentalDTree_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx90a";
const GRID: &str = "TensileLibrary_Type_HH_HPA_ExperimentalGrid_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx90a";

fn bytes(stem: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{stem}.dat"))).unwrap()
}

fn problem(m: u64, n: u64, k: u64) -> GemmCall {
    let line = json!({ "arch": ARCH, "cus": 64, "ty": "SS", "ta": "N", "tb": "N", "m": m, "n": n, "k": k,
        "ld": [m, k, m, m] });
    serde_json::from_value(line).unwrap()
}

/// A copy of the files that gfx900 uses.
fn copied() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.contains("gfx900") || name.ends_with("fallback.dat") {
            std::fs::copy(&path, copy.path().join(name)).unwrap();
        }
    }
    copy
}

fn write(folder: &Path, stem: &str, bytes: &[u8]) {
    std::fs::write(folder.join(format!("{stem}.dat")), bytes).unwrap();
}

/// The error of a selection in the folder.
fn error(folder: &Path) -> CatalogError {
    Library::open(folder, ARCH).and_then(|l| l.select(&problem(64, 64, 64), None).map(drop)).unwrap_err()
}

/// Replaces the first occurrence of a word by another of the same length, and returns the offset of its head.
fn replaced(bytes: &[u8], from: &str, to: &str) -> (Vec<u8>, u64) {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    let mut changed = bytes.to_vec();
    changed[at..at + to.len()].copy_from_slice(to.as_bytes());
    (changed, at as u64 - if from.len() < 32 { 1 } else { 2 })
}

#[test]
fn a_catalog_that_ends_anywhere_is_told() {
    for stem in [MASTER, TREES, GRID] {
        let whole = bytes(stem);
        assert!(<CatalogIndex>::read(&whole).is_ok());
        for end in 0..whole.len() {
            let error = <CatalogIndex>::read(&whole[..end]).unwrap_err();
            assert!(error.offset() <= end as u64, "{stem} cut at {end}: {error}");
        }
    }
    let copy = copied();
    write(copy.path(), TYPED, &bytes(TYPED)[..5000]);
    let error = error(copy.path());
    assert_eq!(error.path, copy.path().join(format!("{TYPED}.dat")));
    assert!(error.to_string().contains("ends too early"), "{error}");
}

#[test]
fn words_that_are_unknown_are_told_where_they_stand() {
    let copy = copied();
    for (stem, from, to, told) in [
        (MASTER, "ProblemMap", "PromblemMp", "unknown node PromblemMp"),
        (MASTER, "Processor", "Procezzor", "unknown hardware predicate Procezzor"),
        (MASTER, "TypesEqual", "TypesAlike", "unknown predicate TypesAlike"),
        (MASTER, "gfx900", "gfx9zz", "unknown word gfx9zz"),
        (MASTER, "OperationIdentifier", "OperationIdentified", "unknown property OperationIdentified"),
        (TYPED, "Matching", "Watching", "unknown node Watching"),
        (TYPED, "Euclidean", "Euklidian", "unknown word Euklidian"),
        (TYPED, "FreeSizeA", "FreeSizeX", "unknown property FreeSizeX"),
        (TYPED, "Assembly", "Assemble", "unknown word Assemble"),
        (TYPED, "GlobalSplitUCheckMinK", "GlobalSplitUCheckMaxK", "unknown predicate GlobalSplitUCheckMaxK"),
        (TYPED, "WorkspaceCheck", "WarkspaceCheck", "unknown predicate WarkspaceCheck"),
        (TYPED, "Float", "Flaot", "unknown word Flaot"),
    ] {
        let (changed, offset) = replaced(&bytes(stem), from, to);
        write(copy.path(), stem, &changed);
        let error = error(copy.path());
        assert_eq!(error.path, copy.path().join(format!("{stem}.dat")), "{to}");
        let Fault::Malformed(fault) = &error.fault else { panic!("{error}") };
        assert_eq!(fault.offset(), offset, "{fault}");
        assert!(fault.what().contains(told) && fault.what().contains("the real library refuses"), "{fault}");
        write(copy.path(), stem, &bytes(stem));
    }
    let (changed, _) = replaced(&bytes(TREES), "WavesPerSIMD", "WavesPerSimd");
    assert!(<CatalogIndex>::read(&changed).unwrap_err().what().contains("unknown feature WavesPerSimd"));
}

#[test]
fn keys_that_are_missing_and_values_of_a_wrong_type_are_told() {
    // A renamed key is a missing key; a key moved in front of another's value changes its type.
    for (stem, from, to, told) in [
        (MASTER, "library", "librarz", "has no library"),
        (MASTER, "rows", "raws", "has no rows"),
        (MASTER, "predicate", "predicade", "has no predicate"),
        (TYPED, "solutions", "salutions", "has no solutions"),
        (TYPED, "sizeMapping", "sizeNapping", "has no sizeMapping"),
        (TYPED, "macroTile", "nacroTile", "has no macroTile"),
        (TYPED, "problemPredicate", "problemPredikate", "has no problemPredicate"),
        (TYPED, "distance", "diztance", "has no distance"),
        (TYPED, "properties", "properteas", "has no properties"),
        (TYPED, "DUorMT1", "DUorMT7", "has no DUorMT1"),
        (TYPED, "debugKernel", "sizeMapping", "expected a map"),
        (TYPED, "debugKernel", "hardwarePre", ""),
        (TREES, "threshold", "treshhold", "has no threshold"),
        (TREES, "featureIdx", "futureIdxx", "has no featureIdx"),
    ] {
        let (changed, _) = replaced(&bytes(stem), from, to);
        match <CatalogIndex>::read(&changed) {
            Ok(_) => assert_eq!(told, "", "{to}"),
            Err(error) => assert!(!told.is_empty() && error.what().contains(told), "{to}: {error}"),
        }
    }
}

#[test]
fn lengths_beyond_the_file_cost_nothing() {
    // {"solutions": [, "library": {"type": "Problem", "rows": [  with four billion elements each.
    let huge = |head: &[u8]| [head, &[0xff, 0xff, 0xff, 0xff]].concat();
    let solutions = b"\x82\xa9solutions";
    for bytes in [
        huge(b"\xdf"),
        huge(&[solutions, &b"\xdd"[..]].concat()),
        huge(&[solutions, &b"\xdd\xff\xff\xff\xff\xdf"[..]].concat()),
        huge(&[solutions, &b"\x90\xa7library\x82\xa4type\xa7Problem\xa4rows\xdd"[..]].concat()),
        huge(&[solutions, &b"\x90\xa7library\x82\xa4type\xa8Matching\xa5table\xdd"[..]].concat()),
        huge(&[solutions, &b"\x90\xa7library\x82\xa4type\xacDecisionTree\xa5trees\xdd"[..]].concat()),
        huge(&[solutions, &b"\x90\xa7library\x82\xa4type\xabPlaceholder\xa5value\xdb"[..]].concat()),
        huge(&[solutions, &b"\x90\xa7library\x82\xa4type\xaaProblemMap\xa3map\xdf"[..]].concat()),
    ] {
        let error = <CatalogIndex>::read(&bytes).unwrap_err();
        assert!(error.offset() <= bytes.len() as u64, "{error}");
    }
    // Every third position in one catalog where a length could be.
    let whole = bytes(MASTER);
    for at in (0..whole.len()).step_by(3) {
        for head in [0xdd, 0xdf, 0xdb, 0xc6, 0xc9] {
            let mut changed = whole[..at].to_vec();
            changed.extend([head, 0xff, 0xff, 0xff, 0xff]);
            changed.extend(&whole[at..]);
            let _ = <CatalogIndex>::read(&changed);
        }
    }
}

#[test]
fn placeholders_that_lead_in_a_circle_end() {
    let lead = |to: &str| {
        let node = json!({ "solutions": [], "library": { "type": "Placeholder", "value": to } });
        let convert = |text: &str| {
            let mut out = Vec::new();
            let value: rmpv::Value = serde_json::from_str::<serde_json::Value>(text).map(packed).unwrap();
            rmpv::encode::write_value(&mut out, &value).unwrap();
            out
        };
        convert(&node.to_string())
    };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), MASTER, &lead(MASTER));
    let to_itself = error(folder.path());
    assert!(to_itself.to_string().contains("circle"), "{to_itself}");
    write(folder.path(), MASTER, &lead("A"));
    write(folder.path(), "A", &lead("B"));
    write(folder.path(), "B", &lead("A"));
    let to_each_other = error(folder.path());
    assert_eq!(to_each_other.path, folder.path().join("A.dat"));
    assert!(matches!(to_each_other.fault, Fault::Malformed(ref fault) if fault.offset() > 0));
}

fn packed(value: serde_json::Value) -> rmpv::Value {
    match value {
        serde_json::Value::Array(items) => rmpv::Value::Array(items.into_iter().map(packed).collect()),
        serde_json::Value::Object(pairs) => {
            rmpv::Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), packed(value))).collect())
        }
        serde_json::Value::String(text) => text.into(),
        other => panic!("{other} is not needed here"),
    }
}

#[test]
fn files_that_are_missing_are_told_or_change_the_status() {
    let split = problem(4096, 64, 2048);
    let plain = problem(64, 64, 64);
    let answer = |folder: &Path, problem: &GemmCall| {
        let library = Library::open(folder, ARCH).unwrap();
        let answer = library.select(problem, None).unwrap();
        (answer.status, answer.launches.len(), answer.launches.iter().filter(|l| l.file.is_none()).count())
    };
    let copy = copied();
    assert_eq!(answer(copy.path(), &plain), (SUCCESS, 1, 0));
    let helpers = copy.path().join("Kernels.so-000-gfx900.hsaco");
    let whole = answer(copy.path(), &split);
    std::fs::remove_file(&helpers).unwrap();
    assert_eq!(answer(copy.path(), &plain), (SUCCESS, 1, 0), "a plain kernel needs no helper");
    if whole.1 > 1 {
        assert_eq!(answer(copy.path(), &split), (INTERNAL_ERROR, whole.1, whole.1 - 1));
    }
    // A kernel's symbol with another name.
    let object = copy.path().join(format!("{TYPED}.co"));
    let before = std::fs::read(&object).unwrap();
    let mut changed = before.clone();
    while let Some(at) = changed.windows(9).position(|window| window == b"Cijk_Ailk") {
        changed[at] = b'X';
    }
    std::fs::write(&object, &changed).unwrap();
    assert_eq!(answer(copy.path(), &plain), (INTERNAL_ERROR, 1, 1));
    std::fs::remove_file(&object).unwrap();
    assert_eq!(answer(copy.path(), &plain), (INTERNAL_ERROR, 1, 1));
    let typed = copy.path().join(format!("{TYPED}.dat"));
    std::fs::remove_file(&typed).unwrap();
    let missing = error(copy.path());
    assert_eq!((&missing.path, matches!(missing.fault, Fault::Unreadable(_))), (&typed, true));
    std::fs::remove_file(copy.path().join(format!("{MASTER}.dat"))).unwrap();
    assert_eq!(error(copy.path()).path, copy.path().join(format!("{MASTER}.dat")));
}

#[test]
fn the_command_tells_the_file_and_the_offset() {
    let copy = copied();
    let (changed, _) = replaced(&bytes(TYPED), "Euclidean", "Euklidian");
    write(copy.path(), TYPED, &changed);
    let root = copy.path().to_str().unwrap();
    let words = ["select", "gemm", "--arch", ARCH, "--cu", "64", "-m", "64", "-n", "64", "-k", "64", root];
    let output = run(&words);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains(TYPED) && told.contains("unknown word Euklidian"), "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Modified bytes give an error or another catalog, which is searched to its end.
    #[test]
    fn changed_bytes_do_no_harm(
        stem in prop::sample::select(vec![MASTER, TYPED, TREES, GRID]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        sizes in prop::collection::vec(0u64..100_000, 3),
    ) {
        let mut changed = bytes(stem);
        for (place, value) in &changes {
            let at = place.index(changed.len());
            changed[at] = *value;
        }
        let size = changed.len() as u64;
        match <CatalogIndex>::read(&changed) {
            Err(error) => prop_assert!(error.offset() <= size),
            Ok(_) => {
                // As the only catalog in a folder, so that a selection uses it.
                let folder = tempfile::tempdir().unwrap();
                write(folder.path(), MASTER, &changed);
                let library = Library::open(folder.path(), ARCH).unwrap();
                for ty in ["SS", "HHS"] {
                    let mut problem = problem(sizes[0], sizes[1], sizes[2]);
                    problem.ty = ty.to_owned();
                    let _ = library.select(&problem, None);
                }
            }
        }
    }
}
