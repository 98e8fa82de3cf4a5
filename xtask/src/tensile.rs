//! Holds the selection of Tensile solutions against the vectors of the real library.
//!
//! Each file of vectors came from one process, so that code objects which an earlier problem loaded supply kernels of
//! later ones. So one process is followed for each file.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::tensile::call::GemmCall;
use rocm_audit::engines::tensile::library::{Answer, Library};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Differences that are shown in full.
const SHOWN: usize = 5;

/// Everything a vector says of an answer.
const FIELDS: [&str; 14] = [
    "solution",
    "status",
    "op",
    "kernel",
    "co",
    "loaded_from",
    "lli",
    "distance",
    "ws_req",
    "source",
    "launches",
    "rocblas_quick_return",
    "xf32_fell_back",
    "grid_overflow",
];

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, vectors, kernels] = arguments else {
        bail!("tensile-oracle LIBRARY_FOLDER VECTORS_FOLDER KERNELS");
    };
    let kernels = names(Path::new(kernels))?;
    let numbers: HashMap<&str, usize> =
        kernels.lines().enumerate().map(|(number, name)| (name, number)).collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(vectors)?.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut total = Tally::default();
    println!(
        "{:<38} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8}  differences",
        "file", "lines", "equal", "ms", "p50 us", "p99 us", "max us"
    );
    for file in &files {
        let tally = compare(Path::new(folder), file, &numbers, total.shown)
            .with_context(|| file.display().to_string())?;
        tally.print(&file.file_name().unwrap_or_default().to_string_lossy());
        total.add(tally);
    }
    total.print("TOTAL");
    if total.lines == 0 || total.equal != total.lines {
        bail!("{} of {} problems differ", total.lines - total.equal, total.lines);
    }
    Ok(())
}

/// The names of kernels, one a line, compressed or not.
fn names(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let bytes = if path.extension().is_some_and(|e| e == "zst") { zstd::decode_all(&*bytes)? } else { bytes };
    Ok(String::from_utf8(bytes)?)
}

#[derive(Default)]
struct Tally {
    lines: usize,
    equal: usize,
    fields: BTreeMap<&'static str, usize>,
    time: Duration,
    /// Of choosing alone, catalogs being read already.
    warm: Vec<Duration>,
    shown: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.lines += other.lines;
        self.equal += other.equal;
        self.time += other.time;
        self.shown += other.shown;
        self.warm.extend(other.warm);
        for (field, count) in other.fields {
            *self.fields.entry(field).or_default() += count;
        }
    }

    fn print(&self, name: &str) {
        let mut warm = self.warm.clone();
        warm.sort();
        let at = |share: usize| {
            warm.get((warm.len() * share / 100).min(warm.len().saturating_sub(1)))
                .map_or(0.0, |t| t.as_secs_f64() * 1e6)
        };
        let differences: Vec<String> =
            self.fields.iter().map(|(field, count)| format!("{field} {count}")).collect();
        println!(
            "{name:<38} {:>6} {:>6} {:>8.0} {:>8.2} {:>8.2} {:>8.2}  {}",
            self.lines,
            self.equal,
            self.time.as_secs_f64() * 1e3,
            at(50),
            at(99),
            at(100),
            differences.join(", ")
        );
    }
}

fn compare(folder: &Path, file: &Path, numbers: &HashMap<&str, usize>, shown: usize) -> Result<Tally> {
    let text = std::fs::read_to_string(file)?;
    let mut tally = Tally::default();
    let mut problems = Vec::new();
    for line in text.lines() {
        let problem: GemmCall = serde_json::from_str(line).context("a vector")?;
        problems.push((problem, serde_json::from_str::<Value>(line)?));
    }
    let Some((first, _)) = problems.first() else { return Ok(tally) };
    let begun = Instant::now();
    let library = Library::open(folder, &first.target)?;
    let mut process = library.process();
    let mut answers = Vec::with_capacity(problems.len());
    for (problem, _) in &problems {
        if problem.target != first.target {
            bail!("{}: another target, {}", problem.id, problem.target);
        }
        answers.push(process.call(problem, None)?);
    }
    tally.time = begun.elapsed();
    for (problem, _) in &problems {
        let begun = Instant::now();
        let choice = library.choose(problem, None)?;
        tally.warm.push(begun.elapsed());
        std::hint::black_box(choice);
    }
    for ((problem, expected), answer) in problems.iter().zip(&answers) {
        tally.lines += 1;
        let actual = stated(problem, answer, numbers);
        let differing: Vec<_> =
            FIELDS.into_iter().filter(|field| !same(expected.get(field), actual.get(field))).collect();
        if differing.is_empty() {
            tally.equal += 1;
            continue;
        }
        if shown + tally.shown < SHOWN {
            tally.shown += 1;
            println!("{}: {}", problem.id, serde_json::to_string(expected)?);
            for field in &differing {
                let (expected, actual) = (expected.get(field), actual.get(field));
                println!("    {field}: expected {expected:?}, found {actual:?}");
            }
        }
        for field in differing {
            *tally.fields.entry(field).or_default() += 1;
        }
    }
    Ok(tally)
}

/// An answer as a vector would state it. Kernels that no vector names are given by name.
fn stated(problem: &GemmCall, answer: &Answer<'_>, numbers: &HashMap<&str, usize>) -> Value {
    let number = |name: &str| numbers.get(name).map_or_else(|| json!(name), |number| json!(number));
    let mut stated = json!({ "solution": answer.solution.map(|s| s.index), "status": answer.status });
    let mut add = |field: &str, value: Value| stated[field] = value;
    if let (Some(solution), Some(contraction)) = (answer.solution, problem.contraction()) {
        add("op", json!(contraction.operation));
        add("kernel", answer.kernel.map_or(Value::Null, number));
        add("co", json!(answer.code_object));
        add("loaded_from", json!(answer.loaded_from.as_deref()));
        add("lli", json!(solution.logic_index));
        add("distance", json!(answer.distance));
        add("ws_req", json!(answer.workspace_bytes));
        add("source", json!(solution.mapping.source_kernel));
        let launches: Vec<Value> = answer
            .launches
            .iter()
            .map(|l| json!([number(&l.kernel), l.grid, l.work_group, l.file.as_deref()]))
            .collect();
        add("launches", json!(launches));
    }
    if answer.quick_return {
        add("rocblas_quick_return", json!(true));
    }
    if answer.xf32_fell_back {
        add("xf32_fell_back", json!(true));
    }
    if answer.launches.iter().any(|launch| launch.is_cut()) {
        let items: Vec<_> = answer.launches.iter().map(|launch| launch.work_items()).collect();
        let cut: Vec<_> = items.iter().map(|of| of.map(|items| items & u64::from(u32::MAX))).collect();
        add("grid_overflow", json!([cut, items]));
    }
    stated
}

fn same(expected: Option<&Value>, actual: Option<&Value>) -> bool {
    match (expected, actual) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64() == b.as_f64(),
        _ => expected == actual,
    }
}
