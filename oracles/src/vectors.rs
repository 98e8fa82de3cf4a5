//! Vectors of a real library: files of calls, each with the library's answer. Each file has one target.

use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Differences shown in full.
const SHOWN: usize = 8;

/// A call, and its vector.
pub type Vector<C> = (C, Value);

/// Differences from a vector: the part of the answer, and its value here.
pub type Differences = Vec<(&'static str, Value)>;

/// A library whose choices are compared.
pub trait Compared {
    /// The type of a call.
    type Call: DeserializeOwned;
    /// The library's catalogs, opened for a target.
    type Library;

    /// The target of a call.
    fn target(call: &Self::Call) -> &str;

    /// Opens the catalogs in a folder.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn open(&self, folder: &Path, target: &str) -> Result<Self::Library>;

    /// Asks for each call of a file in order, as one process would, and compares; also returns the time of
    /// asking alone.
    ///
    /// # Errors
    ///
    /// If a catalog cannot be read.
    fn compare(
        &self,
        library: &Self::Library,
        vectors: &[Vector<Self::Call>],
    ) -> Result<(Duration, Vec<Differences>)>;

    /// Chooses once more, to measure the time with all catalogs read.
    ///
    /// # Errors
    ///
    /// If a catalog cannot be read.
    fn choose(&self, library: &Self::Library, call: &Self::Call) -> Result<()>;
}

/// Compares every file in a folder, and prints a row for each.
///
/// # Errors
///
/// If something differs or cannot be read.
pub fn run<C: Compared>(compared: &C, library: &Path, vectors: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(vectors)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    println!(
        "{:<38} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8}  differences",
        "file", "lines", "equal", "launched", "ms", "p50 us", "p99 us", "max us"
    );
    let mut total = VectorTally::default();
    for file in &files {
        let tally = one(compared, library, file, SHOWN.saturating_sub(total.shown));
        let tally = tally.with_context(|| file.display().to_string())?;
        tally.print(&file.file_name().unwrap_or_default().to_string_lossy());
        total.add(tally);
    }
    total.print("TOTAL");
    if total.lines == 0 || total.equal != total.lines {
        bail!("{} of {} calls differ", total.lines - total.equal, total.lines);
    }
    Ok(())
}

fn one<C: Compared>(compared: &C, folder: &Path, file: &Path, shown: usize) -> Result<VectorTally> {
    let text = std::fs::read_to_string(file)?;
    let vectors: Vec<Vector<C::Call>> = text
        .lines()
        .map(|line| Ok((serde_json::from_str(line)?, serde_json::from_str(line)?)))
        .collect::<Result<_>>()
        .context("a vector")?;
    let mut tally = VectorTally::default();
    let Some((first, _)) = vectors.first() else { return Ok(tally) };
    let target = C::target(first);
    if let Some((other, _)) = vectors.iter().find(|(call, _)| C::target(call) != target) {
        bail!("vectors of two targets, {target} and {}", C::target(other));
    }
    let begun = Instant::now();
    let library = compared.open(folder, target)?;
    let opened = begun.elapsed();
    let (asked, differences) = compared.compare(&library, &vectors)?;
    tally.time = opened + asked;
    for (call, _) in &vectors {
        let begun = Instant::now();
        compared.choose(&library, call)?;
        tally.warm.push(begun.elapsed());
    }
    for ((_, expected), differing) in vectors.iter().zip(differences) {
        tally.count(expected, differing, shown)?;
    }
    Ok(tally)
}

/// Sums over the vectors in one file, or in all.
#[derive(Default)]
struct VectorTally {
    lines: usize,
    equal: usize,
    launched: usize,
    parts: BTreeMap<&'static str, usize>,
    time: Duration,
    /// Times for choosing alone, with all catalogs read.
    warm: Vec<Duration>,
    shown: usize,
}

impl VectorTally {
    fn count(&mut self, expected: &Value, differing: Differences, shown: usize) -> Result<()> {
        self.lines += 1;
        self.launched += usize::from(expected.get("launches").is_some());
        self.equal += usize::from(differing.is_empty());
        if !differing.is_empty() && self.shown < shown {
            self.shown += 1;
            println!("{}", serde_json::to_string(expected)?);
            for (part, found) in &differing {
                println!(
                    "    {part}: expected {}, found {found}",
                    expected.get(part).unwrap_or(&Value::Null)
                );
            }
        }
        for (part, _) in differing {
            *self.parts.entry(part).or_default() += 1;
        }
        Ok(())
    }

    fn add(&mut self, other: VectorTally) {
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
            warm.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e6)
        };
        let differences: Vec<String> =
            self.parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
        println!(
            "{name:<38} {:>6} {:>6} {:>8} {:>8.0} {:>8.2} {:>8.2} {:>8.2}  {}",
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
