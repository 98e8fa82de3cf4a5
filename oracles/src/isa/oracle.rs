//! `cargo oracle isa-oracle LLVM CORPUS [ORACLE] [--sample N]`: compares our decoder with what an oracle says
//! of vectors and of real code objects, and with `llvm-objdump -d` on a sample of the code objects of real
//! packages.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::llvm::Llvm;
use super::objects::{self, PackageCodeObject};
use super::observed::{self, Observed};
use super::{differential, truth};

/// How many code objects llvm-objdump is asked about.
const SAMPLE: usize = 1200;

const USAGE: &str = "isa-oracle LLVM CORPUS [ORACLE] [--sample N]
  LLVM    a directory whose root/ holds a Debian root with llvm-22
  CORPUS  a directory with unpacked packages in deb/ and whl/
  ORACLE  a directory with mc_vectors_default.tsv.zst, truth.jsonl and observed.json
  N       how many code objects llvm-objdump is asked about; 0 = none";

/// The verb.
pub fn run(arguments: &[String]) -> Result<()> {
    let (paths, sample) = option(arguments, "--sample", SAMPLE)?;
    let (llvm, corpus, oracle) = match paths.as_slice() {
        [llvm, corpus] => (llvm, Path::new(corpus), None),
        [llvm, corpus, oracle] => (llvm, Path::new(corpus), Some(Path::new(oracle))),
        _ => bail!("{USAGE}"),
    };
    let llvm = Llvm::at(Path::new(llvm))?;
    let mut wrong = 0;
    let start = Instant::now();
    let mut say = |what: &str, (total, differences): truth::Compared| {
        println!(
            "{what}: {total} compared, {differences} differences, {:.0} s",
            start.elapsed().as_secs_f64()
        );
        wrong += differences;
    };
    let mut rows = None;
    if let Some(oracle) = oracle {
        say("vectors", truth::vectors(&oracle.join("mc_vectors_default.tsv.zst"))?);
        say("histograms", truth::histograms(&oracle.join("truth.jsonl"), corpus)?);
        rows = Some(Observed::read(&oracle.join("observed.json"))?);
    }
    let (found, rows) = survey(corpus, rows)?;
    if let Some(rows) = rows {
        say("observed", rows.compare()?);
    }
    if sample > 0 {
        say("llvm-objdump", differential::compare(&llvm, &found, sample)?);
    }
    ensure!(wrong == 0, "{wrong} differences");
    Ok(())
}

/// Takes an option with a number out of the arguments.
pub fn option(arguments: &[String], name: &str, otherwise: usize) -> Result<(Vec<String>, usize)> {
    let Some(at) = arguments.iter().position(|argument| argument == name) else {
        return Ok((arguments.to_vec(), otherwise));
    };
    let value = arguments.get(at + 1).with_context(|| format!("{name} takes a number"))?;
    let number = value.parse().with_context(|| format!("{name} {value}"))?;
    let others = arguments.iter().enumerate().filter(|(n, _)| *n != at && *n != at + 1);
    Ok((others.map(|(_, argument)| argument.clone()).collect(), number))
}

/// Finds all code objects, and counts those that the oracle counts.
fn survey(corpus: &Path, rows: Option<Observed>) -> Result<(Vec<PackageCodeObject>, Option<Observed>)> {
    let (rows, symbols) = (Mutex::new(rows), AtomicUsize::new(0));
    let lock = || rows.lock().map_err(|_| anyhow!("a thread panicked"));
    let found = objects::survey(corpus, &|one, code| {
        symbols.fetch_add(code.problems.len(), Ordering::Relaxed);
        if lock()?.as_ref().is_some_and(|rows| rows.has(&one.library)) {
            let groups = observed::groups(code)?;
            if let Some(rows) = lock()?.as_mut() {
                rows.add(&one.library, &one.processor, &groups);
            }
        }
        Ok(())
    })?;
    println!(
        "{} distinct code objects of the libraries, {:.1} GB of machine code, {} problems with symbols",
        found.len(),
        found.iter().map(|one| one.text).sum::<u64>() as f64 / 1e9,
        symbols.load(Ordering::Relaxed)
    );
    Ok((found, rows.into_inner().map_err(|_| anyhow!("a thread panicked"))?))
}
