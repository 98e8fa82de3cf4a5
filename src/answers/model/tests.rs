//! Launches of whole models, compared with recorded runs of llama.cpp 0.7.0 with ggml 0.27.0 on a stand-in
//! runtime.

use super::{ModelAnswer, ModelQuestion, Outcome, Usage};
use crate::answers::Answers;
use crate::engines::ggml::types::named;
use crate::engines::model::gguf::{Header, Tensor, Value};
use crate::engines::model::network::Network;
use crate::engines::model::quantize;
use crate::target::TargetId;

const F32: u32 = 0;
const F16: u32 = 1;
const Q8_0: u32 = 8;
const MXFP4: u32 = 39;

/// A model: what all blocks have in common, and what lies outside them.
struct Model {
    header: Header,
    architecture: &'static str,
}

impl Model {
    fn new(architecture: &'static str, numbers: &[(&str, i128)]) -> Self {
        let mut header = Header::default();
        let text = Value::Text(Some(architecture.to_owned()));
        header.metadata.insert("general.architecture".to_owned(), text);
        let mut model = Model { header, architecture };
        numbers.iter().for_each(|(key, number)| model.number(key, *number));
        model
    }

    fn number(&mut self, key: &str, number: i128) {
        self.header.metadata.insert(format!("{}.{key}", self.architecture), Value::Int(number));
    }

    fn add(&mut self, name: String, shape: &[u64], type_number: u32) {
        self.header.tensors.push(Tensor {
            name,
            shape: shape.to_vec(),
            type_number,
            offset: 0,
            described_at: 0,
        });
    }

    fn outside(&mut self, size: u64, words: u64, ty: u32) {
        self.add("token_embd.weight".to_owned(), &[size, words], ty);
        self.add("output_norm.weight".to_owned(), &[size], F32);
        self.add("output.weight".to_owned(), &[size, words], ty);
    }

    fn network(self) -> Network {
        Network::from_headers(&[self.header])
    }
}

fn llama() -> Network {
    let mut model = Model::new(
        "llama",
        &[
            ("block_count", 32),
            ("embedding_length", 4096),
            ("attention.head_count", 32),
            ("attention.head_count_kv", 8),
        ],
    );
    for block in 0..32 {
        let matrices: [(&str, [u64; 2]); 7] = [
            ("attn_q", [4096, 4096]),
            ("attn_k", [4096, 1024]),
            ("attn_v", [4096, 1024]),
            ("attn_output", [4096, 4096]),
            ("ffn_gate", [4096, 14336]),
            ("ffn_down", [14336, 4096]),
            ("ffn_up", [4096, 14336]),
        ];
        for (role, shape) in matrices {
            model.add(format!("blk.{block}.{role}.weight"), &shape, F16);
        }
        for role in ["attn_norm", "ffn_norm"] {
            model.add(format!("blk.{block}.{role}.weight"), &[4096], F32);
        }
    }
    model.outside(4096, 128_256, F16);
    quantize::quantized(&model.network(), quantize::named("Q4_K_M").unwrap())
}

/// OLMoE-1B-7B and Mixtral-8x7B: blocks, sizes, experts, and whether they normalise queries and keys.
fn with_experts(
    architecture: &'static str,
    [blocks, size, heads, kv_heads]: [u64; 4],
    [experts, used, inner, words]: [u64; 4],
    is_normed: bool,
) -> Network {
    let numbers = [
        ("block_count", blocks),
        ("embedding_length", size),
        ("attention.head_count", heads),
        ("attention.head_count_kv", kv_heads),
        ("expert_count", experts),
        ("expert_used_count", used),
    ];
    let mut model = Model::new(architecture, &numbers.map(|(key, number)| (key, i128::from(number))));
    let kv = size / heads * kv_heads;
    for block in 0..blocks {
        let mut add =
            |role: &str, shape: &[u64], ty| model.add(format!("blk.{block}.{role}.weight"), shape, ty);
        add("attn_q", &[size, size], F16);
        add("attn_k", &[size, kv], F16);
        add("attn_v", &[size, kv], F16);
        add("attn_output", &[size, size], F16);
        add("ffn_gate_inp", &[size, experts], F32);
        add("ffn_gate_exps", &[size, inner, experts], F16);
        add("ffn_down_exps", &[inner, size, experts], F16);
        add("ffn_up_exps", &[size, inner, experts], F16);
        add("attn_norm", &[size], F32);
        add("ffn_norm", &[size], F32);
        if is_normed {
            add("attn_q_norm", &[size], F32);
            add("attn_k_norm", &[kv], F32);
        }
    }
    model.outside(size, words, F16);
    quantize::quantized(&model.network(), quantize::named("Q4_K_M").unwrap())
}

fn gpt_oss() -> Network {
    let mut model = Model::new(
        "gpt-oss",
        &[
            ("block_count", 24),
            ("embedding_length", 2880),
            ("attention.head_count", 64),
            ("attention.head_count_kv", 8),
            ("attention.key_length", 64),
            ("attention.value_length", 64),
            ("attention.sliding_window", 128),
            ("expert_count", 32),
            ("expert_used_count", 4),
        ],
    );
    for block in 0..24 {
        let mut add = |role: &str, shape: &[u64], ty| model.add(format!("blk.{block}.{role}"), shape, ty);
        for (role, rows) in [("attn_q", 4096), ("attn_k", 512), ("attn_v", 512)] {
            add(&format!("{role}.weight"), &[2880, rows], Q8_0);
            add(&format!("{role}.bias"), &[rows], F32);
        }
        add("attn_output.weight", &[4096, 2880], Q8_0);
        add("attn_output.bias", &[2880], F32);
        add("attn_sinks.weight", &[64], F32);
        add("ffn_gate_inp.weight", &[2880, 32], F32);
        add("ffn_gate_inp.bias", &[32], F32);
        for role in ["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"] {
            add(&format!("{role}.weight"), &[2880, 2880, 32], MXFP4);
            add(&format!("{role}.bias"), &[2880, 32], F32);
        }
        add("attn_norm.weight", &[2880], F32);
        add("post_attention_norm.weight", &[2880], F32);
    }
    model.outside(2880, 201_088, Q8_0);
    model.network()
}

fn answer(network: &Network, gpu: &str, multiprocessors: u32, ubatch: u64, flash: bool) -> ModelAnswer {
    let usage = Usage {
        prompt: 512,
        ubatch,
        sequences: 4,
        context: 2048,
        flash: Some(flash),
        cache: named("f16").unwrap(),
    };
    let target = TargetId::bare(gpu);
    let question = ModelQuestion { target, version: None, multiprocessors, usage };
    Answers::open(&[]).model(network, question).unwrap()
}

fn launches(network: &Network, gpu: &str, multiprocessors: u32, ubatch: u64, flash: bool) -> Vec<u64> {
    let answer = answer(network, gpu, multiprocessors, ubatch, flash);
    answer.phases.iter().map(|phase| phase.launches).collect()
}

/// Records of Llama-3.1-8B Q4_K_M: pp512 and tg1.0 of the raw logs, kernels and calls of BLAS.
#[test]
fn launches_are_those_of_runs() {
    let network = llama();
    let of = |gpu, units, flash| launches(&network, gpu, units, 512, flash)[..2].to_vec();
    assert_eq!(of("gfx906", 60, true), [769, 614]);
    assert_eq!(of("gfx906", 60, false), [993, 646]);
    assert_eq!(of("gfx900", 64, true), [1211, 614]);
    assert_eq!(of("gfx90a", 104, true), [990, 614]);
    assert_eq!(of("gfx1100", 96, true), [831, 614]);
}

/// Models run only for this reference: launches for a prompt of 512 tokens on CDNA.
#[test]
fn launches_of_loops_over_experts_are_those_of_runs() {
    let olmoe = with_experts("olmoe", [16, 2048, 16, 16], [64, 8, 1024, 50_304], true);
    let mixtral = with_experts("llama", [32, 4096, 32, 8], [8, 2, 14_336, 32_000], false);
    for (gpu, units) in [("gfx90a", 104), ("gfx908", 120)] {
        assert_eq!(launches(&olmoe, gpu, units, 512, true)[0], 9170, "{gpu}");
        assert_eq!(launches(&mixtral, gpu, units, 512, true)[0], 3226, "{gpu}");
    }
}

#[test]
fn a_model_without_weights_comes_to_nothing() {
    let answer = answer(&Network::default(), "gfx906", 60, 512, true);
    assert!(answer.verdict.is_none() && answer.advice.is_empty());
}

/// gpt-oss-20b: smaller batches remove the loop; all but the last batch give no results.
#[test]
fn smaller_batches_end_the_loop() {
    let network = gpt_oss();
    assert_eq!(launches(&network, "gfx906", 60, 512, true)[..2], [979, 653]);
    let large = answer(&network, "gfx90a", 104, 512, true);
    assert_eq!(large.phases[0].launches, 7606);
    assert_eq!(large.verdict.unwrap().outcome, Outcome::Slow);
    let advice = &large.advice[0];
    assert_eq!((advice.change.as_str(), advice.launches, advice.ends_loop), ("-ub 128", (7606, 4525), true));
    let tried: Vec<(u64, bool)> = advice.tried.iter().map(|tried| (tried.ubatch, tried.loops)).collect();
    assert_eq!(tried, [(256, true), (64, false)]);
    let small = answer(&network, "gfx90a", 104, 128, true);
    assert_eq!(small.phases[0].per_ubatch.iter().sum::<u64>(), 4525);
    assert_eq!(small.verdict.unwrap().outcome, Outcome::OwnKernels);
    // The default takes the 7606 launches of the run above.
    let cost = small.against_default.unwrap();
    assert_eq!((cost.ubatch, cost.launches), ((128, 512), (4525, 7606)));
    assert!(cost.bytes.0 > cost.bytes.1, "weights are read again for each batch: {cost:?}");
    assert_eq!(large.against_default, None);
}
