//! `cargo oracle isa-fuzz LLVM [WORDS] [--seed S]`: compares our decoder with LLVM's disassembler on random
//! words, for one processor of each family: where instructions end, and their texts, letter by letter but for
//! remarks on registers that the assembler would refuse.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use rayon::prelude::*;
use rocm_audit::isa::{self, Decoder, Mode};

use super::check::{disassembled, is_left_out};
use super::llvm::{Answer, CRASHED, Llvm, squeezed, without_remarks};
use super::oracle::option;
use super::reference::{self, Family};
use super::words::RandomWords;
use super::{TABLES, corrections};
use crate::digest::hex;

/// Random words per family.
const WORDS: usize = 1_000_000;

/// Words of one batch. Each crash loses some memory in the disassembler, so that each batch has a new one.
const BATCH: usize = 50_000;

/// Disassemblers at once.
const AT_ONCE: usize = 2;

/// How many kinds of differences are shown of each processor.
const SHOWN: usize = 12;

/// What was found for one processor.
#[derive(Debug, Default)]
struct ProcessorTally {
    words: usize,
    instructions: usize,
    crashes: usize,
    left_out: usize,
    differences: usize,
    /// What differs, how often, and the first bytes of it.
    kinds: BTreeMap<String, (usize, String)>,
}

/// The verb.
pub fn run(arguments: &[String]) -> Result<()> {
    let (arguments, seed) = option(arguments, "--seed", 1)?;
    let (llvm, words) = match arguments.as_slice() {
        [llvm] => (llvm, WORDS),
        [llvm, words] => (llvm, words.parse().with_context(|| format!("a number of words: {words}"))?),
        _ => bail!("isa-fuzz LLVM [WORDS] [--seed S]"),
    };
    let llvm = Llvm::at(Path::new(llvm))?;
    // The first one compiles the program that asks LLVM, which two threads cannot do at once.
    drop(llvm.disassembler("gfx900", "")?);
    let families = reference::read(Path::new(TABLES))?;
    let mut batches = Vec::new();
    for (number, family) in families.iter().enumerate() {
        let Some(processor) = disassembled(family)? else { continue };
        for start in (0..words).step_by(BATCH) {
            batches.push((number, family, processor, start, BATCH.min(words - start)));
        }
    }
    let (rows, start) = (Mutex::new(BTreeMap::<_, ProcessorTally>::new()), Instant::now());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build()?;
    pool.install(|| {
        batches.iter().par_bridge().try_for_each(|&(number, family, processor, start, count)| {
            let own = (seed as u64) << 40 ^ (number as u64) << 32 ^ start as u64;
            let row = batch(&llvm, family, processor, own, count).with_context(|| processor.to_owned())?;
            let mut rows = rows.lock().map_err(|_| anyhow!("a thread panicked"))?;
            rows.entry((number, processor)).or_default().add(row);
            anyhow::Ok(())
        })
    })?;
    let rows = rows.into_inner().map_err(|_| anyhow!("a thread panicked"))?;
    let mut total = ProcessorTally::default();
    println!(
        "{:<16} {:>11} {:>12} {:>9} {:>9} {:>11}",
        "processor", "words", "instructions", "crashes", "left out", "differences"
    );
    for ((_, processor), row) in rows {
        row.print(processor);
        total.add(row);
    }
    total.kinds.clear();
    total.print("all");
    println!(
        "{:.0} s; left out: v_cmpx that LLVM's C interface refuses, source 254 beside a constant on gfx1250, dpp8 of 255",
        start.elapsed().as_secs_f64()
    );
    ensure!(total.differences == 0, "{} differences", total.differences);
    Ok(())
}

/// Whether LLVM takes a word by accident. An instruction that carries a constant has no room for a 64-bit
/// literal (254); LLVM refuses that only where the literal, read from what follows, is not the constant by
/// chance.
fn is_accident(ours: Option<(&str, usize)>, bytes: &[u8], mnemonic: &str) -> bool {
    let has_constant = ["fmaak", "fmamk"].iter().any(|name| mnemonic.contains(name));
    ours.is_none() && has_constant && bytes.iter().take(5).any(|byte| *byte == 0xfe)
}

/// What differs between our answer and LLVM's.
fn difference(ours: Option<(&str, usize)>, text: &str, answer: &Answer) -> Option<String> {
    let theirs = (answer.size != 0).then_some((answer.mnemonic.as_str(), usize::from(answer.size)));
    if ours != theirs {
        return Some(format!("LLVM {theirs:?}, ours {ours:?}"));
    }
    let theirs = without_remarks(&answer.text);
    (text != theirs).then(|| format!("LLVM `{theirs}`, ours `{text}`"))
}

/// Whether LLVM takes lanes that are written as 255 (`dpp8:[7,7,3,0,0,0,0,0]`) for a literal, since its list
/// of operands is out of step: a field of 24 bits is no operand of the tables.
fn is_literal_by_mistake(bytes: &[u8], mnemonic: &str) -> bool {
    mnemonic.ends_with("_dpp")
        && matches!(
            bytes,
            [0xe9 | 0xea, _, _, _, _, 0xff, 0, 0, ..] | [_, _, _, _, 0xe9 | 0xea, _, _, _, _, 0xff, 0, 0, ..]
        )
}

/// Some words for one processor.
fn batch(llvm: &Llvm, family: &Family, processor: &str, seed: u64, count: usize) -> Result<ProcessorTally> {
    let decoder =
        Decoder::for_processor(processor, Mode::LikeLlvm).with_context(|| format!("no {processor}"))?;
    let questions: Vec<Vec<u8>> = RandomWords::new(family, seed).take(count).collect();
    let answers = llvm.disassembler(processor, corrections::options(processor))?.ask(&questions)?;
    let mut row = ProcessorTally { words: count, ..ProcessorTally::default() };
    for (bytes, answer) in questions.iter().zip(&answers) {
        if answer.size == CRASHED {
            row.crashes += 1;
            continue;
        }
        let ours = decoder.decode(bytes);
        let ours = ours.map(|one| (isa::mnemonic(one.mnemonic), usize::from(one.length)));
        if is_left_out(ours, bytes, answer)
            || is_accident(ours, bytes, &answer.mnemonic)
            || is_literal_by_mistake(bytes, &answer.mnemonic)
        {
            row.left_out += 1;
            continue;
        }
        row.instructions += usize::from(answer.size != 0);
        let text = decoder.instruction(bytes).map(|one| squeezed(&one.to_string())).unwrap_or_default();
        if let Some(what) = difference(ours, &text, answer) {
            row.differences += 1;
            // Where the slow decoder agrees with ours, it is the tables that are wrong.
            let tables =
                if family.decode(bytes, true) == ours { "as the tables say" } else { "unlike the tables" };
            row.kinds.entry(format!("{what}, {tables}")).or_insert_with(|| (0, hex(bytes))).0 += 1;
        }
    }
    Ok(row)
}

impl ProcessorTally {
    fn add(&mut self, other: ProcessorTally) {
        self.words += other.words;
        self.instructions += other.instructions;
        self.crashes += other.crashes;
        self.left_out += other.left_out;
        self.differences += other.differences;
        for (what, (count, bytes)) in other.kinds {
            self.kinds.entry(what).or_insert((0, bytes)).0 += count;
        }
    }

    fn print(&self, processor: &str) {
        println!(
            "{processor:<16} {:>11} {:>12} {:>9} {:>9} {:>11}",
            self.words, self.instructions, self.crashes, self.left_out, self.differences
        );
        for (what, (count, bytes)) in self.kinds.iter().take(SHOWN) {
            println!("{count:>8} times: {bytes} {what}");
        }
        if self.kinds.len() > SHOWN {
            println!("    and {} other kinds of differences", self.kinds.len() - SHOWN);
        }
    }
}
