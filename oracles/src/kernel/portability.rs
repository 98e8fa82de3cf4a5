//! Kernels on another processor: our verdict on each beside what LLVM's assembler makes of its text there.

use super::all::each_object;
use crate::isa::llvm::Llvm;
use anyhow::{Context, Result, bail, ensure};
use rocm_audit::isa::legality::{Legality, Reason};
use rocm_audit::isa::{Decoder, Mode, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;

/// Processors beside each other: whose code, and on which.
const PAIRS: &[(&str, &str)] = &[
    ("gfx906", "gfx900"),
    ("gfx900", "gfx906"),
    ("gfx908", "gfx906"),
    ("gfx908", "gfx90a"),
    ("gfx90a", "gfx908"),
    ("gfx90a", "gfx942"),
    ("gfx942", "gfx90a"),
    ("gfx942", "gfx950"),
    ("gfx950", "gfx942"),
    ("gfx1012", "gfx1010"),
    ("gfx1010", "gfx1012"),
    ("gfx1010", "gfx1030"),
    ("gfx1030", "gfx1010"),
    ("gfx1030", "gfx1031"),
    ("gfx1100", "gfx1101"),
    ("gfx1100", "gfx1151"),
    ("gfx1151", "gfx1100"),
    ("gfx1150", "gfx1103"),
    ("gfx1200", "gfx1201"),
    ("gfx1201", "gfx1250"),
    ("gfx1250", "gfx1201"),
];

/// Kernels of a processor, each once, as their instructions.
type Kernels = BTreeMap<String, Vec<(String, Vec<u8>)>>;

/// Compares one in N of the different kernels of files and folders: `LLVM ONE-IN PATH…`.
pub fn run(words: &[&str]) -> Result<()> {
    let [llvm, one_in, paths @ ..] = words else { bail!("portability LLVM ONE-IN PATH…") };
    let (llvm, one_in) = (Llvm::at(Path::new(llvm))?, one_in.parse::<u64>()?);
    let (found, seen) = (Mutex::new(Kernels::new()), Mutex::new(BTreeSet::new()));
    each_object(paths, &|opened, target| {
        let processor = target.split(':').next().unwrap_or(target);
        for kernel in opened.kernels() {
            let Some(code) = opened.code(kernel) else { continue };
            let mut hasher = DefaultHasher::new();
            code.hash(&mut hasher);
            let hash = hasher.finish();
            let is_new = seen.lock().is_ok_and(|mut seen| seen.insert(hash));
            if is_new && hash.is_multiple_of(one_in) {
                let mut found = found.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                let row = (kernel.symbol().to_string(), code.bytes(0, usize::MAX).to_vec());
                found.entry(processor.to_owned()).or_default().push(row);
            }
        }
    })?;
    let found = found.into_inner().unwrap_or_default();
    ensure!(!found.is_empty(), "no kernels");
    let mut wrong = 0;
    for (own, other) in PAIRS {
        if let Some(kernels) = found.get(*own) {
            wrong += pair(&llvm, kernels, own, other).with_context(|| format!("{own} on {other}"))?;
        }
    }
    if wrong > 0 { bail!("{wrong} verdicts differ") } else { Ok(()) }
}

fn pair(llvm: &Llvm, kernels: &[(String, Vec<u8>)], own: &str, other: &str) -> Result<u64> {
    let decoder = |name: &str| Decoder::for_processor(name, Mode::Correct).context("no decoder");
    let (ours, theirs) = (decoder(own)?, decoder(other)?);
    // Each different instruction is assembled once.
    let mut texts: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    for (_, bytes) in kernels {
        let mut at = 0;
        while at < bytes.len() {
            let step = ours.next(bytes, at, bytes.len());
            if let Step::Instruction(opcode) = step {
                let own = &bytes[at..at + usize::from(opcode.length)];
                if let Some(one) = ours.with_operands(opcode, &bytes[at..]) {
                    texts.entry(own.to_vec()).or_insert_with(|| one.to_string());
                }
            }
            at += step.length().max(1);
        }
    }
    let lines: Vec<&str> = texts.values().map(String::as_str).collect();
    let (here, there) = (assembled(llvm, own, &lines)?, assembled(llvm, other, &lines)?);
    let mut verdicts: BTreeMap<&[u8], Option<bool>> = BTreeMap::new();
    for (((bytes, _), here), there) in texts.iter().zip(&here).zip(&there) {
        // What LLVM does not take for its own processor decides nothing.
        let verdict = here.as_ref().map(|here| there.as_ref() == Some(here));
        verdicts.insert(bytes, verdict);
    }
    let (mut runs, mut refused, mut undecided, mut wrong) = (0, 0, 0, 0);
    for (name, bytes) in kernels {
        let mut legality = Legality::new(ours, theirs, bytes);
        legality.add(0..bytes.len(), &|_| Some((0, &[])));
        let absent = legality.into_absent();
        let (mut is_refused, mut is_open) = (false, false);
        let mut first = None;
        let mut at = 0;
        while at < bytes.len() {
            let step = ours.next(bytes, at, bytes.len());
            if let Step::Instruction(opcode) = step {
                let own = &bytes[at..at + usize::from(opcode.length)];
                match verdicts.get(own) {
                    Some(Some(true)) => {}
                    Some(Some(false)) => {
                        is_refused = true;
                        first.get_or_insert_with(|| texts.get(own).cloned().unwrap_or_default());
                    }
                    _ => is_open = true,
                }
            }
            at += step.length().max(1);
        }
        match (is_refused, is_open) {
            (true, _) => refused += 1,
            (false, true) => undecided += 1,
            (false, false) => runs += 1,
        }
        let ours_refused = absent.kernels() > 0;
        if ours_refused != is_refused && !(is_open && ours_refused) {
            wrong += 1;
            if wrong <= 8 {
                let reasons: Vec<(&str, Reason)> = absent
                    .rows()
                    .map(|(number, reason, _)| (rocm_audit::isa::mnemonic(number), reason))
                    .take(3)
                    .collect();
                println!("  {own} on {other}: {name}: LLVM {first:?}, ours {reasons:?}");
            }
        }
    }
    println!(
        "{own} on {other}: {} kernels, {} different instructions: {runs} run, {refused} do not, {undecided} with instructions that \
         LLVM's assembler does not take for {own}; {wrong} verdicts differ",
        kernels.len(),
        texts.len()
    );
    Ok(wrong)
}

/// The bytes that llvm-mc makes of each line; none where it refuses it.
fn assembled(llvm: &Llvm, processor: &str, lines: &[&str]) -> Result<Vec<Option<String>>> {
    let wave = match processor {
        own if own.starts_with("gfx12") => "+wavefrontsize32,+real-true16",
        own if own.starts_with("gfx1") => "+wavefrontsize32",
        _ => "",
    };
    let mut command = llvm.tool("llvm-mc")?;
    command.args([
        "-triple=amdgcn",
        "-show-encoding",
        &format!("-mcpu={processor}"),
        &format!("-mattr={wave}"),
    ]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("llvm-mc")?;
    let mut input = child.stdin.take().context("no input")?;
    let labelled = |(number, line): (usize, &&str)| format!("L{number}:\n{line}\n");
    let text: String = lines.iter().enumerate().map(labelled).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().ok().context("llvm-mc: its input was not taken")??;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut all: Vec<Option<String>> = vec![None; lines.len()];
    let mut number = 0;
    for line in text.lines() {
        if let Some(label) = line.strip_prefix('L').and_then(|rest| rest.strip_suffix(':')) {
            number = label.parse()?;
        } else if let Some((_, rest)) = line.split_once("encoding: [") {
            let own = all.get_mut(number).context("a label that was not asked for")?;
            own.get_or_insert_default().push_str(rest.split(']').next().unwrap_or_default());
        }
    }
    Ok(all)
}
