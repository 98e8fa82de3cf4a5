//! Compares the judgement of bodies in ggml's library with LLVM's disassembler, on some kernels of all
//! targets.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::ggml::family;
use rocm_audit::engines::ggml::presence::{Library, Presence};
use std::path::Path;
use std::process::Command;

/// Number of kernels to compare by default.
const KERNELS: usize = 50;

pub fn run(arguments: &[String]) -> Result<()> {
    let (library, objdump, kernels) = match arguments {
        [library, objdump] => (library, objdump, KERNELS),
        [library, objdump, kernels] => (library, objdump, kernels.parse()?),
        _ => bail!("ggml-bodies LIBRARY LLVM_OBJDUMP [KERNELS]"),
    };
    let library = Library::open(Path::new(library))?;
    let targets = library.targets();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("object.co");
    let (mut agree, mut differ) = (0, 0);
    println!("target   ours       LLVM       instructions  bytes  kernel");
    for (number, target) in targets.iter().enumerate() {
        let index = library.index(target).context("no code object")?;
        let named = index.kernels().filter_map(|symbol| symbol.name());
        let mut names: Vec<&str> =
            named.filter(|name| family::kernel_family(name).is_some_and(|family| family.is_main)).collect();
        names.dedup();
        let share = kernels * (number + 1) / targets.len() - kernels * number / targets.len();
        for pick in 0..share {
            // Takes other positions for each target, so that all families occur.
            let at = (names.len() * (2 * pick + 1) / (2 * share) + number * 97) % names.len();
            let name = names[at];
            let presence = index.presence_of(name);
            let found = presence.found().context("a kernel that is not found")?;
            write_object(&library, found.object_offset, &path)?;
            let (llvm, instructions) = ask(objdump, &path, name)?;
            let ours = if matches!(presence, Presence::Stub(_)) { "trap stub" } else { "real" };
            let same = ours == llvm && instructions == found.instructions;
            if same {
                agree += 1
            } else {
                differ += 1
            }
            let mark = if same { "" } else { "   DIFFERS" };
            let short: String = found.demangled.as_deref().unwrap_or(name).chars().take(70).collect();
            println!(
                "{:<8} {ours:<10} {llvm:<10} {instructions:>12} {:>6}  {short}{mark}",
                target.to_string(),
                found.bytes
            );
        }
    }
    println!("{agree} of {} agree with llvm-objdump in kind and number of instructions", agree + differ);
    if differ > 0 { bail!("{differ} differ") } else { Ok(()) }
}

/// Writes the code object at an offset of the file to `path`.
fn write_object(library: &Library, offset: u64, path: &Path) -> Result<()> {
    let file = library.file();
    let bundles = file.container.bundles().iter();
    let mut sizes = bundles.flat_map(|bundle| {
        let here = bundle.entries().iter().filter(move |entry| bundle.offset() + entry.offset() == offset);
        here.map(|entry| entry.size())
    });
    let size = sizes.find(|size| *size > 0).with_context(|| format!("no entry at {offset:#x}"))?;
    let start = usize::try_from(offset)?;
    let bytes = file.file.bytes().get(start..start + usize::try_from(size)?);
    std::fs::write(path, bytes.context("an entry outside of the file")?)?;
    Ok(())
}

/// The judgement from LLVM's disassembly by the recorded rule: a stub ends in a call and has no `s_endpgm`.
fn ask(objdump: &str, path: &Path, name: &str) -> Result<(&'static str, u64)> {
    let output = Command::new(objdump)
        .args(["-d", "--no-show-raw-insn", "--no-leading-addr"])
        .arg(format!("--disassemble-symbols={name}"))
        .arg(path)
        .output()
        .with_context(|| objdump.to_owned())?;
    let text = String::from_utf8(output.stdout)?;
    let body = text.lines().filter(|line| line.starts_with([' ', '\t']));
    let lines = body.map(|line| line.trim().split(' ').next().unwrap_or_default());
    // Zeros after the body are shown as dots, and four bytes of them as an instruction.
    let mut mnemonics: Vec<&str> = lines.filter(|word| !word.is_empty() && *word != "...").collect();
    while mnemonics.pop_if(|word| *word == "v_illegal").is_some() {}
    let ends = mnemonics.iter().any(|word| word.starts_with("s_endpgm"));
    let calls = mnemonics.last().is_some_and(|word| word.starts_with("s_swappc_b64"));
    let kind = match (ends, calls) {
        (true, _) => "real",
        (false, true) => "trap stub",
        (false, false) => "unclear",
    };
    Ok((kind, mnemonics.len() as u64))
}
