//! Speed of the instruction decoder on real code objects, as ratios against llvm-objdump and `cat` in the
//! same run.

use crate::measure::{cat_words, find, once, peak, row, time};
use anyhow::{Context, Result, bail, ensure};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::codeobject::disassembly;
use rocm_audit::codeobject::disassembly::DecodeOptions;
use rocm_audit::isa::{Decoder, Instruction, Mode, Operand, Text};
use rocm_audit::target::TargetId;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Parts of names of rocBLAS code objects: large ones of assembly kernels and small ones of C++ kernels.
const OBJECTS: [(&str, &str); 8] = [
    ("gfx90a", "Type_HH_HPA_ExperimentalGrid_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx90a.co"),
    ("gfx90a", "Type_HH_HPA_Contraction_l_Ailk_Bljk_Cijk_Dijk_CU104_gfx90a.co"),
    ("gfx1100", "Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1100.co"),
    ("gfx900", "Type_SS_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx900.co"),
    ("gfx1030", "Type_I8I_HPA_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx1030.co"),
    ("gfx900", "Kernels.so-000-gfx900.hsaco"),
    ("gfx90a", "Kernels.so-000-gfx90a-xnack-.hsaco"),
    ("gfx1100", "Kernels.so-000-gfx1100.hsaco"),
];

/// `measure-isa DEST`: the folder that holds the packages.
pub fn run(arguments: &[String]) -> Result<()> {
    let [dest] = arguments else { bail!("name the folder that holds the packages") };
    let deb = Path::new(dest).join("deb");
    let library = deb.join("librocblas4/usr/lib/x86_64-linux-gnu/rocblas");
    let files = files_below(&library)?;
    println!("making the decoder of a family, and reading the tables with the first");
    for (processor, _) in OBJECTS {
        let begin = Instant::now();
        ensure!(Decoder::for_processor(processor, Mode::Correct).is_some(), "{processor} is not known");
        println!("  {processor:<42} {:>9.2} ms", begin.elapsed().as_secs_f64() * 1000.0);
    }
    println!("one core: machine code, against llvm-objdump -d on the same file");
    for (processor, name) in OBJECTS {
        let Some(path) = files.iter().find(|p| p.to_string_lossy().ends_with(name)) else {
            println!("  {name}: not there");
            continue;
        };
        object(path, &TargetId::bare(processor))?;
    }
    println!("audit of rocBLAS and ggml, all machine code decoded");
    let trees = [deb.join("librocblas4"), deb.join("libggml0-backend-hip")];
    let audit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/rocm-audit");
    let ours = |words: &[&str]| -> Vec<String> {
        let paths = trees.iter().map(|p| p.to_string_lossy().into_owned());
        let words = words.iter().map(|w| (*w).to_owned());
        std::iter::once(audit.to_string_lossy().into_owned()).chain(words).chain(paths).collect()
    };
    let cat = time(&cat_words(&trees))?;
    row("cat of all files", cat, cat);
    row("rocm-audit", time(&ours(&[]))?, cat);
    row("rocm-audit --isa", time(&ours(&["--isa"]))?, cat);
    println!("  {:<42} {:>8} MiB", "peak anonymous memory of --isa", peak(&ours(&["--isa"]))? / 1024);
    Ok(())
}

/// Files below a folder of any depth.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => open.push(entry.path()),
                false => all.push(entry.path()),
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Decodes one code object in one thread, best of several, and lets llvm-objdump do the same once.
fn object(path: &Path, target: &TargetId) -> Result<()> {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let bytes = std::fs::read(path)?;
    let elf = Elf::open(bytes.as_slice(), 0)?;
    let ask = DecodeOptions::default();
    let mut best = Duration::MAX;
    let mut read = None;
    for _ in 0..9 {
        let begin = Instant::now();
        read = alone.install(|| disassembly::read(&elf, target, &ask));
        best = best.min(begin.elapsed());
    }
    let code = read.context("not decoded")?;
    let (text, instructions) = (code.text_bytes() as f64 / 1e6, code.instructions());
    let speed = text / best.as_secs_f64();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let each = best.as_secs_f64() * 1e9 / instructions as f64;
    println!("  {name}");
    println!(
        "    {text:.1} MB, {instructions} instructions: {speed:.0} MB/s, {each:.1} ns for each instruction"
    );
    if let Some(objdump) = find("llvm-objdump") {
        let words =
            [objdump.to_string_lossy().into_owned(), "-d".into(), path.to_string_lossy().into_owned()];
        let theirs = once(&words)?;
        let (speed, ratio) = (text / theirs.as_secs_f64(), theirs.as_secs_f64() / best.as_secs_f64());
        println!("    llvm-objdump -d: {speed:.2} MB/s; ratio {ratio:.0}");
        for (what, took) in by_instruction(&elf, target)? {
            let (speed, ratio) = (text / took.as_secs_f64(), theirs.as_secs_f64() / took.as_secs_f64());
            println!("    {what}: {speed:.0} MB/s; ratio {ratio:.0}");
        }
    }
    Ok(())
}

/// How long one core takes for the instructions of all executable sections: as they are decoded, with the value
/// of every operand, and with their texts; best of several.
fn by_instruction(elf: &Elf<'_, &[u8]>, target: &TargetId) -> Result<[(&'static str, Duration); 3]> {
    let decoder = Decoder::for_processor(&target.processor, Mode::Correct).context("no decoder")?;
    let mut sections: Vec<&[u8]> = Vec::new();
    for section in elf.sections()? {
        // SHT_PROGBITS with SHF_EXECINSTR.
        if section.kind == 1 && section.flags & 4 != 0 {
            sections.push(elf.section_bytes(&section)?);
        }
    }
    let best = |run: &mut dyn FnMut(&[u8]) -> usize| {
        let once = |_| {
            let begin = Instant::now();
            std::hint::black_box(sections.iter().map(|code| run(code)).sum::<usize>());
            begin.elapsed()
        };
        (0..5).map(once).min().unwrap_or_default()
    };
    let mut text = Text::new();
    Ok([
        ("decoded", best(&mut |code| decoder.instructions(code).map(|(_, one)| one.length()).sum())),
        (
            "the values of all operands",
            best(&mut |code| {
                let values =
                    |one: Instruction| one.operands().map(|named| value(named.operand)).sum::<usize>();
                decoder.instructions(code).map(|(_, one)| values(one)).fold(0, usize::wrapping_add)
            }),
        ),
        (
            "texts",
            best(&mut |code| decoder.instructions(code).map(|(_, one)| one.text(&mut text).len()).sum()),
        ),
    ])
}

/// A number that depends on all of an operand.
fn value(operand: Operand) -> usize {
    match operand {
        Operand::Register(register) => usize::from(register.index()) << 8 | usize::from(register.count()),
        Operand::Inline(code) => code as usize,
        Operand::Literal(value) => value as usize,
        Operand::Literal64(value) => (value as u32) as usize,
        Operand::Number(value) => (value as u32) as usize,
        _ => 0,
    }
}
