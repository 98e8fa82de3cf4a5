//! Holds what is said of whole models against runs of llama.cpp on the real library of ggml.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::ggml::presence::{Index, Library};
use rocm_audit::engines::ggml::{self, Architecture, Query, Route, types};
use rocm_audit::engines::model::gguf;
use rocm_audit::engines::model::launch::{Launched, Launcher};
use rocm_audit::engines::model::network::Network;
use rocm_audit::engines::model::operation::{Batch, Depth, Operation, Product, Settings, operations};
use rocm_audit::engines::model::quantize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

/// Differences that are shown of each kind.
const SHOWN: usize = 24;

/// How often something stands.
type Counts = BTreeMap<String, u64>;

pub fn run(arguments: &[String]) -> Result<()> {
    let [runs, headers, library] = arguments else {
        bail!("model-oracle RUNS HEADERS LIBRARY: a file of runs, a folder of headers, ggml's library");
    };
    let library = Library::open(Path::new(library))?;
    let first = library.targets().first().and_then(|target| library.index(target));
    let names = Names { index: first.context("no code object")?, known: HashMap::new() };
    let runs = Path::new(runs);
    let beside = runs.parent().unwrap_or(Path::new(""));
    let mut oracle = Oracle { names, networks: HashMap::new(), headers: Path::new(headers) };
    let mut wrong = quantizations(Path::new(headers))?;
    for table in ["odd-rows.tsv", "fa-gqa.tsv"] {
        let path = beside.join(table);
        if path.is_file() {
            wrong += oracle.table(&path)?;
        }
    }
    wrong += oracle.runs(runs)?;
    if wrong > 0 {
        bail!("{wrong} differences");
    }
    Ok(())
}

/// Types of weights as `llama-quantize --dry-run` assigned them, which the headers have: `MODEL-Q4_K_M.gguf`.
fn quantizations(folder: &Path) -> Result<usize> {
    let (mut files, mut weights, mut wrong) = (0, 0, 0);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((_, ty)) = name.strip_suffix(".gguf").and_then(|name| name.rsplit_once('-')) else {
            continue;
        };
        let Ok(ty) = quantize::named(ty) else { continue };
        let network = Network::of(&[gguf::read(&std::fs::read(&path)?)]);
        let found = quantize::quantized(&network, ty);
        files += 1;
        for (expected, found) in network.weights.iter().zip(&found.weights) {
            weights += 1;
            if expected.ty != found.ty || expected.bytes != found.bytes {
                wrong += 1;
                if wrong <= SHOWN {
                    let of = |ty: Option<types::Type>| ty.map_or("unknown", |ty| ty.name);
                    println!("{name} {}: expected {}, found {}", found.name, of(expected.ty), of(found.ty));
                }
            }
        }
    }
    println!("types of {} of {weights} weights of {files} files agree", weights - wrong);
    Ok(wrong)
}

/// Mangled names of kernels, by their beginnings.
struct Names<'l> {
    index: Index<'l>,
    known: HashMap<String, String>,
}

impl Names<'_> {
    fn of(&mut self, kernel: &ggml::Kernel) -> String {
        let prefix = kernel.prefix();
        if let Some(known) = self.known.get(&prefix) {
            return known.clone();
        }
        let name = self.index.symbol(kernel).map_or_else(|| format!("absent {prefix}"), str::to_owned);
        self.known.insert(prefix, name.clone());
        name
    }
}

struct Oracle<'l> {
    names: Names<'l>,
    networks: HashMap<String, Network>,
    headers: &'l Path,
}

impl Oracle<'_> {
    /// A table of single problems: GPU, problem, main launches.
    fn table(&mut self, path: &Path) -> Result<usize> {
        let text = std::fs::read_to_string(path)?;
        let (mut count, mut wrong) = (0, 0);
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [arch, problem, expected] = fields[..] else { bail!("not a row: {line}") };
            let architecture = Architecture::parse(arch)?;
            let product = match problem.parse()? {
                Query::MulMat(problem) => Product::MulMat(problem, Depth::FLAT),
                Query::MulMatId(problem) => Product::Experts(problem, 1),
                Query::FlashAttention(query) => {
                    Product::Attention(rocm_audit::engines::model::operation::Flash {
                        query,
                        streams: 1,
                        sinks: false,
                        capped: false,
                    })
                }
            };
            let network = Network::default();
            let launcher = Launcher::new(&network, &architecture, None).map_err(anyhow::Error::msg)?;
            let operation = Operation { block: None, role: String::new(), weight: None, product, rule: None };
            let step = launcher.step(&operation).map_err(anyhow::Error::msg)?;
            let mut found = Counts::new();
            for (launched, times) in &step.launches {
                let name = match launched {
                    Launched::Kernel(kernel) => self.names.of(kernel),
                    Launched::Blas(call) => format!("B {}", call.function),
                };
                *found.entry(name).or_default() += times;
            }
            let mut observed = Counts::new();
            for part in expected.split(" + ").filter(|part| !part.is_empty()) {
                let (times, part) = counted(part);
                let name: Vec<&str> = part.split(' ').take(2).collect();
                *observed.entry(name.join(" ")).or_default() += times;
            }
            count += 1;
            if step.route == Route::Unsupported && expected.is_empty() {
                continue;
            }
            if found != observed {
                wrong += 1;
                if wrong <= SHOWN {
                    println!("{arch} {problem}\n    expected {observed:?}\n    found    {found:?}");
                }
            }
        }
        println!("{}: {} of {count} agree", path.display(), count - wrong);
        Ok(wrong)
    }

    fn runs(&mut self, path: &Path) -> Result<usize> {
        let begun = Instant::now();
        let text = std::fs::read_to_string(path)?;
        let mut tally = Tally::default();
        let mut graphs = HashSet::new();
        let mut per_model: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line)?;
            if record.get("ops").is_none() {
                continue;
            }
            let word = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
            let (model, quant, arch, cache, phase) =
                (word("model"), word("quant"), word("arch"), word("ctk"), word("phase"));
            let flash = record["fa"].as_u64() == Some(1);
            let file = format!("{model}-{quant}.gguf");
            if !self.networks.contains_key(&file) {
                let bytes = std::fs::read(self.headers.join(&file)).with_context(|| file.clone())?;
                let header = gguf::read(&bytes);
                if let Some(problem) = header.problems.iter().next() {
                    println!("{file}: {problem}");
                    tally.wrong += 1;
                }
                self.networks.insert(file.clone(), Network::of(&[header]));
            }
            let network = &self.networks[&file];
            let cache = types::named(&cache)?;
            let settings = Settings { flash, cache, ubatch: 512, context: 2048 };
            let all = operations(network, &batch(&phase)?, &settings).map_err(anyhow::Error::msg)?;
            let title = format!("{model} {quant} {arch} {} fa {flash} {phase}", cache.name);
            if graphs.insert(format!("{file} {} {flash} {phase}", cache.name)) {
                tally.operations(&title, &record, &all);
            }
            let architecture = Architecture::parse(&arch)?;
            let launcher = Launcher::new(network, &architecture, None).map_err(anyhow::Error::msg)?;
            let mut found = Counts::new();
            let mut helpers = 0;
            let mut steps: HashMap<String, (Vec<(Launched, u64)>, u64)> = HashMap::new();
            for operation in all.iter().filter(|operation| !is_rotation(&operation.role)) {
                let last = operation.block.is_some_and(|block| block + 1 == network.blocks);
                let key = format!("{} {last} {:?}", operation.role, operation.product);
                let key =
                    if operation.weight.is_some() { format!("{key} {:?}", operation.block) } else { key };
                if !steps.contains_key(&key) {
                    let step = launcher.step(operation).map_err(anyhow::Error::msg)?;
                    steps.insert(key.clone(), (step.launches, step.helpers));
                }
                helpers += steps[&key].1;
                for (launched, times) in &steps[&key].0 {
                    let name = match launched {
                        Launched::Kernel(kernel) => self.names.of(kernel),
                        Launched::Blas(call) => {
                            format!("B {} TN {},{},{}", call.function, call.m, call.n, call.k)
                        }
                    };
                    *found.entry(name).or_default() += times;
                }
            }
            let row = per_model.entry(format!("{model} {quant}")).or_default();
            tally.helpers(&title, &record, helpers);
            let [same, launched, whole] = tally.launches(&title, &record, &found);
            row[0] += 1;
            row[1] += whole;
            row[2] += same;
            row[3] += launched;
        }
        tally.print();
        for (model, [records, whole, same, launched]) in per_model {
            println!(
                "{model:<28} {whole:>4} of {records:>4} records whole, {same:>7} of {launched:>7} launches"
            );
        }
        println!("in {:?}", begun.elapsed());
        let misses = tally.launched - tally.same;
        // 99.79 % of launches are what is asked of the development set; what is left lies with ggml's allocator.
        let too_many = misses * 10_000 > tally.launched * 21;
        Ok(tally.wrong + usize::from(too_many))
    }
}

/// Rotations of a quantized cache are no product of the model's.
fn is_rotation(role: &str) -> bool {
    role.starts_with("attn_inp_")
}

/// The batch of a phase, as the driver of the runs made it.
fn batch(phase: &str) -> Result<Batch> {
    let one = |tokens, position| Batch { tokens, sequences: 1, outputs: 1, position };
    let many = |sequences, position| Batch { tokens: 1, sequences, outputs: sequences, position };
    Ok(match phase {
        "pp512" => one(512, 512),
        "tg1.0" => one(1, 513),
        "pp5" => one(5, 521),
        "pp24" => one(24, 545),
        "pp160" => one(160, 705),
        "tgb2" => many(2, 1),
        "tgb4" => many(4, 2),
        "tgb8" => many(8, 3),
        other => bail!("no phase: {other}"),
    })
}

#[derive(Default)]
struct Tally {
    graphs: [u64; 2],
    operations: [u64; 2],
    records: [u64; 2],
    same: u64,
    launched: u64,
    wrong: usize,
    helpers: [u64; 2],
    helpers_whole: u64,
    differences: BTreeMap<String, (u64, u64, String)>,
}

impl Tally {
    fn operations(&mut self, title: &str, record: &Value, all: &[Operation]) {
        let mut found = Counts::new();
        for operation in all.iter().filter(|operation| !is_rotation(&operation.role)) {
            *found.entry(described(operation)).or_default() += 1;
        }
        let mut observed = Counts::new();
        for entry in record["ops"].as_array().into_iter().flatten() {
            if let Some(name) = as_observed(&entry[0]) {
                *observed.entry(name).or_default() += entry[2].as_u64().unwrap_or_default();
            }
        }
        let same = common(&found, &observed);
        self.operations[0] += same;
        self.operations[1] += observed.values().sum::<u64>();
        self.graphs[1] += 1;
        if found == observed {
            self.graphs[0] += 1;
            return;
        }
        self.wrong += 1;
        for (name, times) in &observed {
            if found.get(name) != Some(times) && self.wrong < SHOWN {
                println!("{title}: {times} x {name}, found {:?}", found.get(name));
            }
        }
        for (name, times) in found.iter().filter(|(name, _)| !observed.contains_key(*name)) {
            if self.wrong < SHOWN {
                println!("{title}: not observed: {times} x {name}");
            }
        }
    }

    fn launches(&mut self, title: &str, record: &Value, found: &Counts) -> [u64; 3] {
        let mut observed = Counts::new();
        for entry in record["ops"].as_array().into_iter().flatten() {
            if as_observed(&entry[0]).is_none() {
                continue;
            }
            let times = entry[2].as_u64().unwrap_or_default();
            for part in entry[1].as_str().unwrap_or_default().split(" + ").filter(|part| *part != "-") {
                let (count, part) = counted(part);
                let name: Vec<&str> = part.split(' ').take(4).collect();
                *observed.entry(name.join(" ")).or_default() += count * times;
            }
        }
        // A row that changed places with the other operand was not found by its address; its launch is in the raw log.
        let kernel = "mul_mat_vec_fIffLi1E";
        let raw: u64 = record["launch"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| name.contains(kernel))
            .filter_map(|(_, count)| count.as_u64())
            .sum();
        let tied: u64 =
            observed.iter().filter(|(name, _)| name.contains(kernel)).map(|(_, count)| count).sum();
        if raw > tied
            && let Some(name) = found.keys().find(|name| name.contains(kernel))
        {
            *observed.entry(name.clone()).or_default() += raw - tied;
        }
        let same = common(found, &observed);
        let launched: u64 = observed.values().sum();
        self.same += same;
        self.launched += launched;
        self.records[1] += 1;
        let whole = *found == observed;
        self.records[0] += u64::from(whole);
        if !whole {
            let model = title.split(' ').take(2).collect::<Vec<_>>().join(" ");
            for (kind, of, other) in [("launched", &observed, found), ("predicted", found, &observed)] {
                for (name, times) in of {
                    let more = times.saturating_sub(other.get(name).copied().unwrap_or_default());
                    if more > 0 {
                        let short = name.split("EEv").next().unwrap_or_default();
                        let row =
                            self.differences.entry(format!("{model}: {kind} only: {short}")).or_default();
                        row.0 += more;
                        row.1 += 1;
                        row.2 = title.to_owned();
                    }
                }
            }
        }
        [same, launched, u64::from(whole)]
    }

    /// What is launched around products, in sum: the raw log of a record does not say for which.
    fn helpers(&mut self, title: &str, record: &Value, found: u64) {
        const NAMES: [&str; 11] = [
            "quantize_q8_1",
            "quantize_mmq_q8_1",
            "mm_ids_helper",
            "mul_mat_q_stream_k_fixup",
            "dequantize_block",
            "convert_unary",
            "k_compute_batched_ptrs",
            "flash_attn_combine_results",
            "flash_attn_stream_k_fixup",
            "flash_attn_mask",
            "k_get_rows_float_vecIf",
        ];
        let launched = record["launch"].as_object().into_iter().flatten();
        let count: u64 = launched
            .filter(|(name, _)| NAMES.iter().any(|helper| name.contains(helper)))
            .filter_map(|(_, count)| count.as_u64())
            .sum();
        self.helpers[0] += found;
        self.helpers[1] += count;
        self.helpers_whole += u64::from(found == count);
        if found != count {
            let model = title.split(' ').take(3).collect::<Vec<_>>().join(" ");
            let key = format!("{model}: helpers");
            let row = self.differences.entry(key).or_default();
            row.0 += found.abs_diff(count);
            row.1 += 1;
            row.2 = format!("{title}: {found} predicted, {count} launched");
        }
    }

    fn print(&self) {
        let mut rows: Vec<_> = self.differences.iter().collect();
        rows.sort_by_key(|(_, (count, ..))| std::cmp::Reverse(*count));
        for (what, (count, records, example)) in rows.iter().take(SHOWN) {
            println!("{count:>6} in {records:>3} records, {what} ({example})");
        }
        let [whole, records] = self.records;
        let share = self.same as f64 * 100.0 / self.launched.max(1) as f64;
        let [found, launched] = self.helpers;
        println!("helpers: {found} predicted, {launched} launched, {} records whole", self.helpers_whole);
        println!("operations: {} of {} equal", self.operations[0], self.operations[1]);
        println!("graphs: {} of {} equal", self.graphs[0], self.graphs[1]);
        println!(
            "launches: {} of {} ({share:.3} %), {whole} of {records} records whole",
            self.same, self.launched
        );
    }
}

/// How many of one stand in the other too.
fn common(one: &Counts, other: &Counts) -> u64 {
    one.iter().map(|(name, count)| *count.min(other.get(name).unwrap_or(&0))).sum()
}

/// `32x NAME` as 32 and the name.
fn counted(part: &str) -> (u64, &str) {
    let cut = part.split_once("x ").and_then(|(times, rest)| Some((times.parse().ok()?, rest)));
    cut.unwrap_or((1, part))
}

/// An operation in the words of the runs.
fn described(operation: &Operation) -> String {
    let role = match (operation.block, operation.weight) {
        (_, None) => operation.role.clone(),
        (Some(_), Some(_)) => format!("blk.*.{}", operation.role),
        (None, Some(_)) => operation.role.clone(),
    };
    match &operation.product {
        Product::MulMat(p, d) => {
            let precision = if p.precision == ggml::rules::Precision::F32 { 10 } else { 0 };
            let depth = [d.ne02, d.ne12, d.ne03, d.ne13];
            format!("MUL_MAT {role} {} {} {} {} {depth:?} {precision}", p.ty.name, p.k, p.n, p.ne11)
        }
        Product::Experts(p, ne11) => {
            format!(
                "MUL_MAT_ID {role} {} {} {} {ne11} {} {} {}",
                p.ty.name, p.k, p.n, p.experts, p.used, p.tokens
            )
        }
        Product::Attention(flash) => {
            let p = &flash.query;
            let (sinks, capped) = (u8::from(flash.sinks), flash.capped);
            let sizes = [p.dk, p.dv, p.queries, p.heads, p.kv_heads, p.keys, flash.streams];
            format!("FLASH_ATTN_EXT {} {sizes:?} {sinks} {capped}", p.ty.name)
        }
        Product::Hadamard(..) => String::new(),
    }
}

/// The same of a run; `None` for what is no product of the model's.
fn as_observed(op: &Value) -> Option<String> {
    let word = |field: &str| op[field].as_str().unwrap_or_default();
    let number = |field: &str| op[field].as_u64().unwrap_or_default();
    let or_one = |field: &str| op[field].as_u64().unwrap_or(1);
    let weight = word("w").trim_end_matches(".weight");
    if matches!(word("op"), "SSM_CONV" | "SSM_SCAN") || is_rotation(weight) {
        return None;
    }
    let role = match weight {
        keys if keys.starts_with("cache_k") => "cache_k",
        values if values.starts_with("cache_v") || values.starts_with("v_cont") => "cache_v",
        other => other,
    };
    let (ty, k, n, ne11) = (word("type"), number("K"), number("N"), number("ne11"));
    Some(match word("op") {
        "MUL_MAT" => {
            let depth = [or_one("ne02"), or_one("ne12"), or_one("ne03"), or_one("ne13")];
            format!("MUL_MAT {role} {ty} {k} {n} {ne11} {depth:?} {}", number("prec"))
        }
        "MUL_MAT_ID" => {
            let (experts, used, tokens) = (number("experts"), number("used"), number("tokens"));
            format!("MUL_MAT_ID {role} {ty} {k} {n} {ne11} {experts} {used} {tokens}")
        }
        _ => {
            let sizes = ["D", "DV", "nq", "nh", "nkv", "kv", "streams"].map(number);
            let capped = op["softcap"].as_f64().is_some_and(|cap| cap != 0.0);
            format!("FLASH_ATTN_EXT {ty} {sizes:?} {} {capped}", number("sinks"))
        }
    })
}
