//! Compares answers on whole models with runs of llama.cpp on the real ggml library.

mod described;
mod run;
mod tally;

use anyhow::{Context, Result, bail};
use rocm_audit::engines::ggml::presence::{Index, Library};
use rocm_audit::engines::ggml::{self, Architecture, Query, Route, types};
use rocm_audit::engines::model::gguf;
use rocm_audit::engines::model::launch::{LaunchedKernel, Launcher};
use rocm_audit::engines::model::network::Network;
use rocm_audit::engines::model::operation::{Depth, Operation, Product, operations};
use rocm_audit::engines::model::quantize;
use run::Run;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Instant;
use tally::ModelTally;

/// Differences shown of each kind.
const SHOWN: usize = 24;

/// Number of occurrences by name.
type Counts = BTreeMap<String, u64>;

pub fn run(arguments: &[String]) -> Result<()> {
    let [runs, headers, library] = arguments else {
        bail!("model RUNS HEADERS LIBRARY: a file of runs, a folder of headers, ggml's library");
    };
    let library = Library::open(Path::new(library))?;
    let first = library.targets().first().and_then(|target| library.index(target));
    let names = MangledNames { index: first.context("no code object")?, known: HashMap::new() };
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

/// Compares types of weights with those that `llama-quantize --dry-run` assigned, from the headers
/// `MODEL-Q4_K_M.gguf`.
fn quantizations(folder: &Path) -> Result<usize> {
    let (mut files, mut weights, mut wrong) = (0, 0, 0);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((_, ty)) = name.strip_suffix(".gguf").and_then(|name| name.rsplit_once('-')) else {
            continue;
        };
        let Ok(ty) = quantize::named(ty) else { continue };
        let network = Network::from_headers(&[gguf::read(&std::fs::read(&path)?)]);
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

/// Mangled names of kernels, by prefix.
struct MangledNames<'l> {
    index: Index<'l>,
    known: HashMap<String, String>,
}

impl MangledNames<'_> {
    fn mangled_name(&mut self, kernel: &ggml::Kernel) -> String {
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
    names: MangledNames<'l>,
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
                        absorbed: query.dk == 576,
                    })
                }
            };
            let network = Network::default();
            let launcher = Launcher::new(&network, &architecture, 60, None).map_err(anyhow::Error::msg)?;
            let operation = Operation { block: None, role: String::new(), weight: None, product, rule: None };
            let step = launcher.step(&operation).map_err(anyhow::Error::msg)?;
            let mut found = Counts::new();
            for (launched, times) in &step.launches {
                let name = match launched {
                    LaunchedKernel::Kernel(kernel) => self.names.mangled_name(kernel),
                    LaunchedKernel::Blas(call) => format!("B {}", call.function),
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
        let mut tally = ModelTally::default();
        let mut graphs = HashSet::new();
        let mut per_model: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line)?;
            if record.get("ops").is_none() {
                continue;
            }
            let run = Run::of(&record)?;
            let network = self.network(&run.file, &mut tally)?;
            let all = operations(network, &run.batch, &run.settings).map_err(anyhow::Error::msg)?;
            let title = run.title();
            if graphs.insert(run.graph()) {
                tally.operations(&title, &record, &all);
            }
            let (found, found_all) = run.predicted(&self.networks[&run.file], &all, &mut self.names)?;
            let row = per_model.entry(run.model).or_default();
            tally.all(&title, &record, &found_all);
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
        Ok(tally.wrong + usize::from(tally.misses_too_many()))
    }

    /// The network of a file of headers, read once.
    fn network(&mut self, file: &str, tally: &mut ModelTally) -> Result<&Network> {
        if !self.networks.contains_key(file) {
            let bytes = std::fs::read(self.headers.join(file)).with_context(|| file.to_owned())?;
            let header = gguf::read(&bytes);
            if let Some(problem) = header.problems.iter().next() {
                println!("{file}: {problem}");
                tally.wrong += 1;
            }
            self.networks.insert(file.to_owned(), Network::from_headers(&[header]));
        }
        Ok(&self.networks[file])
    }
}

/// Splits `32x NAME` into 32 and the name.
fn counted(part: &str) -> (u64, &str) {
    let cut = part.split_once("x ").and_then(|(times, rest)| Some((times.parse().ok()?, rest)));
    cut.unwrap_or((1, part))
}
