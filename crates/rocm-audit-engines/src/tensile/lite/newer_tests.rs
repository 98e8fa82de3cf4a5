//! Catalogs of releases that were not here to compare with: what the source of hipBLASLt 1.4 and of its
//! develop says of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::by_source::BySource;
use super::call::{BLOCKS_OF_32, MatmulCall};
use super::library::{INTERNAL_ERROR, Library};
use super::problem::Problem;
use super::release::ChoiceRules;
use super::size_mapping::SizeMapping;
use super::stream_k::{StreamKMode, Streamed, streamed};
use super::types::types_of;
use crate::tensile::call::Transpose;
use crate::tensile::tests::packed;
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::Unanswered;
use serde_json::{Value, json};
use std::path::Path;

fn call_on(target: &str, multiprocessors: u32, ty: &str, sizes: [u64; 3]) -> MatmulCall {
    let ([a, b, c, d], comp) = types_of(ty).unwrap();
    let transposes = [Transpose::T, Transpose::N];
    let call = MatmulCall::new(&TargetId::bare(target), multiprocessors, a, transposes, sizes);
    MatmulCall { b, c, d, comp, ..call }
}

/// A solution of FP16 whose M has to be a multiple.
fn solution(index: u32, tile: [u32; 3], multiple: u64, stream_k: i64) -> Value {
    json!({
        "name": format!("solution_{index}"), "kernelName": format!("kernel_{index}"), "index": index,
        "hardwarePredicate": { "type": "TruePred" }, "taskPredicate": { "type": "WorkspaceCheck" },
        "problemPredicate": { "type": "And", "value": [{ "type": "Free0SizeMultiple", "index": 0, "value": multiple }] },
        "sizeMapping": { "workGroup": [256, 1, 1], "macroTile": [tile[0], tile[1], 1], "depthU": tile[2], "globalSplitU": 1,
            "globalAccumulation": 0, "workspaceSizePerElemC": 4, "matrixInstruction": [16, 16, 16, 1], "CUOccupancy": 2,
            "nonTemporalA": 0, "nonTemporalB": 0, "streamK": stream_k },
        "problemType": { "aType": "Half", "bType": "Half", "cType": "Half", "dType": "Half" },
    })
}

fn row(tag: &str, library: Value) -> Value {
    json!({ "predicate": { "type": tag }, "library": library })
}

fn problem_rows(rows: &[Value]) -> Value {
    json!({ "type": "Problem", "rows": rows })
}

fn exact(size: u64, index: u32) -> Value {
    let of = |kind: &str| json!({ "type": kind, "index": 0 });
    let properties = [of("FreeSizeA"), of("FreeSizeB"), of("BatchSize"), of("BoundSize")];
    json!({ "type": "Matching", "distance": "Equality", "properties": properties,
        "table": [{ "key": [size, size, 1, size], "index": index }] })
}

/// A folder whose master catalog holds everything.
fn library(
    target: &str,
    solutions: &[Value],
    library: &Value,
) -> Result<(tempfile::TempDir, Library), String> {
    let folder = tempfile::tempdir().unwrap();
    let bytes = packed(&json!({ "solutions": solutions, "library": library }));
    std::fs::write(folder.path().join(format!("TensileLibrary_lazy_{target}.dat")), bytes).unwrap();
    let opened = Library::open(folder.path(), target).map_err(|error| error.to_string())?;
    Ok((folder, opened))
}

fn fixed(library: &Library, call: &MatmulCall) -> Vec<u32> {
    let choice = library.choose(call, None).unwrap();
    assert_eq!(choice.undecided, None);
    choice.fixed.iter().map(|found| found.solution.index).collect()
}

#[test]
fn a_prediction_node_is_ranked_behind_exact_sizes() {
    // Source of the order: origami 0.0.3 prefers tiles of 256 by 256 for a large square on gfx942.
    let solutions: Vec<_> =
        [(0, [16, 16, 64], 1), (1, [256, 256, 64], 1), (2, [128, 128, 64], 1), (3, [256, 256, 64], 7)]
            .map(|(index, tile, multiple)| solution(index, tile, multiple, 3))
            .into();
    let prediction = |table: &[u32]| json!({ "type": "Prediction", "table": table });
    let rows = problem_rows(&[
        row("ExperimentalStreamK", prediction(&[0])),
        row("EqualityMatching", exact(512, 0)),
        row("PredictionMatching", prediction(&[3, 0, 2, 1])),
    ]);
    let (_folder, own) = library("gfx942", &solutions, &rows).unwrap();
    let call = MatmulCall { requested: 2, ..call_on("gfx942", 304, "f16", [8192; 3]) };
    assert_eq!(fixed(&own, &call), [1, 2]);
    assert_eq!(super::tuned::TunedMatch::from_choice(&own.choose(&call, None).unwrap()).word(), "ranked");
    assert_eq!(own.answer(&call).unwrap().by_source, [BySource::Ranking, BySource::Streaming]);
    // Processes that ask the model first skip the table; a row that streams along K is for those that ask for
    // it.
    let small = call_on("gfx942", 304, "f16", [512; 3]);
    assert_eq!(fixed(&own, &small), [0]);
    assert_eq!(own.answer(&small).unwrap().by_source, [BySource::Streaming]);
    let with = |env: &str, call: &MatmulCall| MatmulCall { env: Some(env.to_owned()), ..call.clone() };
    assert_eq!(fixed(&own, &with("TENSILE_SOLUTION_SELECTION_METHOD=2", &call)), [0, 1]);
    assert_eq!(fixed(&own, &with("TENSILE_SOLUTION_SELECTION_METHOD=1", &call)), [1, 2]);
    assert_ne!(fixed(&own, &with("TENSILE_PREDICTION_LIB=1", &small)), [0]);
    assert_eq!(fixed(&own, &with("TENSILE_PREDICTION_LIB=0", &small)), [0]);
    // The library refuses an empty list, and a target without a model leaves the choice open.
    assert!(library("gfx942", &solutions, &prediction(&[])).is_err());
    let (_folder, other) = library("gfx1030", &solutions, &prediction(&[1])).unwrap();
    let undecided = other.choose(&call_on("gfx1030", 36, "f16", [64; 3]), None).unwrap().undecided;
    assert!(undecided.is_some_and(|what| what.contains("gfx1030")));
}

const TILE: SizeMapping = SizeMapping {
    work_group: 256,
    macro_tile: [256, 256],
    depth_u: 64,
    global_split_u: 1,
    global_accumulation: 0,
    synchronizer_per_group: 0,
    workspace_per_element: 4,
    workspace_per_bias: 0,
    instruction: [16, 16, 16],
    occupancy: 2,
    hints: [0, 0],
    by_hand: false,
    stream_k: StreamKMode::Static,
    whole_tiles: false,
    is_custom: false,
};

/// What is launched on an MI300X.
fn launched(
    mapping: &SizeMapping,
    sizes: [u64; 3],
    workspace: u64,
    env: &str,
) -> Result<Streamed, Unanswered> {
    let call = MatmulCall { workspace, env: Some(env.to_owned()), ..call_on("gfx942", 304, "f16", sizes) };
    streamed(mapping, &Problem::from_call(&call, ChoiceRules::Of1_4))
}

#[test]
fn work_groups_stream_along_k_as_the_source_says() {
    let large = [8192; 3];
    let of = |groups, parts, workspace| Ok(Streamed { groups, parts, workspace });
    // 1,024 tiles. Three for each unit would be 341 work groups, three and a half are 293, whose sums take
    // 293 times 256 KiB.
    assert_eq!(launched(&TILE, large, 128 << 20, ""), of(293, 1, 293 << 18));
    // Without room for the sums each has a whole tile.
    assert_eq!(launched(&TILE, large, 32 << 20, ""), of(1024, 1, 0));
    assert_eq!(launched(&TILE, large, (293 << 18) - 1, ""), of(1024, 1, 0));
    // Four tiles of 128 steps: 304 units make 16 parts of each, eight steps a part, which a second kernel
    // sums up.
    assert_eq!(launched(&TILE, [512, 512, 8192], 128 << 20, ""), of(64, 16, 64 << 18));
    // A kernel written by hand sums up itself; 64 work groups are a multiple of the tiles only the other way
    // round.
    let custom = SizeMapping { is_custom: true, ..TILE };
    assert_eq!(launched(&custom, [512, 512, 8192], 128 << 20, "").map(|found| found.parts), Ok(1));
    // From a queue: as many as there are tiles, at most two for each unit.
    let queued = SizeMapping { stream_k: StreamKMode::Queued, ..TILE };
    assert_eq!(launched(&queued, large, 1 << 40, "").map(|found| found.groups), Ok(608));
    assert_eq!(launched(&queued, [512, 512, 64], 1 << 40, ""), of(4, 1, 0));
    assert_eq!(
        launched(&SizeMapping { stream_k: StreamKMode::Hybrid, ..TILE }, large, 128 << 20, ""),
        of(293, 1, 293 << 18)
    );
    // The tree of sums divides in 16 bits.
    assert_eq!(launched(&TILE, [8192, 8192, 1 << 22], 1 << 40, ""), of(1024, 1, 0));
    let whole = SizeMapping { whole_tiles: true, ..TILE };
    assert_eq!(launched(&whole, large, 128 << 20, "").map(|found| found.workspace), Ok(0));
}

#[test]
fn the_environment_changes_how_work_groups_stream() {
    let groups = |env: &str| launched(&TILE, [8192; 3], 1 << 40, env).map(|found| found.groups);
    assert_eq!(groups("TENSILE_STREAMK_FIXED_GRID=100"), Ok(100));
    assert_eq!(groups("TENSILE_STREAMK_DYNAMIC_GRID=0"), Ok(304));
    assert_eq!(groups("TENSILE_STREAMK_DYNAMIC_GRID=0 TENSILE_STREAMK_MAX_CUS=64"), Ok(64));
    assert_eq!(groups("TENSILE_STREAMK_DYNAMIC_GRID=0 TENSILE_STREAMK_GRID_MULTIPLIER=2"), Ok(608));
    // 1,024 tiles on 64 units are 16 for each.
    assert_eq!(groups("TENSILE_STREAMK_MAX_CUS=64"), Ok(64));
    assert_eq!(groups("TENSILE_STREAMK_MAX_CUS=64x"), Ok(64));
    assert!(groups("TENSILE_STREAMK_DYNAMIC_GRID=3").is_err_and(|why| why.contains("DYNAMIC_GRID=3")));
    // A device that the model does not have, and a way that no source has.
    let other = Problem::from_call(&call_on("gfx90c", 8, "f16", [512; 3]), ChoiceRules::Of1_4);
    assert!(streamed(&TILE, &other).is_err());
    assert!(
        launched(&SizeMapping { stream_k: StreamKMode::from_number(9), ..TILE }, [512; 3], 0, "").is_err()
    );
    assert_eq!(
        [0, 1, 3, 4, 5].map(StreamKMode::from_number),
        [
            StreamKMode::Whole,
            StreamKMode::Static,
            StreamKMode::Static,
            StreamKMode::Queued,
            StreamKMode::Hybrid
        ]
    );
}

#[test]
fn a_table_chooses_what_streams_along_k() {
    let solutions = [solution(7, [256, 256, 64], 1, 3)];
    let (_folder, own) = library("gfx942", &solutions, &exact(8192, 7)).unwrap();
    let call = call_on("gfx942", 304, "f16", [8192; 3]);
    // Its workspace is never too much: it computes whole tiles then.
    let choice = own.choose(&MatmulCall { workspace: 0, ..call.clone() }, None).unwrap();
    assert_eq!((choice.fixed.len(), choice.undecided.clone()), (1, None));
    let choice = own.choose(&MatmulCall { workspace: 128 << 20, ..call.clone() }, None).unwrap();
    let first = choice.fixed.first().unwrap();
    assert_eq!(choice.workspace(first), 293 << 18);
    let found = super::launch::launches(
        first.solution,
        first.catalog.content().shared.type_of(first.solution).unwrap(),
        "kernel_7",
        &choice.problem,
        "gfx942",
    );
    assert_eq!((found.len(), found[0].grid), (1, [293, 1, 1]));
    // No code object is there.
    assert_eq!(own.launch(first, &call, &choice.problem, true).status, Some(INTERNAL_ERROR));
}

#[test]
fn a_list_without_a_rank_only_fills_up() {
    let solutions =
        [solution(0, [128, 128, 64], 1, 0), solution(1, [64, 64, 64], 1, 0), solution(2, [64, 64, 64], 3, 0)];
    let listed = |all: &[u32]| {
        let rows: Vec<Value> = all.iter().map(|index| json!({ "index": index })).collect();
        json!({ "type": "FreeSize", "table": rows })
    };
    let rows =
        problem_rows(&[row("EqualityMatching", exact(512, 0)), row("FreeSizeMatching", listed(&[1, 2]))]);
    let operation = json!({ "type": "ProblemMap", "property": { "type": "OperationIdentifier" },
        "map": { "Contraction_l_Alik_Bljk_Cijk_Dijk": rows } });
    let (_folder, own) = library("gfx90a", &solutions, &operation).unwrap();
    let call = call_on("gfx90a", 104, "f16", [512; 3]);
    assert_eq!(fixed(&own, &MatmulCall { requested: 2, ..call.clone() }), [0]);
    let choice = own.choose(&call_on("gfx90a", 104, "f16", [500; 3]), None).unwrap();
    assert_eq!((choice.fixed.len(), choice.undecided.clone()), (0, None));
    // 500 is no multiple of 3.
    let fill: Vec<u32> = choice.fill.iter().map(|found| found.solution.index).collect();
    assert_eq!(fill, [0, 1]);
    let answer = own.answer(&call_on("gfx90a", 104, "f16", [500; 3])).unwrap();
    assert_eq!(answer.by_source, [BySource::FreeSize]);
    // A row without a solution of the catalog, or without an index, is refused.
    assert!(library("gfx90a", &solutions, &listed(&[3])).is_err());
    assert!(library("gfx90a", &solutions, &json!({ "type": "FreeSize", "table": [{}] })).is_err());
    assert!(library("gfx90a", &solutions, &json!({ "type": "FreeSize" })).is_err());
}

#[test]
fn rows_for_a_chip_come_before_all_others() {
    let device = |chip: Option<u32>| {
        let processor = json!({ "type": "Processor", "value": "gfx950" });
        let value = match chip {
            Some(chip) => {
                json!({ "type": "And", "value": [processor, { "type": "PciChipId", "value": chip }] })
            }
            None => processor,
        };
        json!({ "type": "AMDGPU", "value": value })
    };
    let solutions: Vec<_> = (0..4).map(|index| solution(index, [64, 64, 64], 1, 0)).collect();
    let order = [(None, 0), (Some(0x75a0), 1), (Some(0x75a3), 2), (Some(0x75b0), 3)];
    let rows: Vec<Value> = order
        .iter()
        .map(|(chip, index)| json!({ "predicate": device(*chip), "library": { "type": "Single", "index": index } }))
        .collect();
    let (_folder, own) = library("gfx950", &solutions, &json!({ "type": "Hardware", "rows": rows })).unwrap();
    let of = |chip| fixed(&own, &MatmulCall { chip, ..call_on("gfx950", 256, "f16", [64; 3]) });
    assert_eq!([of(None), of(Some(0x75a0)), of(Some(0x75a3))], [[0], [1], [2]]);
    // 75a2 has no row of its own, and takes that of 75a0; another card takes the plain row.
    assert_eq!([of(Some(0x75a2)), of(Some(0x75b0)), of(Some(0x1234))], [[1], [3], [0]]);
    let answer = own.answer(&call_on("gfx950", 256, "f16", [64; 3])).unwrap();
    assert_eq!(answer.by_source, [BySource::DeviceRows(vec![0x75a0, 0x75a3, 0x75b0], None)]);
}

#[test]
fn products_with_a_scale_for_each_block_are_compiled_at_run_time() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("hipblaslt/library");
    std::fs::create_dir_all(&inner).unwrap();
    let bytes = packed(
        &json!({ "solutions": [solution(0, [64, 64, 64], 1, 0)], "library": { "type": "Single", "index": 0 } }),
    );
    for target in ["gfx950", "gfx1250"] {
        std::fs::write(inner.join(format!("TensileLibrary_lazy_{target}.dat")), &bytes).unwrap();
    }
    let of = |target: &str, mode| {
        let call = call_on(target, 256, "f16", [64; 3]);
        let library = Library::open(inner.as_path(), target).unwrap();
        let call =
            MatmulCall { scale_a: true, scale_b: true, scale_mode_a: mode, scale_mode_b: mode, ..call };
        let answer = library.answer(&call).unwrap();
        (answer.compiled, answer.returned, answer.by_source)
    };
    assert_eq!(of("gfx950", 0), (false, 1, vec![]));
    assert_eq!(of("gfx950", BLOCKS_OF_32), (true, 0, vec![BySource::RunTimeCompiler]));
    // gfx1250 has catalogs for them.
    assert_eq!(of("gfx1250", BLOCKS_OF_32), (false, 1, vec![]));
    // A library that was built without the compiler asks its catalogs.
    let plain = Path::new("../../fixtures/hipblaslt");
    let without =
        std::fs::read_dir(plain).unwrap().flatten().find(|e| e.file_name().to_string_lossy().contains(".so"));
    if let Some(without) = without {
        std::fs::copy(without.path(), folder.path().join(without.file_name())).unwrap();
        assert_eq!(of("gfx950", BLOCKS_OF_32), (false, 1, vec![]));
    }
}
