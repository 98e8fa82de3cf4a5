//! The least time that `model` gives, with published runs of llama-bench: no run is faster.
//!
//! A third of the rows, and the first two of each card: a call takes half a second in a build for tests.
//! `oracles/bounds.py` compares all of them, and draws them.

use crate::common::program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// The rows of a table by the names in its first line that is no remark.
fn rows(table: &'static str) -> Vec<BTreeMap<&'static str, &'static str>> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    lines.map(|line| names.iter().copied().zip(line.split('\t')).collect()).collect()
}

/// A type of a tensor: its number in GGUF, and the bytes of so many values.
#[derive(Clone, Copy)]
struct Type(u32, u64, u64);

const F32: Type = Type(0, 4, 1);
const F16: Type = Type(1, 2, 1);
const BF16: Type = Type(30, 2, 1);
const Q8_0: Type = Type(8, 34, 32);
const MXFP4: Type = Type(39, 17, 32);

/// A header of GGUF that is being written.
#[derive(Default)]
struct Header {
    keys: Vec<u8>,
    key_count: u64,
    tensors: Vec<u8>,
    tensor_count: u64,
    at: u64,
    weights: u64,
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    to.extend((text.len() as u64).to_le_bytes());
    to.extend(text.bytes());
}

impl Header {
    fn name(&mut self, key: &str, value: &str) {
        put_text(&mut self.keys, key);
        self.keys.extend(8u32.to_le_bytes());
        put_text(&mut self.keys, value);
        self.key_count += 1;
    }

    fn number(&mut self, key: &str, value: u64) {
        put_text(&mut self.keys, key);
        self.keys.extend([4u32, value as u32].map(u32::to_le_bytes).concat());
        self.key_count += 1;
    }

    fn tensor(&mut self, name: &str, Type(number, bytes, values): Type, shape: &[u64]) {
        put_text(&mut self.tensors, name);
        self.tensors.extend((shape.len() as u32).to_le_bytes());
        shape.iter().for_each(|size| self.tensors.extend(size.to_le_bytes()));
        self.tensors.extend(number.to_le_bytes());
        self.tensors.extend(self.at.to_le_bytes());
        let count: u64 = shape.iter().product();
        self.at += (count / values * bytes).next_multiple_of(32);
        self.weights += count;
        self.tensor_count += 1;
    }

    fn into_bytes(self) -> Vec<u8> {
        let counts = [self.tensor_count, self.key_count].map(u64::to_le_bytes).concat();
        [b"GGUF\x03\0\0\0".as_slice(), &counts, &self.keys, &self.tensors].concat()
    }
}

/// The header of a model whose matrices have this type; those of gpt-oss are Q8_0, and its experts MXFP4.
fn header(model: &BTreeMap<&str, &str>, matrix: Type) -> Vec<u8> {
    let of = |name: &str| model[name].parse::<u64>().unwrap();
    let arch = model["architecture"];
    let (own, expert) = if arch == "gpt-oss" { (Q8_0, MXFP4) } else { (matrix, matrix) };
    let (width, unit, experts) = (of("width"), of("unit"), of("experts"));
    let (queries, keys) = (of("heads") * of("head"), of("kv_heads") * of("head"));
    let mut header = Header::default();
    header.name("general.architecture", arch);
    header.name("general.name", model["model"]);
    for (key, column) in [
        ("block_count", "blocks"),
        ("embedding_length", "width"),
        ("feed_forward_length", "unit"),
        ("attention.head_count", "heads"),
        ("attention.head_count_kv", "kv_heads"),
        ("attention.key_length", "head"),
        ("attention.value_length", "head"),
        ("vocab_size", "tokens"),
    ] {
        header.number(&format!("{arch}.{key}"), of(column));
    }
    header.tensor("token_embd.weight", own, &[width, of("tokens")]);
    header.tensor("output_norm.weight", F32, &[width]);
    if of("tied") == 0 {
        header.tensor("output.weight", own, &[width, of("tokens")]);
    }
    if experts > 0 {
        header.number(&format!("{arch}.expert_count"), experts);
        header.number(&format!("{arch}.expert_used_count"), of("used"));
        header.number(&format!("{arch}.expert_feed_forward_length"), unit);
    }
    for block in 0..of("blocks") {
        let mut put = |role: &str, ty: Type, shape: &[u64]| {
            header.tensor(&format!("blk.{block}.{role}.weight"), ty, shape);
        };
        put("attn_norm", F32, &[width]);
        put("attn_q", own, &[width, queries]);
        put("attn_k", own, &[width, keys]);
        put("attn_v", own, &[width, keys]);
        put("attn_output", own, &[queries, width]);
        if arch.starts_with("qwen3") {
            put("attn_q_norm", F32, &[of("head")]);
            put("attn_k_norm", F32, &[of("head")]);
        }
        if experts > 0 {
            put(if arch == "gpt-oss" { "post_attention_norm" } else { "ffn_norm" }, F32, &[width]);
            put("ffn_gate_inp", F32, &[width, experts]);
            put("ffn_gate_exps", expert, &[width, unit, experts]);
            put("ffn_up_exps", expert, &[width, unit, experts]);
            put("ffn_down_exps", expert, &[unit, width, experts]);
        } else {
            put("ffn_norm", F32, &[width]);
            put("ffn_gate", own, &[width, unit]);
            put("ffn_up", own, &[width, unit]);
            put("ffn_down", own, &[unit, width]);
        }
    }
    let stated: f64 = model["weights"].parse().unwrap();
    let ratio = header.weights as f64 / (stated * 1e9);
    assert!(
        (0.99..1.01).contains(&ratio),
        "{}: {ratio} of the weights that llama-bench prints",
        model["model"]
    );
    header.into_bytes()
}

/// A run whose model and types are known.
struct Run {
    row: BTreeMap<&'static str, &'static str>,
    model: BTreeMap<&'static str, &'static str>,
    ty: &'static str,
}

fn runs() -> Vec<Run> {
    let models = rows(include_str!("../../oracles/llama_models.tsv"));
    let types = rows(include_str!("../../oracles/llama_types.tsv"));
    let all = rows(include_str!("../../oracles/llama_bench.tsv"));
    let known = all.into_iter().filter_map(|row| {
        let printed = row["model"];
        let ty = types.iter().find(|ty| printed.ends_with(&format!(" {}", ty["printed"])))?["type"];
        let is_named =
            |model: &&BTreeMap<&str, &str>| model["printed"].split(';').any(|one| printed.starts_with(one));
        let stated = row["params"].trim_end_matches(['B', ' ']).parse::<f64>().ok();
        let distance = |model: &&BTreeMap<&str, &'static str>| {
            let weights: f64 = model["weights"].parse().unwrap();
            (stated.map_or(0.0, |stated| (weights - stated).abs()) * 1e3) as u64
        };
        let model = models.iter().filter(is_named).min_by_key(distance)?.clone();
        Some(Run { row, model, ty })
    });
    let mut seen = BTreeMap::new();
    known
        .enumerate()
        .filter(|(place, run)| {
            let of_card: &mut u32 = seen.entry(run.row["card"]).or_default();
            *of_card += 1;
            *of_card <= 2 || place % 3 == 0
        })
        .map(|(_, run)| run)
        .collect()
}

/// Most tokens a second by the bound, for the tokens of a run on its card; nothing where the card has none.
fn most(run: &Run, folder: &Path) -> Option<f64> {
    let matrix = if run.ty == "bf16" { BF16 } else { F16 };
    let name = format!("{}-{}.gguf", run.model["model"], if run.ty == "bf16" { "bf16" } else { "f16" });
    let path = folder.join(name);
    if !path.exists() {
        fs::write(&path, header(&run.model, matrix)).unwrap();
    }
    let (kind, tokens) = run.row["test"].split_at(2);
    let tokens: u64 = tokens.parse().unwrap();
    let depth: u64 = run.row["depth"].parse().unwrap_or(0);
    // A run that writes tokens does so behind those in the cache.
    let prompt = if kind == "pp" { tokens } else { depth.max(1) };
    let (prompt, batch) = (prompt.to_string(), prompt.max(512).to_string());
    let mut words = vec!["model", path.to_str().unwrap(), "--gpu", run.row["card"], "--prompt", &prompt];
    words.extend(["-u", &batch, "--sequences", "1"]);
    if !matches!(run.ty, "-" | "bf16" | "mxfp4") {
        words.extend(["--quant", run.ty]);
    }
    let report = program::json_with_findings(&words);
    let card = report["cards"].as_array().unwrap().last().unwrap();
    let wanted = if kind == "pp" { "prefill" } else { "decode" };
    let phases = card["phases"].as_array().unwrap();
    let phase: &Value = phases.iter().find(|phase| phase["phase"] == wanted).unwrap();
    phase["least"]["tokens_per_second"].as_f64()
}

/// The runs with their bounds. Each call is a process, so two are made at once.
fn with_bounds(runs: Vec<Run>) -> Vec<(Run, Option<f64>)> {
    let folder = tempfile::tempdir().unwrap();
    // The first run of each model writes its header.
    let mut first = BTreeSet::new();
    let (writers, others): (Vec<Run>, Vec<Run>) =
        runs.into_iter().partition(|run| first.insert((run.model["model"], run.ty == "bf16")));
    let mut found = Vec::new();
    for part in [writers, others] {
        let (waiting, done) = (Mutex::new(part), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    loop {
                        let Some(run) = waiting.lock().unwrap().pop() else { return };
                        let most = most(&run, folder.path());
                        done.lock().unwrap().push((run, most));
                    }
                });
            }
        });
        found.extend(done.into_inner().unwrap());
    }
    found
}

#[test]
fn no_published_run_is_faster_than_the_bound() {
    let mut cards = BTreeSet::new();
    let mut compared = 0;
    for (run, most) in with_bounds(runs()) {
        let Some(most) = most else { continue };
        let row = &run.row;
        let measured: f64 = row["tokens_per_second"].parse().unwrap();
        assert!(measured <= most, "{measured} tokens a second, but {most} at most: {row:?}");
        cards.insert(row["card"]);
        compared += 1;
    }
    assert!(compared >= 70 && cards.len() >= 18, "{compared} runs on {} cards", cards.len());
}
