//! Rates against ROCm's calculator of matrix instructions, and loops with ways of different lengths.

use super::{Costs, LeastCycles};
use crate::tests::bytes_of;
use crate::{Code, Graph};
use amdgpu_isa::{Decoder, Mode};

fn matrix(processor: &str, name: &str) -> u64 {
    let costs = Costs::of_processor(processor, 64).unwrap();
    costs.of(amdgpu_isa::mnemonic_number(name).unwrap())[0]
}

/// "Execution cycles" of `amd_matrix_instruction_calculator`.
#[test]
fn matrix_products_take_what_rocms_calculator_says() {
    for (processor, name, cycles) in [
        ("gfx908", "v_mfma_f32_32x32x1f32", 64),
        ("gfx908", "v_mfma_f32_16x16x1f32", 32),
        ("gfx908", "v_mfma_f32_4x4x1f32", 8),
        ("gfx90a", "v_mfma_f64_16x16x4f64", 32),
        ("gfx90a", "v_mfma_f64_4x4x4f64", 16),
        ("gfx942", "v_mfma_f32_32x32x8_f16", 32),
        ("gfx942", "v_mfma_f32_16x16x16_f16", 16),
        ("gfx942", "v_mfma_f32_32x32x1_2b_f32", 64),
        ("gfx1100", "v_wmma_f32_16x16x16_f16", 32),
        ("gfx1100", "v_wmma_i32_16x16x16_iu8", 32),
        ("gfx1100", "v_wmma_i32_16x16x16_iu4", 16),
        ("gfx1201", "v_wmma_f32_16x16x16_f16", 16),
        ("gfx1201", "v_wmma_f32_16x16x16_fp8_fp8", 8),
        ("gfx1201", "v_swmmac_f32_16x16x32_bf16", 16),
    ] {
        assert_eq!(matrix(processor, name), cycles, "{processor} {name}");
    }
}

/// Encodings of llvm-mc 22 for gfx906.
#[test]
fn a_loop_takes_what_its_shortest_way_takes() {
    let words = [
        "0203067e",         // v_mov_b32_e32 v3, v2
        "010084bf",         // s_cbranch_scc0 over four bytes
        "01030668",         // v_add_u32_e32 v3, v1, v1
        "00006cd800000001", // ds_read_b32 v1, v0
        "faff85bf",         // s_cbranch_scc1 to the begin
        "000081bf",         // s_endpgm
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word| bytes_of(word)).collect();
    let decoder = Decoder::for_processor("gfx906", Mode::Correct).unwrap();
    let graph = Graph::from_code(&Code::new(decoder, &bytes, 0..bytes.len(), 64));
    assert_eq!(graph.loops().len(), 1);
    let least = LeastCycles::of_loop(&graph, 0, "gfx906", 64).unwrap();
    // One vector instruction in 4 cycles, 256 bytes of LDS in 2; four instructions are issued in 16.
    assert_eq!((least.vector(), least.lds(), least.memory(), least.issue()), (4, 2, 0, 16));
    assert_eq!(least.most(), ("issue", 16));
    assert_eq!(LeastCycles::of_loop(&graph, 0, "gfx1250", 32), None);
}

#[test]
fn slow_instructions_are_those_of_the_processor() {
    let vector = |processor: &str, name: &str| {
        Costs::of_processor(processor, 64).unwrap().of(amdgpu_isa::mnemonic_number(name).unwrap())[1..3]
            .to_vec()
    };
    assert_eq!(vector("gfx900", "v_fma_f64"), [64, 0]);
    assert_eq!(vector("gfx906", "v_fma_f64"), [8, 0]);
    assert_eq!(vector("gfx90a", "v_fma_f64"), [4, 0]);
    assert_eq!(vector("gfx900", "v_exp_f32_e32"), [16, 16]);
    assert_eq!(vector("gfx942", "v_exp_f32_e32"), [4, 16]);
    assert_eq!(vector("gfx1030", "v_exp_f32_e32"), [2, 8]);
}
