//! The AMDGPU instruction tables: made from LLVM's target description, and compared with LLVM's disassembler.
//!
//! `cargo oracle gen-isa LLVM LLVM_SOURCE [--check]` writes `crates/amdgpu-isa/src/tables/`, or says which
//! file there differs.

mod assembler;
pub mod check;
mod corrections;
mod decoder;
mod differential;
mod family;
mod form_text;
mod forms;
pub mod fuzz;
mod legality;
pub mod llvm;
pub mod measure;
mod merge;
mod names;
mod objdump;
mod objects;
mod observed;
pub mod oracle;
mod predicate;
mod processor;
mod records;
mod reference;
mod rules;
mod tables;
mod tally;
mod truth;
mod words;

use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use decoder::Decoder;
use llvm::Llvm;
use records::Records;

/// Where the tables are in the tree.
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/amdgpu-isa/src/tables");

/// The options with which LLVM's own build makes its decoder tables.
const DECODER_OPTIONS: &[&str] = &[
    "--gen-disassembler",
    "--specialize-decoders-per-bitwidth",
    "--ignore-non-decodable-operands",
    "--ignore-fully-defined-operands",
];

const USAGE: &str = "gen-isa LLVM LLVM_SOURCE [--check]
  LLVM         a directory whose root/ holds a Debian root with llvm-22 (llvm-tblgen and libLLVM)
  LLVM_SOURCE  the LLVM source of that version, with llvm/lib/Target/AMDGPU and llvm/include; Debian has it as the
               source package llvm-toolchain-22 (apt-get source --download-only, then unpack the orig tarball)";

/// The verb.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = arguments.iter().any(|argument| argument == "--check");
    let paths: Vec<&Path> =
        arguments.iter().filter(|argument| *argument != "--check").map(Path::new).collect();
    let [llvm, source] = paths.as_slice() else { bail!("{USAGE}") };
    let files = generate(&Llvm::at(llvm)?, source)?;
    let mut different = Vec::new();
    for (name, text) in &files {
        let path = Path::new(TABLES).join(name);
        println!("{:>8} bytes {:>6} lines {name}", text.len(), text.lines().count());
        if check {
            if std::fs::read_to_string(&path).ok().as_ref() != Some(text) {
                different.push(*name);
            }
        } else {
            std::fs::create_dir_all(TABLES)?;
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
    }
    println!("{:>8} bytes in all", files.iter().map(|(_, text)| text.len()).sum::<usize>());
    ensure!(different.is_empty(), "not what LLVM gives: {}", different.join(", "));
    Ok(())
}

/// The tables, from LLVM and the source of the same version.
fn generate(llvm: &Llvm, source: &Path) -> Result<tables::Files> {
    let target = source.join("llvm/lib/Target/AMDGPU");
    ensure!(target.join("AMDGPU.td").exists(), "{}: no AMDGPU.td\n{USAGE}", target.display());
    let header = source.join("llvm/include/llvm/BinaryFormat/ELF.h");
    let machines = std::fs::read_to_string(&header).with_context(|| header.display().to_string())?;
    let (mut writer, output) = describe(llvm, source, DECODER_OPTIONS)?;
    let decoder = Decoder::read(output)?;
    ensure!(writer.wait()?.success(), "llvm-tblgen failed on the decoder tables");
    let (mut writer, output) = describe(llvm, source, &["--print-records"])?;
    let records = Records::read(output, &decoder.instructions())?;
    ensure!(writer.wait()?.success(), "llvm-tblgen failed on the records");
    let mut notes = Vec::new();
    let families = family::families(&records, &decoder, llvm, &mut notes)?;
    notes.iter().for_each(|note| println!("{note}"));
    tables::write(&llvm.version()?, &families, &records, &decoder, &machines)
}

/// Runs llvm-tblgen on the target description.
fn describe(llvm: &Llvm, source: &Path, options: &[&str]) -> Result<(Child, BufReader<ChildStdout>)> {
    let target = source.join("llvm/lib/Target/AMDGPU");
    let mut command: Command = llvm.tool("llvm-tblgen")?;
    command.args(options).arg("-I").arg(source.join("llvm/include")).arg("-I").arg(&target);
    command.arg(target.join("AMDGPU.td")).stdout(Stdio::piped());
    let mut child = command.spawn().context("llvm-tblgen")?;
    let output = child.stdout.take().context("no pipe from llvm-tblgen")?;
    Ok((child, BufReader::with_capacity(1 << 20, output)))
}
