//! `cargo xtask bench --against REV [--runs N] [PATH…]`: the program of this checkout and that of another
//! revision, on the same files in the same minutes. Both are built as the README builds them.

use crate::command::{cargo, output, program, project};
use crate::instructions::built;
use crate::workspace::{metadata, target_folder};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Calls on the fixtures of this checkout.
const CALLS: &[&str] = &[
    "--version",
    "list gpus",
    "fixtures/rocm",
    "fixtures/rocm -f json",
    "fatbin --list fixtures/ggml/plain/libggml-hip.so",
    "fatbin --kernels fixtures/ggml/plain/libggml-hip.so",
    "fatbin --isa fixtures/instructions",
    "fixtures/forms",
    "verify fixtures/tensile/library",
    "select gemm --arch gfx900 --cu 64 --trans NT -m 512 -n 512 -k 512 fixtures/tensile/library",
    "workload fixtures/workload/program.log --arch gfx900 --cu 56 fixtures/tensile/library fixtures/miopen",
    "explain --log fixtures/explain/ollama.log",
];

/// Calls on a path that is named.
const CALLS_ON_PATH: &[&str] = &["PATH", "PATH -f json", "PATH --isa", "fatbin --list PATH", "verify PATH"];

/// How often each program runs a call, where `--runs` does not say otherwise.
const RUNS: usize = 15;

/// What was asked for.
#[derive(Debug, PartialEq)]
struct BenchRequest {
    revision: String,
    runs: usize,
    paths: Vec<String>,
}

/// # Errors
/// Other arguments; a revision that git does not know; a program that is not built or a call that is ended by
/// a signal.
pub fn run(arguments: &[String]) -> Result<()> {
    let asked = asked(arguments)?;
    let before = built_at(&asked.revision)?;
    let now = built()?;
    let on_paths =
        asked.paths.iter().flat_map(|path| CALLS_ON_PATH.iter().map(|call| call.replace("PATH", path)));
    println!(
        "milliseconds of wall time: least and median of {} runs, half of them within the spread",
        asked.runs
    );
    println!("{:>24} {:>24} {:>6}  call", asked.revision, "now", "ratio");
    for call in CALLS.iter().map(|call| (*call).to_owned()).chain(on_paths) {
        let (before, now) = compared(&before, &now, &call, asked.runs)?;
        let ratio = now.least.as_secs_f64() / before.least.as_secs_f64();
        println!("{:>24} {:>24} {ratio:>6.2}  {call}", before.text(), now.text());
    }
    Ok(())
}

fn asked(arguments: &[String]) -> Result<BenchRequest> {
    const USAGE: &str = "bench --against REV [--runs N] [PATH…]";
    let mut asked = BenchRequest { revision: String::new(), runs: RUNS, paths: Vec::new() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--against" => asked.revision.clone_from(words.next().context(USAGE)?),
            "--runs" => asked.runs = words.next().context(USAGE)?.parse().context("--runs")?,
            flag if flag.starts_with('-') => bail!("{flag}: {USAGE}"),
            path => asked.paths.push(std::path::absolute(path)?.display().to_string()),
        }
    }
    ensure!(!asked.revision.is_empty() && asked.runs > 0, USAGE);
    Ok(asked)
}

/// The program of another revision, in a folder of its own below the target folder. What was built there for
/// an earlier comparison is gone on from.
fn built_at(revision: &str) -> Result<PathBuf> {
    let folder = target_folder(&metadata(None)?)?.join("against");
    let sources = folder.join("sources");
    if !sources.join(".git").exists() {
        let mut clone = program("git");
        clone.args(["clone", "--quiet", "--no-checkout"]).arg(project()).arg(&sources);
        succeeded(clone)?;
    }
    let mut commit = program("git");
    commit.args(["rev-parse", "--verify", "--quiet"]).arg(format!("{revision}^{{commit}}"));
    let commit = succeeded(commit).with_context(|| format!("git knows no revision {revision}"))?;
    for words in [
        vec!["fetch", "--quiet", "origin", commit.trim()],
        vec!["checkout", "--quiet", "--detach", commit.trim()],
    ] {
        let mut git = program("git");
        git.arg("-C").arg(&sources).args(words);
        succeeded(git)?;
    }
    let target = folder.join("target");
    let mut build = cargo();
    build.current_dir(&sources).args([
        "build",
        "--quiet",
        "--release",
        "--bin",
        "rocm-audit",
        "--target-dir",
    ]);
    build.arg(&target);
    succeeded(build)?;
    Ok(target.join("release").join("rocm-audit"))
}

/// What a command printed, if it ended with 0.
fn succeeded(command: std::process::Command) -> Result<String> {
    let said = output(command)?;
    ensure!(said.success, "{}", said.text.trim_end());
    Ok(said.text)
}

/// Times of one program for one call, least first.
struct Times {
    least: Duration,
    median: Duration,
    /// The first and third quarter.
    spread: (Duration, Duration),
}

impl Times {
    fn from_runs(mut times: Vec<Duration>) -> Result<Self> {
        times.sort_unstable();
        let at = |part: usize| times.get(times.len().saturating_sub(1) * part / 4).copied().context("no run");
        Ok(Times { least: at(0)?, median: at(2)?, spread: (at(1)?, at(3)?) })
    }

    fn text(&self) -> String {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        format!(
            "{:.1} {:.1} ({:.1}-{:.1})",
            ms(self.least),
            ms(self.median),
            ms(self.spread.0),
            ms(self.spread.1)
        )
    }
}

/// Both programs in turns, each first in half of the runs, after one run that is not counted.
fn compared(before: &Path, now: &Path, call: &str, runs: usize) -> Result<(Times, Times)> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for round in 0..=runs {
        let turns =
            if round % 2 == 0 { [(before, true), (now, false)] } else { [(now, false), (before, true)] };
        for (audit, is_first) in turns {
            let took = timed(audit, call)?;
            match (round, is_first) {
                (0, _) => {}
                (_, true) => first.push(took),
                (_, false) => second.push(took),
            }
        }
    }
    Ok((Times::from_runs(first)?, Times::from_runs(second)?))
}

/// How long one call takes, with the start of its process. A call that ends with a status was a call.
fn timed(audit: &Path, call: &str) -> Result<Duration> {
    let mut run = program(audit);
    run.args(call.split_whitespace()).arg("--no-progress").stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let status = run.status().with_context(|| call.to_owned())?;
    let took = begun.elapsed();
    // What is measured is an answer: 2 is a call that was refused.
    ensure!(matches!(status.code(), Some(0 | 1)), "{}: {call}: {status}", audit.display());
    Ok(took)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_of_times_are_those_of_the_sorted_runs() {
        let times = Times::from_runs([5, 1, 4, 2, 3].map(Duration::from_millis).to_vec()).unwrap();
        assert_eq!(times.text(), "1.0 3.0 (2.0-4.0)");
        assert!(Times::from_runs(Vec::new()).is_err());
    }

    #[test]
    fn a_revision_has_to_be_named() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            asked(&words("--against HEAD~3 --runs 5")).unwrap(),
            BenchRequest { revision: "HEAD~3".into(), runs: 5, paths: Vec::new() }
        );
        for wrong in ["", "--runs 5", "--against", "--against HEAD --runs 0", "--agains HEAD"] {
            assert!(asked(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
