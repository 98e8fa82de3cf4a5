//! Catalogs that are broken: what is wrong is said with its place, and nothing ends the run.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::call::{GemmCall, Transpose};
use super::catalog::Fault;
use super::library::Library;
use super::tests::{
    Content, catalog, gemm, lazy_folder, offset_of_error, packed, placeholder, rows, single, solution, table,
    truth,
};
use super::trace::SelectionTrace;
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn a_catalog_that_is_missing_is_named_and_a_circle_ends() {
    let folder = lazy_folder(&catalog(vec![], placeholder("other")), None);
    let library = Library::open(folder.path(), "gfx900").unwrap();
    let error = library.select(&gemm(8, 8, 8), None).unwrap_err();
    assert_eq!(error.path, folder.path().join("other.dat"));
    assert!(matches!(error.fault, Fault::Unreadable(_)));
    let circle = catalog(vec![], placeholder("other"));
    let folder = lazy_folder(&circle, Some(&circle));
    let library = Library::open(folder.path(), "gfx900").unwrap();
    let error = library.select(&gemm(8, 8, 8), None).unwrap_err();
    assert_eq!(error.path, folder.path().join("other.dat"));
    assert!(error.to_string().contains("circle"), "{error}");
    let outside = packed(&catalog(vec![], placeholder("../other")));
    assert!(offset_of_error(&outside).1.contains("must be the name of a file"));
    assert!(Library::open(folder.path(), "gfx906").is_err(), "no catalog to begin with");
}

#[test]
fn what_is_unknown_or_missing_is_told_with_its_offset() {
    let at = |content: &Value, word: &str| {
        let bytes = packed(content);
        let (offset, what) = offset_of_error(&bytes);
        let place = bytes.windows(word.len()).position(|window| window == word.as_bytes()).unwrap();
        assert_eq!(offset, place as u64 - 1, "{what}");
        what
    };
    let one = |predicate: Value| catalog(vec![solution(1, json!([predicate]))], single(1));
    let node = json!({ "type": "Oracular" });
    assert!(at(&catalog(vec![], node), "Oracular").starts_with("unknown node Oracular"));
    let what = at(&one(json!({ "type": "WeekdayEqual", "value": 1 })), "WeekdayEqual");
    assert!(what.starts_with("unknown predicate WeekdayEqual"), "{what}");
    at(&one(json!({ "type": "F32XdlMathOp", "value": "Posit32" })), "Posit32");
    at(&catalog(vec![], table("Hamming", json!([]))), "Hamming");
    let hardware = json!({ "type": "Hardware", "rows": [{ "predicate":
        { "type": "AMDGPU", "value": { "type": "Processor", "value": "gfx777" } }, "library": single(-1) }] });
    at(&catalog(vec![], hardware), "gfx777");
    for (name, content) in [
        ("library leads to solution 2", catalog(vec![solution(1, json!([]))], single(2))),
        (
            "two solutions have the index 1",
            catalog(vec![solution(1, json!([])), solution(1, json!([]))], single(1)),
        ),
        ("a multiple of zero", one(json!({ "type": "BoundSizeMultiple", "value": 0 }))),
        ("no dimension 4", one(json!({ "type": "SizeEqual", "index": 4, "value": 0 }))),
        ("has no value", one(json!({ "type": "GlobalSplitUCheckMinK" }))),
        ("expected a boolean", one(json!({ "type": "DeterministicMode", "value": 1 }))),
        ("has no solutions", json!({ "library": single(-1) })),
        ("has no library", json!({ "solutions": [] })),
        ("has no rows", catalog(vec![], json!({ "type": "Problem" }))),
        (
            "keys of 2 parts for 3 properties",
            catalog(vec![], table("Euclidean", json!([{ "key": [1, 2], "index": 1 }]))),
        ),
        ("expected a map", json!([])),
    ] {
        let (_, what) = offset_of_error(&packed(&content));
        assert!(what.contains(name), "{name}: {what}");
    }
    let mut incomplete = solution(1, json!([]));
    incomplete["sizeMapping"].as_object_mut().unwrap().remove("macroTile");
    assert!(offset_of_error(&packed(&catalog(vec![incomplete], single(1)))).1.contains("has no macroTile"));
}

#[test]
fn nesting_is_bounded() {
    let mut deep = single(-1);
    let mut predicate = truth();
    for _ in 0..40 {
        deep = rows(vec![(truth(), deep)]);
        predicate = json!({ "type": "Not", "value": predicate });
    }
    assert!(offset_of_error(&packed(&catalog(vec![], deep))).1.contains("nested deeper"));
    let row = rows(vec![(predicate, single(-1))]);
    assert!(offset_of_error(&packed(&catalog(vec![], row))).1.contains("nested deeper"));
}

/// Cut and changed catalogs are errors or other catalogs, never worse.
#[test]
fn no_byte_does_harm() {
    let rows =
        json!([{ "key": [32, 32, 32], "index": 1, "speed": 9.0 }, { "key": [16, 32, 32], "index": 2 }]);
    let all = json!({ "type": "Problem", "rows": [
        { "predicate": { "type": "SizeInRange", "index": 0, "value": { "min": 3, "max": 9 } }, "library": placeholder("x") },
        { "predicate": truth(), "library": table("GridBased", rows) },
    ] });
    let bytes = packed(&catalog(vec![solution(1, json!([])), solution(2, json!([truth()]))], all));
    assert!(Content::read(&bytes).is_ok());
    for end in 0..bytes.len() {
        let error = Content::read(&bytes[..end]).unwrap_err();
        assert!(error.offset() <= end as u64);
    }
    for at in 0..bytes.len() {
        for value in [0, 0x7f, 0x80, 0xc1, 0xdd, 0xdf, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x40] {
            let mut changed = bytes.clone();
            changed[at] = value;
            let _ = Content::read(&changed);
        }
    }
}

#[test]
fn rows_beyond_the_file_are_refused() {
    let key = json!([32, 32, 32]);
    let tree = |below: i64| {
        json!({ "type": "DecisionTree", "nullValue": single(-1), "features": [{ "type": "FreeSizeA", "index": 0 }],
            "trees": [{ "value": single(1), "tree": [
                { "featureIdx": 0, "threshold": 4.5, "nextIdxLTE": below, "nextIdxGT": -1 },
                { "featureIdx": 0, "threshold": 8.5, "nextIdxLTE": -1, "nextIdxGT": -1 },
            ] }] })
    };
    for (what, node) in [
        ("solution 9", table("Euclidean", json!([{ "key": key, "index": 9 }]))),
        ("solution 9", table("Equality", json!([{ "key": key, "index": 9 }]))),
        ("solution 9", table("GridBased", json!([{ "key": key, "index": 1 }, { "key": key, "index": 9 }]))),
        ("solution 9", single(9)),
        // Trees that lead back, to themselves, or out of their list.
        ("leads to 0, not forward", tree(0)),
        ("leads to 2, not forward", tree(2)),
        ("leads to 4294967296, not forward", tree(1 << 32)),
    ] {
        let (_, error) = offset_of_error(&packed(&catalog(vec![solution(1, json!([]))], node)));
        assert!(error.contains(what), "{what}: {error}");
    }
    assert!(Content::read(&packed(&catalog(vec![solution(1, json!([]))], tree(1)))).is_ok());
}

/// Neither a speed nor a threshold that is no number can be compared; a search by them would depend on the
/// compiler.
#[test]
fn what_is_no_number_is_refused() {
    let number = 9.25_f64.to_be_bytes();
    let rows = json!([{ "key": [32, 32, 32], "index": 1, "speed": 9.25 }, { "key": [16, 32, 32], "index": 1, "speed": 1.5 }]);
    let tree = json!({ "type": "DecisionTree", "nullValue": single(-1), "features": [{ "type": "FreeSizeA", "index": 0 }],
        "trees": [{ "value": single(1), "tree": [{ "featureIdx": 0, "threshold": 9.25, "nextIdxLTE": -1, "nextIdxGT": -2 }] }] });
    for node in [table("Euclidean", rows), tree] {
        let bytes = packed(&catalog(vec![solution(1, json!([]))], node));
        assert!(Content::read(&bytes).is_ok());
        let at = memchr::memmem::find(&bytes, &number).unwrap();
        for (bits, is_fine) in [(f64::NAN, false), (-f64::NAN, false), (f64::INFINITY, true), (-0.0, true)] {
            let mut changed = bytes.clone();
            changed[at..at + 8].copy_from_slice(&bits.to_be_bytes());
            assert_eq!(Content::read(&changed).is_ok(), is_fine, "{bits}");
        }
    }
}

/// Sizes that no device computes.
const EXTREME: [u64; 7] = [0, 1, 65_537, (1 << 32) - 1, 1 << 40, (1 << 63) + 3, u64::MAX];

#[test]
fn sizes_that_no_device_computes_end_no_run() {
    for target in ["gfx900", "gfx90a", "gfx1010"] {
        let library = Library::open(Path::new("../../fixtures/tensile/library"), target).unwrap();
        for (place, m) in EXTREME.into_iter().enumerate() {
            for n in [EXTREME[(place + 1) % EXTREME.len()], EXTREME[(place + 4) % EXTREME.len()]] {
                let k = EXTREME[(place + 3) % EXTREME.len()];
                for (ty, batch) in [("SS", 1), ("HHS", u64::MAX), ("DD", 3)] {
                    let call =
                        GemmCall { target: target.to_owned(), ty: ty.to_owned(), batch, ..gemm(m, n, k) };
                    let call = GemmCall { ld: [u64::MAX; 4], ..call };
                    let mut walk = SelectionTrace::default();
                    let _ = library.choose(&call, Some(&mut walk));
                    let _ = library.select(&call, None);
                }
            }
        }
    }
}

#[test]
fn sizes_that_no_device_computes_end_no_run_of_hipblaslt() {
    use crate::tensile::lite::call::MatmulCall;
    use crate::tensile::lite::library::Library;
    use crate::tensile::lite::types::types_of;
    use amdgpu_object::target::TargetId;
    for (target, ty) in [("gfx1151", "f16"), ("gfx1151", "f32"), ("gfx90a", "f16"), ("gfx942", "f16")] {
        let library = Library::open(Path::new("../../fixtures/hipblaslt/library"), target).unwrap();
        let ([a, b, c, d], comp) = types_of(ty).unwrap();
        for (place, m) in EXTREME.into_iter().enumerate() {
            for n in [EXTREME[(place + 1) % EXTREME.len()], EXTREME[(place + 4) % EXTREME.len()]] {
                let k = EXTREME[(place + 3) % EXTREME.len()];
                let transposes = [Transpose::T, Transpose::N];
                let call = MatmulCall::new(&TargetId::bare(target), u32::MAX, a, transposes, [m, n, k]);
                let call = MatmulCall { b, c, d, comp, ld: [u64::MAX; 4], batch: n, requested: 2, ..call };
                let _ = library.answer(&call);
            }
        }
    }
}
