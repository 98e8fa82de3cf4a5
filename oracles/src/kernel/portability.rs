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

/// Processors of a generation: code of each is compared on all others.
const GENERATIONS: &[&[&str]] = &[
    &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"],
    &["gfx1010", "gfx1011", "gfx1012", "gfx1013"],
    &["gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"],
    &["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"],
    &["gfx1200", "gfx1201"],
];
/// Generations beside each other, by a processor of each: both ways.
const STEPS: &[(&str, &str)] = &[
    ("gfx906", "gfx908"),
    ("gfx900", "gfx908"),
    ("gfx908", "gfx90a"),
    ("gfx90a", "gfx942"),
    ("gfx942", "gfx950"),
    ("gfx1010", "gfx1030"),
    ("gfx1012", "gfx1030"),
    ("gfx1030", "gfx1100"),
    ("gfx1100", "gfx1200"),
    ("gfx1151", "gfx1200"),
    ("gfx1201", "gfx1250"),
];

/// Processors beside each other: whose code, and on which.
fn pairs() -> Vec<(&'static str, &'static str)> {
    let within = GENERATIONS.iter().flat_map(|all| {
        all.iter().flat_map(|own| all.iter().filter(move |other| own != *other).map(|other| (*own, *other)))
    });
    within.chain(STEPS.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)])).collect()
}

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
    let mut own_processor: Option<(&str, OwnText)> = None;
    for (own, other) in pairs() {
        let Some(kernels) = found.get(own) else { continue };
        if own_processor.as_ref().is_none_or(|(known, _)| *known != own) {
            let text = OwnText::of(&llvm, kernels, own).with_context(|| own.to_owned())?;
            own_processor = Some((own, text));
        }
        if let Some((_, text)) = &own_processor {
            wrong += pair(&llvm, kernels, text, [own, other]).with_context(|| format!("{own} on {other}"))?;
        }
    }
    if wrong > 0 { bail!("{wrong} verdicts differ") } else { Ok(()) }
}

fn decoder(name: &str) -> Result<&'static Decoder> {
    Decoder::for_processor(name, Mode::Correct).context("no decoder")
}

/// The different instructions of a processor's kernels, each with its text.
struct OwnText {
    texts: BTreeMap<Vec<u8>, String>,
    /// What llvm-mc makes of each text for the processor itself.
    here: Vec<Option<String>>,
}

impl OwnText {
    fn of(llvm: &Llvm, kernels: &[(String, Vec<u8>)], own: &str) -> Result<OwnText> {
        let ours = decoder(own)?;
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
        let here = assembled(llvm, own, &lines)?;
        Ok(OwnText { texts, here })
    }
}

fn pair(llvm: &Llvm, kernels: &[(String, Vec<u8>)], text: &OwnText, [own, other]: [&str; 2]) -> Result<u64> {
    let (ours, theirs) = (decoder(own)?, decoder(other)?);
    let OwnText { texts, here } = text;
    let lines: Vec<&str> = texts.values().map(String::as_str).collect();
    let there = assembled(llvm, other, &lines)?;
    let mut verdicts: BTreeMap<&[u8], Option<bool>> = BTreeMap::new();
    for (((bytes, _), here), there) in texts.iter().zip(here).zip(&there) {
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
