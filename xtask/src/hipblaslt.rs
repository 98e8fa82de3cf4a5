//! Holds the selection of hipBLASLt against the vectors of the real library.
//!
//! Each vector is a call of its own: no two of them share a key of the library's cache.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::tensile::launch::Launch;
use rocm_audit::engines::tensile::lite::call::MatmulCall;
use rocm_audit::engines::tensile::lite::library::{Choice, Library};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Differences that are shown in full.
const SHOWN: usize = 8;

/// What is compared.
const PARTS: [&str; 5] = ["fixed", "fill", "rest", "workspace", "launches"];

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, vectors] = arguments else {
        bail!("hipblaslt-oracle LIBRARY_FOLDER VECTORS_FOLDER");
    };
    let vectors = Path::new(vectors);
    let kernels = std::fs::read_to_string(vectors.join("kernels.txt")).context("kernels.txt")?;
    let kernels: Vec<&str> = kernels.lines().collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(vectors)?.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    println!(
        "{:<22} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8}  differences",
        "file", "lines", "equal", "launched", "ms", "p50 us", "p99 us", "max us"
    );
    let mut total = Tally::default();
    for file in &files {
        let tally = compare(Path::new(folder), file, &kernels, total.shown)
            .with_context(|| file.display().to_string())?;
        tally.print(&file.file_name().unwrap_or_default().to_string_lossy());
        total.add(tally);
    }
    total.print("TOTAL");
    if total.lines == 0 || total.equal != total.lines {
        bail!("{} of {} calls differ", total.lines - total.equal, total.lines);
    }
    Ok(())
}

#[derive(Default)]
struct Tally {
    lines: usize,
    equal: usize,
    launched: usize,
    parts: BTreeMap<&'static str, usize>,
    time: Duration,
    /// Of choosing alone, catalogs being read already.
    warm: Vec<Duration>,
    shown: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.lines += other.lines;
        self.equal += other.equal;
        self.launched += other.launched;
        self.time += other.time;
        self.shown += other.shown;
        self.warm.extend(other.warm);
        for (part, count) in other.parts {
            *self.parts.entry(part).or_default() += count;
        }
    }

    fn print(&self, name: &str) {
        let mut warm = self.warm.clone();
        warm.sort();
        let at = |share: usize| {
            let at = (warm.len() * share / 100).min(warm.len().saturating_sub(1));
            warm.get(at).map_or(0.0, |t| t.as_secs_f64() * 1e6)
        };
        let differences: Vec<String> =
            self.parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
        println!(
            "{name:<22} {:>6} {:>6} {:>8} {:>8.0} {:>8.2} {:>8.2} {:>8.2}  {}",
            self.lines,
            self.equal,
            self.launched,
            self.time.as_secs_f64() * 1e3,
            at(50),
            at(99),
            at(100),
            differences.join(", ")
        );
    }
}

fn compare(folder: &Path, file: &Path, kernels: &[&str], shown: usize) -> Result<Tally> {
    let text = std::fs::read_to_string(file)?;
    let mut tally = Tally::default();
    let mut calls = Vec::new();
    for line in text.lines() {
        let call: MatmulCall = serde_json::from_str(line).with_context(|| format!("a vector: {line}"))?;
        calls.push((call, serde_json::from_str::<Value>(line)?));
    }
    let Some((first, _)) = calls.first() else { return Ok(tally) };
    let begun = Instant::now();
    let library = Library::open(folder, &first.target)?;
    let mut choices = Vec::with_capacity(calls.len());
    for (call, _) in &calls {
        if call.target != first.target {
            bail!("another target, {}", call.target);
        }
        choices.push(library.choose(call, None)?);
    }
    tally.time = begun.elapsed();
    for (call, _) in &calls {
        let begun = Instant::now();
        let choice = library.choose(call, None)?;
        tally.warm.push(begun.elapsed());
        std::hint::black_box(choice);
    }
    for ((call, expected), choice) in calls.iter().zip(&choices) {
        tally.lines += 1;
        tally.launched += usize::from(expected.get("launches").is_some());
        let differing = differences(&library, call, expected, choice, kernels);
        if differing.is_empty() {
            tally.equal += 1;
            continue;
        }
        if shown + tally.shown < SHOWN {
            tally.shown += 1;
            println!("{}", serde_json::to_string(expected)?);
            for (part, found) in &differing {
                println!("    {part}: found {found}");
            }
        }
        for (part, _) in differing {
            *tally.parts.entry(part).or_default() += 1;
        }
    }
    Ok(tally)
}

/// The parts of an answer that are not as the vector has them, and what they are here.
fn differences(
    library: &Library,
    call: &MatmulCall,
    expected: &Value,
    choice: &Choice<'_>,
    kernels: &[&str],
) -> Vec<(&'static str, Value)> {
    let numbers = |field: &str| -> Vec<u64> {
        let list = expected.get(field).and_then(Value::as_array);
        list.map(|list| list.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
    };
    let solutions = numbers("solutions");
    let count = expected.get("fixed").and_then(Value::as_u64).unwrap_or_default() as usize;
    let fixed: Vec<u64> = choice.fixed.iter().map(|f| u64::from(f.solution.index)).collect();
    let fill: Vec<u64> = choice.fill.iter().map(|f| u64::from(f.solution.index)).collect();
    let rest = solutions.get(count..).unwrap_or_default();
    let of_fill = BTreeSet::from_iter(rest).iter().all(|index| fill.contains(index));
    let distinct = BTreeSet::from_iter(rest).len();
    let workspace: Option<Vec<u64>> = solutions
        .iter()
        .map(|index| {
            let mut all = choice.fixed.iter().chain(&choice.fill);
            let found = all.find(|found| u64::from(found.solution.index) == *index)?;
            Some(choice.stated_workspace(found))
        })
        .collect();
    let equal = [
        choice.undecided.is_none() && solutions.get(..count) == Some(&fixed),
        numbers("fill") == fill,
        of_fill && distinct == rest.len() && rest.len() == choice.filled(),
        workspace.as_ref() == Some(&numbers("ws_req")),
        expected.get("launches").is_none_or(|launches| {
            stated(library, call, expected, choice, kernels).as_ref() == Some(launches)
        }),
    ];
    let found = [
        json!(fixed),
        json!(fill),
        json!(fill),
        json!(workspace),
        stated(library, call, expected, choice, kernels).unwrap_or_default(),
    ];
    let parts = PARTS.into_iter().zip(found).zip(equal);
    parts.filter(|(_, equal)| !equal).map(|(part, _)| part).collect()
}

/// The launches of the first algorithm of a vector, as it states them.
fn stated(
    library: &Library,
    call: &MatmulCall,
    expected: &Value,
    choice: &Choice<'_>,
    kernels: &[&str],
) -> Option<Value> {
    let first = expected.get("solutions")?.get(0)?.as_u64()?;
    let mut all = choice.fixed.iter().chain(&choice.fill);
    let found = all.find(|found| u64::from(found.solution.index) == first)?;
    let launched = library.launch(found, call, &choice.problem, false);
    let status = expected.get("run_status")?.as_i64()?;
    if launched.status.map(i64::from) != Some(status) {
        return Some(json!({ "run_status": launched.status }));
    }
    let number = |name: &str| {
        kernels.iter().position(|known| *known == name).map_or_else(|| json!(name), |at| json!(at))
    };
    let items = |launch: &Launch<'_>| {
        let [x, y, z] = launch.work_items().map(|items| items & u64::from(u32::MAX));
        if (y, z) == (1, 1) { json!(x) } else { json!([x, y, z]) }
    };
    let one = |launch: &Launch<'_>| {
        let [size, ..] = launch.work_group;
        json!([number(&launch.kernel), items(launch), size, launch.file.as_deref()])
    };
    Some(launched.launches.iter().map(one).collect())
}
