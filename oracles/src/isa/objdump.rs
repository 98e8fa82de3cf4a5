//! What `llvm-objdump -d` prints, line by line.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::llvm::Llvm;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// An instruction at an address.
    Instruction(u64, Mnemonic<'l>),
    /// A word that is none.
    Unknown(u64),
    /// Zero bytes that are not shown.
    Zeros,
    /// Headers, labels and data.
    Other,
}

/// A mnemonic, with the second one of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mnemonic<'l>(pub &'l str, pub Option<&'l str>);

impl Mnemonic<'_> {
    /// Whether this is `name`, in which a pair is `a :: b`.
    pub fn is(self, name: &str) -> bool {
        match self.1 {
            None => self.0 == name,
            Some(second) => name.split_once(" :: ") == Some((self.0, second)),
        }
    }

    /// The name, a pair as `a :: b`.
    pub fn name(self) -> String {
        self.1.map_or_else(|| self.0.to_owned(), |second| format!("{} :: {second}", self.0))
    }
}

/// Reads one line, such as `⇥s_endpgm   // 00000005F740: BF810000`.
pub fn parse(line: &str) -> Line<'_> {
    let Some(line) = line.strip_prefix('\t') else { return Line::Other };
    if line.trim() == "..." {
        return Line::Zeros;
    }
    let Some((text, comment)) = line.split_once("// ") else { return Line::Other };
    let address = comment.split_once(':').and_then(|(digits, _)| u64::from_str_radix(digits, 16).ok());
    let (Some(address), Some(first)) = (address, text.split_whitespace().next()) else { return Line::Other };
    if matches!(first, ".long" | ".byte" | ".word" | ".short") {
        return Line::Unknown(address);
    }
    let second = text.split_once(" :: ").and_then(|(_, rest)| rest.split_whitespace().next());
    Line::Instruction(address, Mnemonic(first, second))
}

/// Disassembles a code object and hands over each line. The processor is named where the file does not say
/// one that llvm-objdump knows.
///
/// # Errors
/// Where llvm-objdump fails; its last words are in the message.
pub fn disassemble(
    llvm: &Llvm,
    file: &Path,
    processor: Option<&str>,
    each: &mut dyn FnMut(Line<'_>),
) -> Result<()> {
    let complaints = file.with_extension("stderr");
    let mut command = llvm.tool("llvm-objdump")?;
    command.args(["-d", "--mattr=+real-true16"]).arg(file);
    if let Some(name) = processor {
        command.args(["--triple=amdgcn-amd-amdhsa".to_owned(), format!("--mcpu={name}")]);
    }
    command.stdout(Stdio::piped()).stderr(std::fs::File::create(&complaints)?);
    let mut child = command.spawn().context("llvm-objdump")?;
    let output = child.stdout.take().context("no pipe from llvm-objdump")?;
    let mut output = BufReader::with_capacity(1 << 18, output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        // Names of symbols may be anything.
        each(parse(&String::from_utf8_lossy(&line)));
        line.clear();
    }
    let status = child.wait()?;
    if !status.success() {
        let text = std::fs::read_to_string(&complaints)?;
        bail!("llvm-objdump: {status}: {}", text.lines().last().unwrap_or_default());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_llvm_objdump_are_told_apart() {
        for (line, expected) in [
            (
                "\ts_load_dword s0, s[4:5], 0x3c            // 00000003C700: C0020002 0000003C\n",
                Line::Instruction(0x3c700, Mnemonic("s_load_dword", None)),
            ),
            (
                "\ts_endpgm   // 00000005F740: BF810000\n",
                Line::Instruction(0x5f740, Mnemonic("s_endpgm", None)),
            ),
            (
                "\ts_cbranch_execz 125          // 00000003C740: BF88007D <Cijk_S+0x238>\n",
                Line::Instruction(0x3c740, Mnemonic("s_cbranch_execz", None)),
            ),
            (
                "\tv_dual_mul_f32 v2, 0x4f7ffffe, v3 :: v_dual_add_nc_u32 v1, v1, v2// 00000003A494: C8E006FF 02000501 4F7FFFFE\n",
                Line::Instruction(0x3a494, Mnemonic("v_dual_mul_f32", Some("v_dual_add_nc_u32"))),
            ),
            ("\t.long 0xffffffff       // 00000003C700: FFFFFFFF\n", Line::Unknown(0x3c700)),
            // The descriptor of a version 2 kernel; what precedes it is `; error decoding …`.
            ("\t.byte\t 0x1\n", Line::Other),
            ("\t\t...\n", Line::Zeros),
            ("000000000003c700 <Cijk_S>:\n", Line::Other),
            ("p.o:\tfile format elf64-amdgpu\n", Line::Other),
            ("Disassembly of section .text:\n", Line::Other),
            ("\t.amdhsa_kernel foo\n", Line::Other),
            ("\n", Line::Other),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }

    #[test]
    fn pairs_have_two_names() {
        let pair = Mnemonic("v_dual_mov_b32", Some("v_dual_add_f32"));
        assert!(pair.is("v_dual_mov_b32 :: v_dual_add_f32"));
        assert!(!pair.is("v_dual_mov_b32"));
        assert_eq!(pair.name(), "v_dual_mov_b32 :: v_dual_add_f32");
        assert!(Mnemonic("s_nop", None).is("s_nop"));
    }
}
