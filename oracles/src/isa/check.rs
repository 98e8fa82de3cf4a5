//! `cargo oracle check-isa LLVM [LLVM_SOURCE] [VECTORS]`: compares the tables with LLVM's disassembler on
//! random words, with its assembler on the tests in its source, and with a list of vectors (processor, bytes,
//! mnemonic, length; tab-separated).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::corrections::{self, DROPPED};
use super::llvm::{Answer, CRASHED, Llvm};
use super::reference::{self, Family, Instruction};
use super::{TABLES, assembler};

/// Random words per family.
const WORDS: usize = 100_000;

/// How many differences are shown of each sort.
pub const SHOWN: usize = 5;

/// The verb.
pub fn run(arguments: &[String]) -> Result<()> {
    let families = reference::read(Path::new(TABLES))?;
    let Some((llvm, others)) = arguments.split_first() else {
        bail!("check-isa LLVM [LLVM_SOURCE] [VECTORS]")
    };
    let llvm = Llvm::at(Path::new(llvm))?;
    let mut wrong = 0;
    for other in others.iter().map(Path::new) {
        if other.is_dir() {
            for processor in ["gfx600", "gfx700"] {
                wrong += compare_vectors(&families, &assembler::vectors(&llvm, other, processor)?)?;
            }
        } else {
            let text = std::fs::read_to_string(other).with_context(|| other.display().to_string())?;
            wrong += compare_vectors(&families, &text)?;
        }
    }
    for family in &families {
        wrong += compare_random(family, &llvm)?;
    }
    ensure!(wrong == 0, "{wrong} differences");
    Ok(())
}

/// Vectors in both modes; only differences of the imitation count as wrong.
fn compare_vectors(families: &[Family], text: &str) -> Result<usize> {
    let mut of: HashMap<&str, &Family> = HashMap::new();
    for family in families {
        of.extend(family.processors.iter().map(|name| (name.as_str(), family)));
    }
    let (mut total, mut wrong) = (0, 0);
    let mut correct: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [processor, bytes, mnemonic, length] = columns.as_slice() else { bail!("a vector: {line}") };
        let family = of.get(processor).with_context(|| format!("no processor {processor}"))?;
        let bytes = hexadecimal(bytes)?;
        let length: usize = length.parse()?;
        let expected = (length != 0).then_some((*mnemonic, length));
        total += 1;
        let imitated = family.decode(&bytes, true);
        if imitated != expected {
            wrong += 1;
            if wrong <= SHOWN {
                println!("vector {line}: tables say {imitated:?}");
            }
        }
        let decoded = family.decode(&bytes, false);
        if decoded != expected {
            *correct.entry(format!("{expected:?} is {decoded:?}")).or_insert(0) += 1;
        }
    }
    println!(
        "{total} vectors, {wrong} differences from LLVM; {} without its bugs:",
        correct.values().sum::<usize>()
    );
    correct.iter().for_each(|(what, count)| println!("{count:>6} {what}"));
    Ok(wrong)
}

/// Bytes from hexadecimal digits.
pub fn hexadecimal(text: &str) -> Result<Vec<u8>> {
    (0..text.len() / 2)
        .map(|at| Ok(u8::from_str_radix(text.get(2 * at..2 * at + 2).context("odd digits")?, 16)?))
        .collect()
}

/// The processor of a family that LLVM is asked about; `None` where it disassembles none.
pub fn disassembled(family: &Family) -> Result<Option<&str>> {
    let known = |name: &&String| DROPPED.iter().all(|(dropped, ..)| dropped != name);
    let first = family.processors.iter().find(known).context("a family without processors")?;
    Ok((!first.starts_with("gfx6") && !first.starts_with("gfx7")).then_some(first))
}

/// Whether LLVM's C interface refuses what llvm-objdump prints: a VOP3 comparison that writes anything but
/// exec.
pub fn is_left_out(ours: Option<Instruction<'_>>, bytes: &[u8], answer: &Answer) -> bool {
    let cmpx = ours.is_some_and(|(name, _)| name.starts_with("v_cmpx_") && name.contains("_e64"));
    cmpx && answer.size == 0 && bytes.first() != Some(&0x7e)
}

/// Half of the words are random, half follow a rule; a quarter are cut short.
fn compare_random(family: &Family, llvm: &Llvm) -> Result<usize> {
    let Some(first) = disassembled(family)? else {
        println!("{}: LLVM does not disassemble it", family.processors.join(" "));
        return Ok(0);
    };
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut questions = Vec::new();
    for index in 0..WORDS {
        let mut word = u128::from(random()) << 64 | u128::from(random());
        let choice = random() as usize;
        if index % 2 == 0 {
            let rule = &family.rules[choice % family.rules.len()];
            word = word & !rule.mask | rule.value;
            // Literals are rare among random operands.
            if choice >> 44 & 1 == 0 {
                word = family.with_operand(rule, word, choice >> 48, 254 + (choice >> 45 & 1) as u32);
            }
        }
        let mut bytes = word.to_le_bytes().to_vec();
        bytes.extend((random() as u32).to_le_bytes());
        if choice >> 32 & 3 == 0 {
            bytes.truncate(4 + (choice >> 40) % 17);
        }
        questions.push(bytes);
    }
    let answers = llvm.disassembler(first, corrections::options(first))?.ask(&questions)?;
    let mut bugs: BTreeMap<String, usize> = BTreeMap::new();
    let (mut wrong, mut crashed, mut skipped, mut instructions) = (0, 0, 0, 0);
    for (bytes, answer) in questions.iter().zip(&answers) {
        let decoded = family.decode(bytes, true);
        let correct = family.decode(bytes, false);
        if correct != decoded {
            *bugs.entry(format!("{decoded:?} is {correct:?}")).or_insert(0) += 1;
        }
        if answer.size == CRASHED {
            crashed += 1;
        } else if is_left_out(decoded, bytes, answer) {
            skipped += 1;
        } else {
            let expected = (answer.size != 0).then_some((answer.mnemonic.as_str(), answer.size.into()));
            instructions += usize::from(expected.is_some());
            if decoded != expected {
                wrong += 1;
                if wrong <= SHOWN {
                    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    println!("{first} {hex}: LLVM {expected:?}, tables {decoded:?}");
                }
            }
        }
    }
    println!(
        "{first}: {} words, {instructions} instructions, {crashed} crashed LLVM, {skipped} v_cmpx left out, {wrong} differences",
        questions.len()
    );
    bugs.iter().for_each(|(what, count)| println!("{count:>6} where LLVM is not imitated: {what}"));
    Ok(wrong)
}
