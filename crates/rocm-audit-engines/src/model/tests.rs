//! Operations and launches of small models, compared with runs of llama.cpp 0.7.0.

use super::between::{Fusions, between};
use super::gguf::{Header, Tensor, Value};
use super::launch::{Fusion, LaunchedKernel, Launcher};
use super::network::Network;
use super::operation::{Batch, Operation, Product, Settings, operations};
use crate::ggml::types::named;
use crate::ggml::{Architecture, Route};

/// A model with two blocks.
fn network(architecture: &str, numbers: &[(&str, i128)], tensors: &[(&str, &[u64], u32)]) -> Network {
    let mut header = Header::default();
    let text = Value::Text(Some(architecture.to_owned()));
    header.metadata.insert("general.architecture".to_owned(), text);
    for (key, number) in numbers {
        header.metadata.insert(format!("{architecture}.{key}"), Value::Int(*number));
    }
    for (name, shape, type_number) in tensors {
        let (name, shape, type_number) = ((*name).to_owned(), shape.to_vec(), *type_number);
        header.tensors.push(Tensor { name, shape, type_number, offset: 0, described_at: 0 });
    }
    Network::from_headers(&[header])
}

const Q4_K: u32 = 12;

fn llama() -> Network {
    let numbers = [
        ("block_count", 2),
        ("embedding_length", 4096),
        ("attention.head_count", 32),
        ("attention.head_count_kv", 8),
    ];
    let tensors: Vec<(String, &[u64], u32)> = (0..2)
        .flat_map(|block| {
            [
                ("attn_q", &[4096_u64, 4096][..]),
                ("attn_norm", &[4096]),
                ("attn_output", &[4096, 4096]),
                ("ffn_gate", &[4096, 14336]),
                ("ffn_up", &[4096, 14336]),
                ("ffn_down", &[14336, 4096]),
            ]
            .map(|(role, shape)| (format!("blk.{block}.{role}.weight"), shape, Q4_K))
        })
        .chain([("token_embd.weight".to_owned(), &[4096_u64, 128_256][..], Q4_K)])
        .collect();
    let tensors: Vec<(&str, &[u64], u32)> = tensors.iter().map(|(n, s, t)| (n.as_str(), *s, *t)).collect();
    network("llama", &numbers, &tensors)
}

fn settings(flash: bool) -> Settings {
    Settings { flash, cache: named("f16").unwrap(), ubatch: 512, context: 2048 }
}

const PROMPT: Batch = Batch { tokens: 512, sequences: 1, outputs: 1, position: 512, begins: true };
const NEXT: Batch = Batch { tokens: 1, sequences: 1, outputs: 1, position: 513, begins: false };

fn find<'o>(all: &'o [Operation], role: &str, block: u64) -> &'o Operation {
    all.iter().find(|o| o.role == role && o.block.is_none_or(|own| own == block)).unwrap()
}

fn columns(operation: &Operation) -> u64 {
    match operation.product {
        Product::MulMat(problem, _) => problem.ne11,
        Product::Experts(problem, _) => problem.tokens,
        _ => 0,
    }
}

#[test]
fn the_last_block_gives_its_ffn_only_what_is_asked_for() {
    let all = operations(&llama(), &PROMPT, &settings(true)).unwrap();
    assert_eq!(columns(find(&all, "ffn_up", 0)), 512);
    assert_eq!(columns(find(&all, "ffn_up", 1)), 1);
    assert_eq!(columns(find(&all, "attn_output", 1)), 512);
    assert_eq!(columns(find(&all, "token_embd", 0)), 1);
    assert!(!all.iter().any(|operation| operation.role == "attn_norm"));
    let Product::Attention(flash) = find(&all, "attention", 1).product else { panic!() };
    let query = flash.query;
    assert_eq!((query.dk, query.heads, query.kv_heads, query.keys), (128, 32, 8, 512));
    let Product::Attention(flash) =
        find(&operations(&llama(), &NEXT, &settings(true)).unwrap(), "attention", 0).product
    else {
        panic!()
    };
    assert_eq!(flash.query.keys, 768);
    // A batch without requested results has no product after the last attention.
    let silent = Batch { outputs: 0, ..PROMPT };
    let all = operations(&llama(), &silent, &settings(true)).unwrap();
    assert!(!all.iter().any(|o| o.role == "token_embd" || o.role == "ffn_up" && o.block == Some(1)));
}

#[test]
fn one_column_joins_gate_up_and_sums() {
    let network = llama();
    let architecture = Architecture::parse("gfx906").unwrap();
    let launcher = Launcher::new(&network, &architecture, 60, None).unwrap();
    let all = operations(&network, &NEXT, &settings(true)).unwrap();
    let step = |role, block| launcher.step(find(&all, role, block)).unwrap();
    assert_eq!((step("ffn_gate", 0).fusion, step("ffn_gate", 0).count()), (Fusion::InUp, 0));
    let up = step("ffn_up", 0);
    let LaunchedKernel::Kernel(kernel) = &up.launches[0].0 else { panic!() };
    assert_eq!(kernel.prefix(), "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb1ELb0ELb0EE");
    assert_eq!(step("attn_output", 0).fusion, Fusion::WithSum);
    assert_eq!(step("attn_output", 1).fusion, Fusion::None);
    assert_eq!(step("attn_q", 0).fusion, Fusion::None);
    let all = operations(&network, &PROMPT, &settings(true)).unwrap();
    let step = launcher.step(find(&all, "ffn_up", 0)).unwrap();
    assert_eq!((step.route, step.fusion), (Route::Mmq, Fusion::None));
}

#[test]
fn without_flash_attention_there_are_two_products() {
    let network = llama();
    let architecture = Architecture::parse("gfx906").unwrap();
    let launcher = Launcher::new(&network, &architecture, 60, None).unwrap();
    let all = operations(&network, &PROMPT, &settings(false)).unwrap();
    let step = launcher.step(find(&all, "cache_k", 0)).unwrap();
    let LaunchedKernel::Blas(call) = &step.launches[0].0 else { panic!() };
    let [m, n, k] = [call.m, call.n, call.k];
    assert_eq!((call.function, m, n, k), ("hipblasGemmBatchedEx", 512, 512, 128));
    let all = operations(&network, &NEXT, &settings(false)).unwrap();
    let step = launcher.step(find(&all, "cache_v", 0)).unwrap();
    let LaunchedKernel::Kernel(kernel) = &step.launches[0].0 else { panic!() };
    assert_eq!(kernel.name(), "mul_mat_vec_f<__half, __half, 1, 128, false, false>");
}

#[test]
fn the_host_loops_over_experts_where_no_kernel_takes_them() {
    let numbers = [("block_count", 1), ("expert_used_count", 4), ("expert_count", 32)];
    let exps: &[u64] = &[2880, 2880, 32];
    let network = network("gpt-oss", &numbers, &[("blk.0.ffn_up_exps.weight", exps, 39)]);
    let all = operations(&network, &Batch { outputs: 512, ..PROMPT }, &settings(true)).unwrap();
    for (gpu, by_host, count) in [("gfx90a", true, 32), ("gfx906", false, 1)] {
        let architecture = Architecture::parse(gpu).unwrap();
        let step = Launcher::new(&network, &architecture, 60, None).unwrap().step(&all[0]).unwrap();
        assert_eq!((step.by_host, step.count()), (by_host, count), "{gpu}");
    }
}

#[test]
fn hostile_numbers_make_no_more_than_they_are() {
    let numbers = [
        ("block_count", i128::from(u64::MAX)),
        ("attention.head_count", i128::from(u64::MAX)),
        ("attention.key_length", i128::from(u64::MAX)),
        ("attention.value_length", i128::from(u64::MAX)),
        ("expert_used_count", i128::from(u64::MAX)),
    ];
    let big = u64::MAX >> 33;
    let shape: &[u64] = &[big, 2, big];
    let names = ["blk.0.attn_q.weight", "blk.0.ffn_up_exps.weight", "blk.18446744073709551615.ffn_up.weight"];
    let network = network("x", &numbers, &names.map(|name| (name, shape, 1)));
    let architecture = Architecture::parse("gfx90a").unwrap();
    let launcher = Launcher::new(&network, &architecture, 60, None).unwrap();
    let batch = Batch {
        tokens: u64::MAX,
        sequences: u64::MAX,
        outputs: u64::MAX,
        position: u64::MAX / 2,
        begins: false,
    };
    for flash in [false, true] {
        let all = operations(&network, &batch, &settings(flash)).unwrap();
        assert!(!all.is_empty());
        let around = between(&network, &batch, &settings(flash), &Fusions::new()).unwrap();
        assert!(around.count() < 8 * super::network::BLOCKS);
        for operation in &all {
            launcher.step(operation).unwrap();
            operation.product.bytes();
        }
    }
}
