//! Small catalogs made by hand: every node, the predicates, and what is wrong with bad ones.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::call::GemmCall;
use super::library::{INTERNAL_ERROR, Library, NOT_IMPLEMENTED, SUCCESS};
use super::trace::{SelectionStep, SelectionTrace};
use serde_json::{Value, json};
use std::path::Path;

pub(super) type Content = super::catalog::CatalogIndex;

/// JSON as MessagePack, written by an independent implementation.
pub(super) fn packed(value: &Value) -> Vec<u8> {
    fn convert(value: &Value) -> rmpv::Value {
        match value {
            Value::Null => rmpv::Value::Nil,
            Value::Bool(flag) => (*flag).into(),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => number.into(),
                (_, Some(number)) => number.into(),
                _ => number.as_f64().unwrap().into(),
            },
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => rmpv::Value::Array(items.iter().map(convert).collect()),
            Value::Object(pairs) => {
                rmpv::Value::Map(pairs.iter().map(|(k, v)| (k.as_str().into(), convert(v))).collect())
            }
        }
    }
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &convert(value)).unwrap();
    bytes
}

pub(super) fn truth() -> Value {
    json!({ "type": "TruePred" })
}

/// A solution that solves everything its predicates let through.
pub(super) fn solution(index: u32, predicates: Value) -> Value {
    json!({
        "name": format!("kernel_{index}"), "index": index, "debugKernel": false, "libraryLogicIndex": 7,
        "hardwarePredicate": truth(), "taskPredicate": { "type": "WorkspaceCheck" },
        "problemPredicate": { "type": "And", "value": predicates },
        "sizeMapping": {
            "workGroup": [16, 16, 1], "threadTile": [4, 4], "macroTile": [64, 32, 1], "depthU": 8, "staggerU": 32,
            "globalSplitU": 1, "staggerStrideShift": 3, "workGroupMapping": 1, "persistentKernel": 0,
            "persistentKernelAlongBatch": false, "sourceKernel": false, "globalAccumulation": 0,
            "workspaceSizePerElemC": 0,
        },
        "problemType": { "aType": "Float", "bType": "Float", "cType": "Float", "dType": "Float",
            "operationIdentifier": "Contraction_l_Ailk_Bljk_Cijk_Dijk", "stridedBatched": true },
    })
}

pub(super) fn catalog(solutions: Vec<Value>, library: Value) -> Value {
    json!({ "solutions": solutions, "library": library })
}

pub(super) fn rows(rows: Vec<(Value, Value)>) -> Value {
    let rows: Vec<Value> = rows.iter().map(|(p, l)| json!({ "predicate": p, "library": l })).collect();
    json!({ "type": "Problem", "rows": rows })
}

pub(super) fn single(index: i64) -> Value {
    json!({ "type": "Single", "index": index })
}

pub(super) fn table(distance: &str, rows: Value) -> Value {
    json!({ "type": "Matching", "distance": distance, "table": rows, "properties": [
        { "type": "FreeSizeA", "index": 0 }, { "type": "FreeSizeB", "index": 0 }, { "type": "BoundSize", "index": 0 },
    ] })
}

pub(super) fn gemm(m: u64, n: u64, k: u64) -> GemmCall {
    let line = json!({ "arch": "gfx900:xnack-", "cus": 64, "ty": "SS", "ta": "N", "tb": "N", "m": m, "n": n, "k": k,
        "ld": [m, k, m, m], "c_eq_d": 1 });
    serde_json::from_value(line).unwrap()
}

/// A library of one catalog that holds everything.
pub(super) fn library(folder: &Path, content: &Value) -> Library {
    std::fs::write(folder.join("TensileLibrary.dat"), packed(content)).unwrap();
    Library::open(folder, "gfx900:xnack-").unwrap()
}

/// The solution that is chosen.
pub(super) fn chosen(content: &Value, problem: &GemmCall) -> Option<u32> {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path(), content);
    let choice = library.choose(problem, None).unwrap();
    // The account changes nothing.
    let mut walk = SelectionTrace::default();
    let again = library.choose(problem, Some(&mut walk)).unwrap();
    let index = choice.found.map(|found| found.solution.index);
    assert_eq!(index, again.found.map(|found| found.solution.index));
    assert!(!walk.steps().is_empty());
    index
}

/// Whether a predicate holds of a problem.
pub(super) fn holds(predicate: Value, problem: &GemmCall) -> bool {
    let row = rows(vec![(predicate.clone(), single(1))]);
    let by_row = chosen(&catalog(vec![solution(1, json!([]))], row), problem);
    let by_solution = chosen(&catalog(vec![solution(1, json!([predicate]))], single(1)), problem);
    assert_eq!(by_row, by_solution);
    by_row.is_some()
}

pub(super) fn offset_of_error(bytes: &[u8]) -> (u64, String) {
    let error = Content::read(bytes).unwrap_err();
    (error.offset(), error.what().to_owned())
}

#[test]
fn rows_fall_through_and_maps_do_not() {
    let solutions = || {
        vec![
            solution(5, json!([{ "type": "BoundSizeMultiple", "index": -1, "value": 2 }])),
            solution(6, json!([])),
        ]
    };
    let both = rows(vec![(truth(), single(5)), (truth(), single(6))]);
    assert_eq!(chosen(&catalog(solutions(), both.clone()), &gemm(8, 8, 8)), Some(5));
    assert_eq!(chosen(&catalog(solutions(), both.clone()), &gemm(8, 8, 9)), Some(6));
    assert_eq!(chosen(&catalog(solutions(), rows(vec![(truth(), single(-1))])), &gemm(8, 8, 8)), None);
    let map = |operation: &str| {
        let map = json!({ "type": "ProblemMap", "property": { "type": "OperationIdentifier" },
            "map": { operation: single(5) } });
        catalog(solutions(), rows(vec![(truth(), map), (truth(), single(6))]))
    };
    assert_eq!(chosen(&map("Contraction_l_Ailk_Bljk_Cijk_Dijk"), &gemm(8, 8, 8)), Some(5));
    assert_eq!(chosen(&map("Contraction_l_Alik_Bljk_Cijk_Dijk"), &gemm(8, 8, 8)), Some(6));
}

#[test]
fn hardware_rows_ask_for_processor_and_compute_units() {
    let row = |predicate: Value, index: i64| json!({ "predicate": predicate, "library": single(index) });
    let amd = |inner: Value| json!({ "type": "AMDGPU", "value": inner });
    let processor = |name: &str| json!({ "type": "Processor", "value": name });
    let cus = json!({ "type": "CUCount", "value": 56 });
    let library = json!({ "type": "Hardware", "rows": [
        row(amd(processor("gfx906")), 1),
        row(amd(json!({ "type": "And", "value": [processor("gfx900"), cus] })), 2),
        row(amd(processor("gfx900")), 3),
        row(truth(), 4),
    ] });
    let content = catalog((1..5).map(|index| solution(index, json!([]))).collect(), library);
    assert_eq!(chosen(&content, &gemm(8, 8, 8)), Some(3));
    assert_eq!(chosen(&content, &GemmCall { multiprocessors: 56, ..gemm(8, 8, 8) }), Some(2));
    // A device that the library's own list of numbers lacks matches only the last row.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("TensileLibrary.dat"), packed(&content)).unwrap();
    for (arch, expected) in [("gfx1032", 4), ("gfx9999", 4), ("gfx906:sramecc+", 1)] {
        let library = Library::open(folder.path(), arch).unwrap();
        let choice = library.choose(&gemm(8, 8, 8), None).unwrap();
        assert_eq!(choice.found.unwrap().solution.index, expected, "{arch}");
    }
}

#[test]
fn predicates_hold_as_documented() {
    let p = gemm(64, 48, 30);
    let sized = |kind: &str, index: u32, value: u64| json!({ "type": kind, "index": index, "value": value });
    let plain = |kind: &str, value: Value| json!({ "type": kind, "value": value });
    for (predicate, expected) in [
        (truth(), true),
        (json!({ "type": "FalsePred" }), false),
        (plain("Not", truth()), false),
        (plain("Or", json!([{ "type": "FalsePred" }, truth()])), true),
        (plain("And", json!([truth(), plain("And", json!([{ "type": "FalsePred" }]))])), false),
        (sized("StrideAEqual", 0, 1), true),
        (sized("StrideBEqual", 1, 30), true),
        (sized("StrideDEqual", 1, 30), false),
        (plain("OperationIdentifierEqual", json!("Contraction_l_Ailk_Bljk_Cijk_Dijk")), true),
        (plain("OperationIdentifierEqual", json!("Contraction_l_Alik_Bljk_Cijk_Dijk")), false),
        (plain("TypesEqual", json!(["Float", "Float", "Float", "Float"])), true),
        (plain("TypesEqual", json!(["Float", "Float", "Float", "Half"])), false),
        (plain("HighPrecisionAccumulate", json!(false)), true),
        (plain("F32XdlMathOp", json!("XFloat32")), false),
        (plain("StochasticRounding", json!(false)), true),
        (plain("StridedBatched", json!(true)), true),
        (plain("LeadingFree0SizesGreaterOrEqual", json!(64)), true),
        (plain("LeadingFree1SizesGreaterOrEqual", json!(49)), false),
        (plain("KernelLanguageCompatible", json!("Assembly")), true),
        (plain("ArithmeticUnitCompatible", json!("MFMA")), true),
        (plain("BufferStoreOffsetLimitCheck", json!(16777215)), true),
        (plain("BufferStoreOffsetLimitCheck", json!(16777216)), false),
        (sized("Free0SizeMultiple", 0, 32), true),
        (sized("Free1SizeMultiple", 0, 32), false),
        (plain("GlobalSplitUCheckMinK", json!(31)), false),
        (plain("DeterministicMode", json!(false)), true),
        (json!({ "type": "PersistentKernelCheck" }), true),
        (json!({ "type": "EqualityMatching" }), true),
        (sized("SizeLessThan", 3, 31), true),
        (sized("SizeLessThan", 3, 30), false),
        (sized("SizeGreaterThan", 0, 63), true),
        (sized("SizeGreaterThan", 0, 64), false),
        (sized("SizeEqual", 2, 1), true),
        (sized("SizeMultiple", 3, 4), false),
        (json!({ "type": "SizeInRange", "index": 0, "value": { "min": 64 } }), true),
        (json!({ "type": "SizeInRange", "index": 0, "value": { "max": 64 } }), false),
        (plain("MaxProblemSizeGreaterThan", json!(64)), false),
        (json!({ "type": "Fp16AltImpl" }), false),
        (json!({ "type": "Fp16AltImplRound" }), false),
        (plain("AlphaValue", json!("1")), true),
        (plain("BetaValue", json!("-1")), false),
        (plain("BetaValue", json!("Any")), true),
        (json!({ "type": "CEqualsD" }), true),
        (json!({ "type": "CUEfficiency" }), false),
        (json!({ "type": "ExperimentalGrid" }), false),
        (json!({ "type": "ExperimentalDTree" }), false),
    ] {
        assert_eq!(holds(predicate.clone(), &p), expected, "{predicate}");
    }
    let load = |tile: u64| {
        json!({ "type": "BufferLoadOffsetLimitCheck",
            "value": { "DUorMT0": tile, "DUorMT1": 8, "ShiftPtrElemA": 4, "ShiftPtrElemB": 4 } })
    };
    assert!(holds(load(16777215), &p));
    assert!(!holds(load(16777216), &p));
    let env = |text: &str| GemmCall { env: Some(text.to_owned()), ..p.clone() };
    assert!(holds(json!({ "type": "ExperimentalGrid" }), &env("TENSILE_EXPERIMENTAL_SELECTION=1")));
    assert!(holds(json!({ "type": "CUEfficiency" }), &GemmCall { cu_eff: true, ..p.clone() }));
    let double = GemmCall { ty: "DD".to_owned(), ..env("ROCBLAS_INTERNAL_FORCE_VALU_FOR_DGEMM=1") };
    assert!(!holds(json!({ "type": "ArithmeticUnitCompatible", "value": "MFMA" }), &double));
    assert!(holds(json!({ "type": "ArithmeticUnitCompatible", "value": "VALU" }), &double));
}

#[test]
fn the_task_needs_its_workspace() {
    let mut needy = solution(1, json!([]));
    needy["sizeMapping"]["workspaceSizePerElemC"] = json!(4);
    let content = catalog(vec![needy], single(1));
    let fits = |ws: u64| chosen(&content, &GemmCall { workspace: ws, ..gemm(10, 10, 10) }).is_some();
    assert!(fits(400));
    assert!(!fits(399));
}

#[test]
fn alpha_of_zero_makes_k_zero() {
    let content =
        catalog(vec![solution(1, json!([{ "type": "GlobalSplitUCheckMinK", "value": 1 }]))], single(1));
    assert_eq!(chosen(&content, &gemm(8, 8, 8)), Some(1));
    assert_eq!(chosen(&content, &GemmCall { alpha: 0.0, ..gemm(8, 8, 8) }), None);
}

#[test]
fn euclidean_takes_the_nearest_that_can_and_the_faster_of_equal_ones() {
    let solutions = || {
        vec![
            solution(1, json!([{ "type": "BoundSizeMultiple", "index": -1, "value": 16 }])),
            solution(2, json!([])),
            solution(3, json!([])),
        ]
    };
    let content = catalog(
        solutions(),
        table(
            "Euclidean",
            json!([
                { "key": [32, 32, 32], "index": 1, "speed": 9.0 },
                { "key": [32, 32, 32], "index": 2, "speed": 1.0 },
                { "key": [32, 32, 32], "index": 3, "speed": 2.0 },
                { "key": [40, 32, 32], "index": 2, "speed": 99.0 },
            ]),
        ),
    );
    assert_eq!(chosen(&content, &gemm(32, 32, 32)), Some(1));
    assert_eq!(chosen(&content, &gemm(32, 32, 33)), Some(3), "the first cannot, the third is faster");
    assert_eq!(chosen(&content, &gemm(36, 32, 32)), Some(2), "as far from both: the larger speed");
    assert_eq!(chosen(&content, &gemm(1000, 1000, 1000)), Some(2));
    assert_eq!(chosen(&catalog(solutions(), table("Euclidean", json!([]))), &gemm(1, 1, 1)), None);
}

#[test]
fn equal_rows_come_in_the_order_of_the_original_sort() {
    let rows: Vec<Value> =
        (0..20).map(|index| json!({ "key": [32, 32, 32], "index": index, "speed": 1.0 })).collect();
    let solutions = (0..20).map(|index| solution(index, json!([]))).collect();
    let content = catalog(solutions, table("Euclidean", json!(rows)));
    // `std::sort` puts the eleventh of 20 equal ones first; a stable sort would leave the first there.
    assert_eq!(chosen(&content, &gemm(32, 32, 32)), Some(10));
}

#[test]
fn equality_takes_the_very_size_or_nothing() {
    let rows = json!([{ "key": [32, 32, 32], "index": 1 }, { "key": [16, 32, 32], "index": 2 }]);
    let content = catalog(vec![solution(1, json!([])), solution(2, json!([]))], table("Equality", rows));
    assert_eq!(chosen(&content, &gemm(32, 32, 32)), Some(1));
    assert_eq!(chosen(&content, &gemm(16, 32, 32)), Some(2));
    assert_eq!(chosen(&content, &gemm(16, 32, 33)), None);
    assert_eq!(chosen(&content, &gemm(99, 32, 33)), None, "beyond the last");
}

#[test]
fn grid_based_takes_the_next_larger_size() {
    let even = json!([{ "type": "BoundSizeMultiple", "index": -1, "value": 2 }]);
    let rows = json!([
        { "key": [16, 16, 64], "index": 1 }, { "key": [16, 32, 64], "index": 2 },
        { "key": [32, 16, 64], "index": 3 }, { "key": [32, 16, 512], "index": 4 },
    ]);
    let solutions =
        vec![solution(1, json!([])), solution(2, even.clone()), solution(3, even.clone()), solution(4, even)];
    let content = catalog(solutions, table("GridBased", rows));
    assert_eq!(chosen(&content, &gemm(10, 10, 64)), Some(1));
    assert_eq!(chosen(&content, &gemm(10, 20, 64)), Some(2));
    assert_eq!(chosen(&content, &gemm(20, 10, 64)), Some(3));
    assert_eq!(chosen(&content, &gemm(20, 10, 500)), Some(4));
    assert_eq!(chosen(&content, &gemm(999, 999, 64)), Some(3), "larger than all: the largest");
    assert_eq!(chosen(&content, &gemm(20, 10, 63)), Some(1), "none after it can: backwards");
}

#[test]
fn decision_trees_are_asked_in_order() {
    let feature = |kind: &str| json!({ "type": kind, "index": 0 });
    let node = |feature: u32, threshold: f64, lte: i64, gt: i64| json!({ "featureIdx": feature, "threshold": threshold, "nextIdxLTE": lte, "nextIdxGT": gt });
    let forest = |second: Value| {
        json!({ "type": "DecisionTree",
        "features": [feature("FreeSizeA"), feature("BoundSize"), { "type": "Tile0Granularity", "value": 0.25 },
            { "type": "CUGranularity", "value": { "mt0": 0.25, "mt1": 0.25, "cus": 0.5 } },
            { "type": "WavesPerSIMD", "value": { "mt0": 0.25, "mt1": 0.25, "cus": 0.5, "ws": 2.0 } }],
        "trees": [
            { "tree": [node(0, 10.0, 1, -1), node(2, 0.9, -1, -2)], "value": single(1) },
            { "tree": [second], "value": single(2) },
        ],
        "nullValue": single(3) })
    };
    let solutions = || (1..4).map(|index| solution(index, json!([]))).collect();
    let content = catalog(solutions(), forest(node(1, 7.5, -2, -1)));
    assert_eq!(chosen(&content, &gemm(8, 8, 8)), Some(1), "8 <= 10, a full tile");
    assert_eq!(chosen(&content, &gemm(7, 8, 8)), Some(3), "7 of 8");
    assert_eq!(chosen(&content, &gemm(7, 8, 7)), Some(2));
    let waves = catalog(solutions(), forest(node(4, 2.0, -2, -1)));
    assert_eq!(chosen(&waves, &gemm(12, 4, 9)), Some(3), "3 tiles, 1.5 rounds, 4 waves");
    assert_eq!(chosen(&waves, &gemm(11, 1, 9)), Some(3));
    let backwards = packed(&catalog(solutions(), forest(node(1, 7.5, 0, -1))));
    let (offset, what) = offset_of_error(&backwards);
    assert!(what.contains("leads to 0, not forward") && offset > 0, "{what}");
    let missing = packed(&catalog(solutions(), forest(node(9, 7.5, -2, -1))));
    assert!(offset_of_error(&missing).1.contains("feature 9 of 5"));
}

/// A lazy folder of a master and one catalog.
pub(super) fn lazy_folder(master: &Value, other: Option<&Value>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("TensileLibrary_lazy_gfx900.dat"), packed(master)).unwrap();
    if let Some(other) = other {
        std::fs::write(folder.path().join("other.dat"), packed(other)).unwrap();
    }
    folder
}

pub(super) fn placeholder(name: &str) -> Value {
    json!({ "type": "Placeholder", "value": name })
}

#[test]
fn placeholders_lead_to_other_catalogs() {
    let master = catalog(vec![], placeholder("other"));
    let folder = lazy_folder(&master, Some(&catalog(vec![solution(1, json!([]))], single(1))));
    let library = Library::open(folder.path(), "gfx900:xnack-").unwrap();
    let answer = library.select(&gemm(65, 64, 8), None).unwrap();
    assert_eq!(answer.solution.unwrap().index, 1);
    assert_eq!(answer.kernel, Some("kernel_1"));
    assert_eq!(answer.code_object.as_deref(), Some("other.co"));
    assert_eq!(
        (answer.status, answer.loaded_from.as_deref()),
        (INTERNAL_ERROR, None),
        "there is no code object"
    );
    assert_eq!(answer.launches[0].grid, [2, 2, 1]);
    assert_eq!(answer.launches[0].work_group, [256, 1, 1]);
    let mut walk = SelectionTrace::default();
    library.choose(&gemm(65, 64, 8), Some(&mut walk)).unwrap();
    assert_eq!(walk.steps()[0], SelectionStep::Catalog { name: "other".to_owned() });
    // Nothing is loaded where the call returns at once; but for `_ex` it does not.
    let unchanged = GemmCall { api: "gemm".to_owned(), alpha: 0.0, beta: 1.0, ..gemm(8, 8, 8) };
    let answer = library.select(&unchanged, None).unwrap();
    assert_eq!((answer.status, answer.quick_return), (SUCCESS, true));
    let answer = library.select(&GemmCall { api: "gemm_ex".to_owned(), ..unchanged }, None).unwrap();
    assert_eq!((answer.status, answer.quick_return), (INTERNAL_ERROR, false));
}

#[test]
fn nothing_for_a_type_is_not_implemented() {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path(), &catalog(vec![], rows(vec![])));
    let answer = library.select(&gemm(8, 8, 8), None).unwrap();
    assert_eq!((answer.status, answer.solution.is_none()), (NOT_IMPLEMENTED, true));
}

#[test]
fn a_split_sum_launches_its_helpers() {
    let kernels = |accumulation: u32, split: u32, problem: &GemmCall| {
        let mut split_sum = solution(1, json!([]));
        split_sum["sizeMapping"]["globalSplitU"] = json!(split);
        split_sum["sizeMapping"]["globalAccumulation"] = json!(accumulation);
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path(), &catalog(vec![split_sum], single(1)));
        let answer = library.select(problem, None).unwrap();
        let shown = |l: &super::launch::Launch<'_>| (l.kernel.to_string(), l.grid);
        answer.launches.iter().map(shown).collect::<Vec<_>>()
    };
    let kernel = |name: &str, grid: [u64; 3]| (name.to_owned(), grid);
    let small = gemm(64, 64, 8);
    assert_eq!(kernels(0, 4, &small), [kernel("Cijk_S", [16, 1, 1]), kernel("kernel_1", [1, 8, 1])]);
    assert_eq!(
        kernels(1, 4, &small),
        [
            kernel("Cijk_S_GA", [16, 1, 1]),
            kernel("kernel_1", [1, 8, 1]),
            kernel("Cijk_S_PostGSU", [16, 1, 1])
        ]
    );
    assert_eq!(
        kernels(2, 20, &small),
        [kernel("kernel_1", [1, 40, 1]), kernel("Cijk_S_PostGSU4_mod16", [16, 1, 1])]
    );
    assert_eq!(
        kernels(2, 128, &gemm(32, 32, 8)),
        [kernel("kernel_1", [1, 128, 1]), kernel("Cijk_S_PostGSU64_mod64_R4", [16, 1, 1])]
    );
    let large = gemm(512, 512, 8);
    assert_eq!(
        kernels(2, 4, &large),
        [kernel("kernel_1", [8, 64, 1]), kernel("Cijk_S_PostGSU4_VW2", [512, 1, 1])]
    );
}
