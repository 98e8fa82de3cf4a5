//! `cargo oracle torture`: breaks real files, runs everything on them, and judges by one rule: what was not
//! touched is still reported, what was touched is said.
//!
//! A case is a number: with the same seed, files and program it is always the same. Cases run in processes of
//! their own, so one that hangs or dies is named, and the others go on. What is done is noted in
//! `target/torture`, and a run that is cut short goes on there.

mod base;
mod case;
mod facts;
mod judge;
mod mutation;
mod process;
mod program;
mod surroundings;
mod unknowable;

use anyhow::{Context, Result, bail};
use case::Bench;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Cases that are handed to a process at once, and noted together.
const BLOCK: u64 = 50;

/// How long a case may take before its process is ended: each of its runs is far below.
const PATIENCE: Duration = Duration::from_secs(90);

/// Problems that are listed at the end; all of them are in the notes.
const LISTED: usize = 40;

struct Arguments {
    corpus: PathBuf,
    runs: u64,
    seed: u64,
    program: Option<PathBuf>,
    show: Option<u64>,
    again: bool,
    worker: bool,
}

impl Arguments {
    fn parse(words: &[String]) -> Result<Self> {
        let mut all = Arguments {
            corpus: PathBuf::new(),
            runs: 10_000,
            seed: 1,
            program: None,
            show: None,
            again: false,
            worker: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word}: a value is missing"));
            match word.as_str() {
                "--runs" => all.runs = value()?.parse()?,
                "--seed" => all.seed = value()?.parse()?,
                "--program" => all.program = Some(std::fs::canonicalize(value()?)?),
                "--show" => all.show = Some(value()?.parse()?),
                "--again" => all.again = true,
                "--worker" => all.worker = true,
                word if all.corpus.as_os_str().is_empty() => all.corpus = PathBuf::from(word),
                word => bail!("torture: {word} is not understood"),
            }
        }
        if all.corpus.as_os_str().is_empty() {
            bail!("torture: name the folder that holds real packages");
        }
        if all.program.is_none() {
            let beside = std::env::current_exe()?.with_file_name("rocm-audit");
            all.program = Some(beside).filter(|program| program.is_file());
        }
        Ok(all)
    }
}

pub fn run(words: &[String]) -> Result<()> {
    let arguments = Arguments::parse(words)?;
    if arguments.worker {
        return work(&arguments);
    }
    if let Some(case) = arguments.show {
        return show(&arguments, case);
    }
    if arguments.again {
        return again(&arguments);
    }
    conduct(&arguments)
}

/// Writes one case to `target/torture/case-N`, and says what is wrong with it.
fn show(arguments: &Arguments, case: u64) -> Result<()> {
    let bench = Bench::new(&arguments.corpus, arguments.program.clone())?;
    let (what, broken) = bench.describe(arguments.seed, case).context("there is no file to break")?;
    let folder = notes_folder()?.join(format!("case-{case}"));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(broken.name.replace('/', "_"));
    std::fs::write(&path, &broken.bytes)?;
    println!("{what}\n{}", path.display());
    for problem in bench.run(arguments.seed, case)?.problems {
        println!("{}: {}", problem.kind, problem.what);
    }
    Ok(())
}

/// Runs the cases again that are noted as problems, and says which of them still are.
fn again(arguments: &Arguments) -> Result<()> {
    let noted = CaseTally::read(&notes_folder()?.join(format!("seed-{}.json", arguments.seed)))?;
    let cases: BTreeSet<u64> = noted.problems.iter().filter_map(|problem| problem["case"].as_u64()).collect();
    let bench = Bench::new(&arguments.corpus, arguments.program.clone())?;
    judge::keep_panics();
    let mut left = 0;
    for case in &cases {
        let problems = bench.run(arguments.seed, *case)?.problems;
        left += usize::from(!problems.is_empty());
        for problem in &problems {
            let what = bench.describe(arguments.seed, *case).map(|(what, _)| what).unwrap_or_default();
            println!("case {case}: {}: {}\n    {what}", problem.kind, problem.what);
        }
    }
    println!("{} of {} cases are still problems", left, cases.len());
    if left == 0 { Ok(()) } else { bail!("{left} problems") }
}

fn notes_folder() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    let folder = target.join("torture");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Runs blocks of cases, as standard input names them: `FIRST END`. Each case is named before it begins.
fn work(arguments: &Arguments) -> Result<()> {
    let bench = Bench::new(&arguments.corpus, arguments.program.clone())?;
    judge::keep_panics();
    println!("{}", json!({"bases": bench.bases()}));
    for line in std::io::stdin().lines() {
        let line = line?;
        let (first, end) = line.split_once(' ').context("FIRST END")?;
        let (first, end): (u64, u64) = (first.parse()?, end.parse()?);
        for case in first..end {
            println!("{}", json!({"begins": case}));
            let outcome = bench.run(arguments.seed, case)?;
            let shown = match outcome.problems.is_empty() {
                true => String::new(),
                false => bench.describe(arguments.seed, case).map(|(what, _)| what).unwrap_or_default(),
            };
            let problem =
                |p: &judge::Problem| json!({"case": case, "kind": p.kind, "what": p.what, "how": shown});
            println!(
                "{}",
                json!({
                    "runs": outcome.runs, "lost": outcome.lost, "unknowable": outcome.unknowable,
                    "memory": outcome.memory, "longest": outcome.longest,
                    "problems": outcome.problems.iter().map(problem).collect::<Vec<_>>(),
                })
            );
        }
        println!("{}", json!({"end": end}));
    }
    Ok(())
}

/// The results of all cases, and which of them are done.
#[derive(Default)]
struct CaseTally {
    runs: u64,
    cases: u64,
    lost: u64,
    memory: u64,
    longest: u64,
    unknowable: BTreeMap<String, u64>,
    problems: Vec<Value>,
    done: BTreeSet<u64>,
}

impl CaseTally {
    fn add(&mut self, outcome: &Value) {
        let number = |key: &str| outcome[key].as_u64().unwrap_or(0);
        self.cases += 1;
        self.runs += number("runs");
        self.lost += number("lost");
        self.memory = self.memory.max(number("memory"));
        self.longest = self.longest.max(number("longest"));
        for (why, count) in outcome["unknowable"].as_object().into_iter().flatten() {
            *self.unknowable.entry(why.clone()).or_default() += count.as_u64().unwrap_or(0);
        }
        self.problems.extend(outcome["problems"].as_array().into_iter().flatten().cloned());
    }

    fn merge(&mut self, block: CaseTally) {
        self.runs += block.runs;
        self.cases += block.cases;
        self.lost += block.lost;
        self.memory = self.memory.max(block.memory);
        self.longest = self.longest.max(block.longest);
        for (why, count) in block.unknowable {
            *self.unknowable.entry(why).or_default() += count;
        }
        self.problems.extend(block.problems);
        self.done.extend(block.done);
    }

    fn note(&self, path: &Path) -> Result<()> {
        let value = json!({
            "runs": self.runs, "cases": self.cases, "lost": self.lost, "memory": self.memory,
            "longest": self.longest, "unknowable": self.unknowable, "problems": self.problems, "done": self.done,
        });
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_string(&value)?)?;
        Ok(std::fs::rename(new, path)?)
    }

    fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(CaseTally::default());
        }
        let value: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let mut tally = CaseTally::default();
        tally.add(&value);
        tally.cases = value["cases"].as_u64().unwrap_or(0);
        tally.done = value["done"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        Ok(tally)
    }
}

/// Hands blocks of cases to two processes until there were as many runs as are asked for.
fn conduct(arguments: &Arguments) -> Result<()> {
    let path = notes_folder()?.join(format!("seed-{}.json", arguments.seed));
    let tally = Mutex::new(CaseTally::read(&path)?);
    let began = Instant::now();
    let next = || {
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        if tally.runs >= arguments.runs {
            return None;
        }
        let block = (0..).find(|block| !tally.done.contains(block))?;
        // Taken by now; it is noted when it is done.
        tally.done.insert(block);
        Some(block)
    };
    let failed: Mutex<Option<anyhow::Error>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                let mut worker = Worker::new(arguments);
                while let Some(block) = next() {
                    match worker.block(block) {
                        Ok(done) => {
                            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                            tally.merge(done);
                            if block % 20 == 0 {
                                let rate = tally.runs as f64 / began.elapsed().as_secs_f64();
                                eprintln!(
                                    "{} runs, {} problems, {rate:.0}/s",
                                    tally.runs,
                                    tally.problems.len()
                                );
                                let _ = tally.note(&path);
                            }
                        }
                        Err(error) => {
                            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            return;
                        }
                    }
                }
                worker.end();
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.note(&path)?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    tell(&tally, arguments)
}

fn tell(tally: &CaseTally, arguments: &Arguments) -> Result<()> {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for problem in &tally.problems {
        *kinds.entry(problem["kind"].as_str().unwrap_or_default()).or_default() += 1;
    }
    for problem in tally.problems.iter().take(LISTED) {
        let text = |key: &str| problem[key].as_str().unwrap_or_default();
        println!("case {}: {}: {}\n    {}", problem["case"], text("kind"), text("what"), text("how"));
    }
    println!(
        "seed {}: {} runs of {} cases; something was lost in {}; longest run {} ms, most memory {} MiB",
        arguments.seed,
        tally.runs,
        tally.cases,
        tally.lost,
        tally.longest,
        tally.memory >> 20
    );
    for (why, count) in &tally.unknowable {
        println!("    {count} losses that bytes do not show: {why}");
    }
    if kinds.is_empty() {
        println!("0 problems");
        return Ok(());
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    bail!("{}", kinds.join(", "))
}

/// A process that runs cases.
struct Worker<'a> {
    arguments: &'a Arguments,
    running: Option<(Child, Receiver<String>)>,
}

impl<'a> Worker<'a> {
    fn new(arguments: &'a Arguments) -> Self {
        Worker { arguments, running: None }
    }

    fn start(&self) -> Result<(Child, Receiver<String>)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("torture").arg(&self.arguments.corpus).arg("--worker");
        command.args(["--seed", &self.arguments.seed.to_string()]);
        if let Some(program) = &self.arguments.program {
            command.arg("--program").arg(program);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let out = BufReader::new(child.stdout.take().context("standard output")?);
        let (send, receive) = channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Ok((child, receive))
    }

    /// Runs a block. A case in which the process ends or hangs is noted as a problem, and the next one runs.
    fn block(&mut self, block: u64) -> Result<CaseTally> {
        let mut tally = CaseTally { done: [block].into(), ..CaseTally::default() };
        let end = (block + 1) * BLOCK;
        let mut first = block * BLOCK;
        while first < end {
            if self.running.is_none() {
                self.running = Some(self.start()?);
            }
            let Some((child, lines)) = &mut self.running else { bail!("no process") };
            let input = child.stdin.as_mut().context("standard input")?;
            writeln!(input, "{first} {end}")?;
            let mut at = None;
            let ended = loop {
                // Before its first case a process reads all files.
                let patience = if at.is_some() { PATIENCE } else { 10 * PATIENCE };
                let line = match lines.recv_timeout(patience) {
                    Ok(line) => line,
                    Err(RecvTimeoutError::Timeout) => break Some("hang"),
                    Err(RecvTimeoutError::Disconnected) => break Some("end of the process"),
                };
                let value: Value = serde_json::from_str(&line)?;
                if let Some(case) = value["begins"].as_u64() {
                    at = Some(case);
                } else if value["end"].as_u64() == Some(end) {
                    break None;
                } else if value["runs"].is_u64() {
                    tally.add(&value);
                }
            };
            let Some(kind) = ended else { return Ok(tally) };
            let Some(case) = at else { bail!("the process ended before its first case") };
            tally.problems.push(json!({"case": case, "kind": kind, "what": "see --show", "how": ""}));
            child.kill()?;
            child.wait()?;
            self.running = None;
            first = case + 1;
        }
        Ok(tally)
    }

    fn end(self) {
        if let Some((mut child, _)) = self.running {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}
