//! The library of fixtures/hipblaslt, whose answers were worked out by hand from its tables
//! (fixtures/src/gen_hipblaslt_library.py). Its grid for FP16 has the cells (64, 64), (64, 1024), (1024, 64),
//! (1024, 1024), (4096, 64), (4096, 4096), each with K of 64, 512 and 4096.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::answer::MatmulAnswer;
use super::call::{Interface, MatmulCall};
use super::epilogue::{Activation, BiasSource, EPILOGUES, Epilogue};
use super::library::{INTERNAL_ERROR, INVALID_VALUE, Library, SUCCESS};
use super::types::{ComputeType, MatrixType, types_of};
use crate::tensile::call::Transpose;
use amdgpu_object::target::TargetId;

const FOLDER: &str = "../../fixtures/hipblaslt/library";

/// Solutions of FP16 on gfx1151, as the fixture counts them.
const SMALL: u32 = 0;
const WIDE: u32 = 1;
const LARGE: u32 = 2;
const SPLIT: u32 = 3;
const PICKY: u32 = 4;

fn call_on(target: &str, ty: &str, sizes: [u64; 3]) -> MatmulCall {
    let ([a, b, c, d], comp) = types_of(ty).unwrap();
    let call = MatmulCall::new(&TargetId::bare(target), 20, a, [Transpose::T, Transpose::N], sizes);
    MatmulCall { b, c, d, comp, ..call }
}

fn half(sizes: [u64; 3]) -> MatmulCall {
    call_on("gfx1151", "f16", sizes)
}

/// What the tables fix, and what fills the list up.
fn chosen(call: &MatmulCall) -> (Vec<u32>, Vec<u32>) {
    let library = Library::open(std::path::Path::new(FOLDER), &call.target).unwrap();
    let choice = library.choose(call, None).unwrap();
    // The account changes nothing.
    let answer = library.answer(call).unwrap();
    let list: Vec<u32> = choice.list().map(|found| found.solution.index).collect();
    assert_eq!(list, answer.algorithms.iter().map(|a| a.solution).collect::<Vec<_>>());
    let of = |all: &[super::library::Candidate<'_>]| all.iter().map(|found| found.solution.index).collect();
    (of(&choice.fixed), of(&choice.fill))
}

fn first(call: &MatmulCall) -> Option<u32> {
    let (fixed, fill) = chosen(call);
    fixed.first().or(fill.first()).copied()
}

fn answer(call: &MatmulCall) -> MatmulAnswer {
    Library::open(std::path::Path::new(FOLDER), &call.target).unwrap().answer(call).unwrap()
}

fn with(epilogue: u32, call: MatmulCall) -> MatmulCall {
    let mut call = call;
    call.set_epilogue(Epilogue::meant(&epilogue.to_string()).unwrap());
    call
}

#[test]
fn an_exact_size_comes_before_the_grid() {
    assert_eq!(first(&half([512, 512, 512])), Some(LARGE));
    // One more of K, and the cell (1024, 1024) decides: 512 is nearest, but its solution wants multiples of
    // 32.
    assert_eq!(first(&half([512, 512, 513])), Some(WIDE));
    assert_eq!(first(&half([512, 512, 544])), Some(PICKY));
}

#[test]
fn the_cell_is_the_next_larger_and_k_the_nearest() {
    assert_eq!(first(&half([512, 512, 4096])), Some(LARGE));
    assert_eq!(first(&half([64, 64, 100])), Some(SMALL));
    // 288 lies in the middle of 64 and 512: the later row wins.
    assert_eq!(first(&half([64, 64, 288])), Some(SPLIT));
    assert_eq!(first(&half([64, 64, 287])), Some(SMALL));
    // Beyond the last M and N the last cell serves.
    assert_eq!(first(&half([9000, 9000, 512])), Some(PICKY));
}

#[test]
fn a_batch_becomes_part_of_the_larger_side() {
    // N on a tie: 16 times 64 columns.
    assert_eq!(first(&MatmulCall { batch: 16, ..half([64, 64, 512]) }), Some(WIDE));
    assert_eq!(first(&half([64, 64, 512])), Some(SPLIT));
}

#[test]
fn several_algorithms_go_in_zigzag() {
    let asked = |requested| chosen(&MatmulCall { requested, ..half([64, 64, 64]) }).0;
    assert_eq!(asked(1), [SMALL]);
    // Two cells along the first column, then one of the next, and on: what is in the list is not taken twice.
    assert_eq!(asked(3), [SMALL, WIDE, LARGE]);
    let (fixed, fill) = chosen(&MatmulCall { requested: 64, ..half([64, 64, 64]) });
    // Behind the cells all rows before the last one are asked backwards. K of 64 is too small to be split in
    // 4 times 32.
    assert_eq!(fixed, [SMALL, WIDE, LARGE, PICKY]);
    assert!(fill.is_empty());
}

#[test]
fn the_workspace_is_rounded_up_to_tiles_and_decides() {
    let call = half([100, 50, 5000]);
    let found = answer(&call);
    // 128 rows and 64 columns of 4 bytes, for each of 4 parts.
    assert_eq!((found.algorithms[0].solution, found.algorithms[0].workspace), (SPLIT, 131_072));
    assert_eq!(first(&MatmulCall { workspace: 131_071, ..call }), Some(WIDE));
    let launches: Vec<_> =
        found.launches.iter().map(|l| (l.kernel.as_ref(), l.work_items()[0], l.work_group[0])).collect();
    // 2 tiles, each in 4 parts, of 128 work items; 5,000 elements, 4 for each of 256 work items.
    assert_eq!(launches[0].1, 8 * 128);
    assert_eq!(launches[1], ("Cijk_SH_BiasS_HAS_ScaleAlphaVec_PostGSU4_VW4", 5 * 256, 256));
    assert_eq!(found.run_status, Some(SUCCESS));
    assert_eq!(found.launches[1].file.as_deref(), Some("Kernels.so-000-gfx1151.hsaco"));
}

#[test]
fn exact_sizes_alone_leave_the_order_open() {
    let call = call_on("gfx1151", "f32", [100, 100, 100]);
    assert_eq!(chosen(&call), (vec![], vec![6, 7, 8, 9]));
    assert_eq!(
        chosen(&MatmulCall { m: 256, n: 256, k: 256, ld: [256; 4], ..call.clone() }),
        (vec![8], vec![])
    );
    // The list of 3 is the exact one and two of the others.
    let three = MatmulCall { m: 256, n: 256, k: 256, ld: [256; 4], requested: 3, ..call.clone() };
    assert_eq!(chosen(&three), (vec![8], vec![6, 7, 9]));
    // XFloat32 has no solution: Float is searched again, and nothing fills the list up.
    let xf32 = MatmulCall { comp: ComputeType::meant("xf32").unwrap(), ..three };
    assert_eq!(chosen(&xf32), (vec![8], vec![]));
    assert!(answer(&xf32).xf32_fell_back);
}

#[test]
fn compute_units_choose_the_row_and_later_rows_complete_the_list() {
    let of = |multiprocessors, requested| {
        let call = call_on("gfx90a", "f16", [64, 64, 64]);
        chosen(&MatmulCall { multiprocessors, requested, ..call }).0
    };
    // What the exact size and the grid both give is twice in the list.
    assert_eq!(of(110, 3), [11, 11]);
    assert_eq!(of(104, 1), [12]);
    assert_eq!(of(104, 4), [12, 12, 11, 11]);
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let call = call_on("gfx942", "f16", [64, 64, 64]);
    assert_eq!(chosen(&call), (vec![13], vec![]));
    // The model of the node behind the table ranks the rest.
    let other = answer(&MatmulCall { requested: 2, ..call.clone() });
    assert_eq!((other.fixed, other.undecided), (2, None));
    // A node of a name that no release has.
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let entry = entry.unwrap();
        let mut bytes = std::fs::read(entry.path()).unwrap();
        if let Some(at) = memchr::memmem::find(&bytes, b"Prediction") {
            bytes[at..at + 10].copy_from_slice(b"Divination");
        }
        std::fs::write(folder.path().join(entry.file_name()), bytes).unwrap();
    }
    let library = Library::open(folder.path(), "gfx942").unwrap();
    let other = library.answer(&MatmulCall { requested: 2, ..call }).unwrap();
    assert_eq!((other.fixed, other.returned), (1, 1));
    assert!(other.undecided.unwrap().starts_with("Divination node at offset "));
    let other = library.answer(&call_on("gfx942", "f16", [65, 64, 64])).unwrap();
    assert_eq!(other.returned, 0);
    assert!(other.undecided.is_some());
}

#[test]
fn epilogues_ask_for_their_kernels() {
    let gelu = |call| with(36, call);
    let bias = |ty: &str| {
        let ty = Some(MatrixType::meant(ty).unwrap());
        first(&MatmulCall { bias_type: ty, ..gelu(half([64, 64, 64])) })
    };
    assert_eq!((bias("f32"), bias("f16"), bias("bf16")), (Some(SMALL), Some(SMALL), None));
    // A list of activations without GELU.
    let integer = |epilogue| first(&with(epilogue, call_on("gfx1151", "i8", [64, 64, 64])));
    assert_eq!((integer(2), integer(32)), (Some(10), None));
    // An auxiliary matrix without a pointer is invalid, a bias without one fails only when it is launched.
    let aux = |set| MatmulCall { aux_ptr: set, ..with(208, half([64, 32, 64])) };
    assert_eq!(first(&aux(true)), Some(5));
    assert_eq!((first(&aux(false)), answer(&aux(false)).invalid.is_some()), (None, true));
    let found = answer(&MatmulCall { bias_ptr: false, ..gelu(half([64, 64, 64])) });
    assert_eq!((found.run_status, found.launches.len()), (Some(INVALID_VALUE), 0));
}

#[test]
fn a_reduction_that_is_not_shipped_fails_behind_the_main_kernel() {
    let of = |n| answer(&with(208, half([64, n, 64])));
    let shipped = of(32);
    assert_eq!(shipped.run_status, Some(SUCCESS));
    assert_eq!(shipped.launches[1].kernel, "Dijk_HS_MT8x32_VW1_Reduction");
    // 256 work items for 24 columns: 10 rows.
    let lost = of(24);
    assert_eq!((lost.run_status, lost.launches.len()), (Some(INTERNAL_ERROR), 1));
    assert_eq!(lost.missing.as_deref(), Some("Dijk_HS_MT10x24_VW1_Reduction"));
}

#[test]
fn earlier_calls_of_a_process_change_later_ones() {
    let bias = |ty: &str| {
        let ty = Some(MatrixType::meant(ty).unwrap());
        MatmulCall { bias_type: ty, ..with(4, half([64, 64, 64])) }
    };
    let library = Library::open(std::path::Path::new(FOLDER), "gfx1151").unwrap();
    let after = |before: &[MatmulCall], call: &MatmulCall| -> Vec<u32> {
        let answer = library.answer_after(before, call).unwrap();
        answer.algorithms.iter().map(|a| a.solution).collect()
    };
    assert!(after(&[], &bias("f64")).is_empty());
    assert_eq!(after(&[bias("f32")], &bias("f64")), [SMALL]);
    // What gave nothing is not kept.
    assert_eq!(after(&[bias("f64")], &bias("f32")), [SMALL]);
    // One algorithm is kept for a call that wants three; the rest fills up, by index.
    let three = MatmulCall { requested: 3, ..half([64, 64, 512]) };
    assert_eq!(after(&[half([64, 64, 512])], &three), [SPLIT, SMALL, WIDE]);
    // Another leading dimension is another key.
    let other = MatmulCall { ld: [64, 64, 64, 65], ..bias("f32") };
    assert!(after(&[other], &bias("f64")).is_empty());
    let poisons = library.answer(&bias("f64")).unwrap().history;
    assert_eq!(poisons.len(), 1);
    assert!(poisons[0].wrong && poisons[0].solution == SMALL);
    assert_eq!(library.answer(&half([64, 64, 64])).unwrap().history, []);
}

#[test]
fn epilogues_are_found_by_number_name_and_parts() {
    for epilogue in EPILOGUES {
        assert_eq!(Epilogue::meant(&epilogue.number.to_string()), Ok(*epilogue));
        assert_eq!(Epilogue::meant(&format!("HIPBLASLT_EPILOGUE_{}", epilogue.name)), Ok(*epilogue));
        let parts = Epilogue::of_parts(epilogue.activation, epilogue.bias, epilogue.aux, epilogue.gradient);
        assert_eq!(parts, Ok(*epilogue));
    }
    assert_eq!(Epilogue::meant("gelu-aux-bias").unwrap().number, 164);
    assert_eq!(Epilogue::of_parts(Activation::Gelu, Some(BiasSource::D), true, true).unwrap().number, 208);
    assert!(Epilogue::meant("tanh").unwrap_err().contains("GELU_AUX_BIAS (164)"));
}

#[test]
fn no_byte_does_harm() {
    use crate::tensile::catalog::CatalogIndex;
    let bytes = std::fs::read(format!("{FOLDER}/TensileLibrary_lazy_gfx1151.dat")).unwrap();
    let read = |bytes: &[u8]| CatalogIndex::<super::TensileLite>::read(bytes);
    assert!(read(&bytes).is_ok());
    for end in 0..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!(error.offset() as usize <= end, "{end}: {error}");
    }
    let half = std::fs::read(format!(
        "{FOLDER}/TensileLibrary_HH_HH_HA_Bias_SAV_UA_Type_HH_HPA_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx942.dat"
    ))
    .unwrap();
    for at in 0..half.len() {
        // A fixed text of another kind, an array of four billion, a map of as many.
        for other in [0xa5, 0xdd, 0xdf] {
            let mut changed = half.clone();
            changed[at] = other;
            let _ = read(&changed);
        }
    }
}

/// Solutions of FP16 in groups on gfx90a, as the fixture counts them.
const EVERY: u32 = 15;
const GROUP_SPLIT: u32 = 16;
const EVEN: u32 = 17;

fn group(workspace: u64, products: &[[u64; 3]]) -> MatmulCall {
    let more = products[1..].iter().map(|[m, n, k]| [*m, *n, *k, 1]).collect();
    let call = call_on("gfx90a", "f16", products[0]);
    MatmulCall { group: Some(more), interface: Interface::Ext, workspace, multiprocessors: 110, ..call }
}

#[test]
fn a_group_is_looked_up_by_its_first_product_and_solved_by_what_solves_all() {
    let even = [128, 64, 512];
    assert_eq!(chosen(&group(1 << 20, &[even])), (vec![EVEN], vec![]));
    assert_eq!(chosen(&group(1 << 20, &[even, [128, 0, 512], [1024, 64, 7]])), (vec![EVEN], vec![]));
    // 63 columns are no multiple of 64: the grid's cell has nothing else, and the rows before it are gone
    // through backwards.
    assert_eq!(chosen(&group(1 << 20, &[even, [128, 63, 512]])), (vec![GROUP_SPLIT], vec![]));
    // K of 64 cannot be split in 4 steps of 32.
    assert_eq!(chosen(&group(1 << 20, &[even, [128, 63, 64]])), (vec![EVERY], vec![]));
    // The same sizes as one product have other solutions.
    let one = MatmulCall { group: None, interface: Interface::C, ..group(1 << 20, &[even]) };
    assert_eq!(chosen(&one).0, [11]);
}

#[test]
fn a_group_needs_workspace_for_its_arguments_and_is_filled_up_without_asking() {
    let products = [[128, 64, 512], [128, 63, 512]];
    // 240 bytes for each product of a solution with a bias.
    assert_eq!(chosen(&group(480, &products)), (vec![EVERY], vec![]));
    assert_eq!(chosen(&group(479, &products)), (vec![], vec![EVERY, GROUP_SPLIT]));
    let library = Library::open(std::path::Path::new(FOLDER), "gfx90a").unwrap();
    let (tables, filled) = (group(480, &products), group(0, &products));
    for (call, stated) in [(&tables, 0), (&filled, 480)] {
        let choice = library.choose(call, None).unwrap();
        let first = choice.first().unwrap();
        assert_eq!((choice.workspace(first), choice.stated_workspace(first)), (480, stated));
    }
    assert_eq!(answer(&tables).run_status, None, "what a group launches is not known");
}

#[test]
fn the_extension_fills_xf32_up_with_float() {
    let xf32 = ComputeType::meant("xf32").unwrap();
    let call = MatmulCall { comp: xf32, requested: 4, ..call_on("gfx1151", "f32", [100, 100, 100]) };
    assert_eq!(chosen(&call), (vec![], vec![]));
    let extension = MatmulCall { interface: Interface::Ext, ..call };
    assert_eq!(chosen(&extension), (vec![], vec![6, 7, 8, 9]));
}

#[test]
fn an_open_split_fills_what_the_tiles_leave_of_a_device() {
    use super::problem::Problem;
    use super::release::ChoiceRules;
    use super::size_mapping::SizeMapping;
    use super::stream_k::StreamKMode;
    let mapping = SizeMapping {
        work_group: 128,
        macro_tile: [64, 64],
        depth_u: 32,
        global_split_u: -1,
        global_accumulation: 2,
        synchronizer_per_group: 0,
        workspace_per_element: 4,
        workspace_per_bias: 0,
        instruction: [16, 16, 16],
        occupancy: 1,
        hints: [0, 0],
        by_hand: false,
        stream_k: StreamKMode::Whole,
        whole_tiles: false,
        is_custom: false,
    };
    let on = |multiprocessors: u32, sizes: [u64; 3]| {
        let call = MatmulCall { multiprocessors, ..call_on("gfx1201", "f16", sizes) };
        Problem::from_call(&call, ChoiceRules::Of1_2)
    };
    // Four tiles on 32 multiprocessors leave room for 8 each; K of 4,096 would do for 42 parts of three times
    // 32.
    assert_eq!(mapping.split(&on(32, [128, 128, 4096])), 8);
    assert_eq!(mapping.split(&on(64, [128, 128, 4096])), 16);
    // K of 320 is ten steps, which make three parts.
    assert_eq!(mapping.split(&on(32, [128, 128, 320])), 3);
    assert_eq!(mapping.split(&on(32, [4096, 4096, 4096])), 1);
    assert_eq!(mapping.split(&on(32, [128, 128, 0])), 1);
    let problem = on(32, [128, 128, 4096]);
    assert_eq!(super::stream_k::workspace(&mapping, &problem), 128 * 128 * 4 * 8);
    // Work groups that sum up in the kernel are kept in step, for which there are 6.25 MiB.
    let in_step = SizeMapping { global_accumulation: 3, synchronizer_per_group: 1_638_400, ..mapping };
    assert_eq!(in_step.split(&problem), 8);
    assert_eq!(SizeMapping { synchronizer_per_group: 1_638_401, ..in_step }.split(&problem), 1);
    assert_eq!(SizeMapping { global_split_u: 5, ..mapping }.split(&problem), 5);
}

#[test]
fn checks_of_offsets_stop_at_n_from_1_2_on() {
    use super::predicate::Predicate;
    use super::problem::Problem;
    use super::release::ChoiceRules;
    // 64 rows of 40 million elements of two bytes are beyond 4 GiB, and 8 are not.
    let call = MatmulCall { ld: [64, 64, 40_000_000, 40_000_000], ..half([64, 8, 64]) };
    for check in [Predicate::BufferStoreOffsetLimitCheck(64), Predicate::BufferLoadOffsetLimitCheckBeta(64)] {
        assert!(!check.holds(&Problem::from_call(&call, ChoiceRules::Of1_1), &[]));
        assert!(check.holds(&Problem::from_call(&call, ChoiceRules::Of1_2), &[]));
        let wide = MatmulCall { n: 64, ..call.clone() };
        assert!(!check.holds(&Problem::from_call(&wide, ChoiceRules::Of1_2), &[]));
    }
}

#[test]
fn a_cell_of_1_2_is_of_one_batch() {
    use super::TensileLite;
    use super::release::ChoiceRules;
    use crate::tensile::node::{Node, NodeReader};
    use amdgpu_object::bytes::msgpack::Reader;
    // One cell with rows of batch 1 and 4, K 64 and 512 each; their solutions are their places.
    let mut rows = Vec::new();
    for (place, (batch, k)) in (0..).zip([(1, 64), (1, 512), (4, 64), (4, 512)]) {
        rows.push(serde_json::json!({ "key": [64, 64, batch, k], "index": place }));
    }
    let size = |kind: &str| serde_json::json!({ "type": kind, "index": 0 });
    let node = serde_json::json!({
        "type": "Matching", "distance": "GridBased", "table": rows,
        "properties": [size("FreeSizeA"), size("FreeSizeB"), size("BatchSize"), size("BoundSize")],
    });
    let bytes = crate::tensile::tests::packed(&node);
    let mut reader = NodeReader::<TensileLite>::new();
    let Ok(Node::Matching(mut table)) = reader.read(&mut Reader::new(&bytes, 0), 0) else { unreachable!() };
    table.resolve(Some).unwrap();
    let first = |rules, batch| {
        let found = super::grid::search(&table, rules, [64, 64, batch, 512], 1, &mut |_, _| true);
        found.first().map(|row| row.solution)
    };
    // Before, the last of the rows with the nearest K wins, whatever its batch.
    assert_eq!([first(ChoiceRules::Of1_1, 1), first(ChoiceRules::Of1_2, 1)], [Some(3), Some(1)]);
    assert_eq!(first(ChoiceRules::Of1_2, 4), Some(3));
    // A batch of 3 takes the next larger key.
    assert_eq!(first(ChoiceRules::Of1_2, 3), Some(3));
}
