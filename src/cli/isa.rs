//! `rocm-audit explain TARGET` with `--isa`, `--vs` or `--decode`.

use super::destination::{self, Destination};
use super::fatbin::decodable;
use super::global::GlobalArgs;
use crate::error::AuditError;
use crate::isa::{self, Decoder, Mode, Opcode, Step};
use crate::render::{Draw as _, Format};
use crate::report;
use std::io::{BufRead, Write};

// No doc comment, which would become the help of `explain`: what is asked of the instructions of a target.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct IsaArgs {
    /// Say what instructions the target has
    #[arg(long, conflicts_with = "decode")]
    isa: bool,
    /// Say how the instructions of the target differ from those of this one
    #[arg(long, value_name = "TARGET", value_parser = decodable, conflicts_with = "decode")]
    vs: Option<String>,
    /// Decode lines of hex bytes from standard input for the target: the mnemonic and the length in bytes of
    /// the first instruction, separated by a tab; `-` and 0 where the bytes begin with none
    #[arg(long)]
    decode: bool,
    /// With --decode: every instruction of a line, each on a line of its own
    #[arg(long, requires = "decode")]
    all: bool,
    /// With --decode: the instruction with its operands, as LLVM writes it, instead of the mnemonic
    #[arg(long, requires = "decode")]
    text: bool,
    /// With --text: of a kernel with waves of 64 lanes, where those of 32 are usual (gfx10 and later)
    #[arg(long, requires = "text")]
    wave64: bool,
    /// With --decode: make the mistakes that LLVM 22's disassembler makes, to be compared with it
    #[arg(long, requires = "decode", hide_short_help = true)]
    like_llvm: bool,
}

impl IsaArgs {
    /// Whether anything is asked.
    pub(super) fn is_asked(&self) -> bool {
        self.isa || self.vs.is_some() || self.decode
    }

    /// Answers for the target that a word names.
    ///
    /// # Errors
    /// Where it names none whose instructions are known, or the output cannot be written.
    pub(super) fn run(&self, word: &str, global: &GlobalArgs) -> Result<(), AuditError> {
        let target = decodable(word)?;
        global.has_its_target("explain")?;
        if self.decode {
            global.prints_a_list("explain --decode")?;
            return decode(&target, self);
        }
        describe(&target, self.vs.as_deref(), global)
    }
}

fn describe(target: &str, other: Option<&str>, global: &GlobalArgs) -> Result<(), AuditError> {
    let report = report::isa(target, other)
        .ok_or_else(|| AuditError::Usage(format!("{target}: its instructions are not known")))?;
    global.has_no_findings("explain --isa")?;
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            return Err(AuditError::Usage(
                "explain --isa: there is no kernel inventory of a target; use -f json".into(),
            ));
        }
        destination::write(&destination, &report.draw(format, &global.style(&destination))?)?;
    }
    Ok(())
}

fn decode(target: &str, args: &IsaArgs) -> Result<(), AuditError> {
    let mode = if args.like_llvm { Mode::LikeLlvm } else { Mode::Correct };
    let decoder = Decoder::for_processor(target, mode)
        .ok_or_else(|| AuditError::Usage(format!("{target}: its instructions are not known")))?;
    let mut out = destination::open(&Destination::Stdout)?;
    let mut wrong = None;
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|e| AuditError::io("read", "standard input", e))?;
        let Some(bytes) = hex_bytes(&line) else {
            wrong.get_or_insert(number + 1);
            writeln!(out, "-\t0").map_err(|e| AuditError::io("write", "standard output", e))?;
            continue;
        };
        let written = if args.all {
            all(decoder, &bytes, args, &mut out)
        } else {
            first(decoder, &bytes, args, &mut out)
        };
        written.map_err(|e| AuditError::io("write", "standard output", e))?;
    }
    out.flush().map_err(|e| AuditError::io("write", "standard output", e))?;
    match wrong {
        Some(line) => Err(AuditError::Usage(format!(
            "standard input, line {line}: expected bytes in hex, two digits each, such as 00000abf"
        ))),
        None => Ok(()),
    }
}

fn first(decoder: &Decoder, bytes: &[u8], args: &IsaArgs, out: &mut dyn Write) -> std::io::Result<()> {
    match decoder.decode(bytes) {
        Some(found) => write_one(decoder, found, bytes, args, out),
        None => writeln!(out, "-\t0"),
    }
}

/// One instruction, which `bytes` begin with.
fn write_one(
    decoder: &Decoder,
    found: Opcode,
    bytes: &[u8],
    args: &IsaArgs,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let whole = args.text.then(|| decoder.with_operands(found, bytes)).flatten();
    match whole {
        Some(whole) if args.wave64 => writeln!(out, "{}\t{}", whole.in_wave(64), found.length),
        Some(whole) => writeln!(out, "{whole}\t{}", found.length),
        None => writeln!(out, "{}\t{}", isa::mnemonic(found.mnemonic), found.length),
    }
}

/// Every instruction, one after the other; skips four bytes that are no instruction.
fn all(decoder: &Decoder, bytes: &[u8], args: &IsaArgs, out: &mut dyn Write) -> std::io::Result<()> {
    let mut at = 0;
    while at < bytes.len() {
        // Zeros are looked at like any other word here: no symbol says that they are padding.
        match decoder.next(bytes, at, at) {
            Step::Instruction(found) => {
                write_one(decoder, found, bytes.get(at..).unwrap_or_default(), args, out)?;
                at += usize::from(found.length);
            }
            Step::Zeros(bytes) | Step::Unknown(bytes) => {
                writeln!(out, "-\t0")?;
                at += bytes;
            }
        }
    }
    Ok(())
}

/// Bytes in hex; spaces, commas and `0x` between them do not count.
fn hex_bytes(line: &str) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    for word in line.split(|c: char| c.is_whitespace() || c == ',' || c == '[' || c == ']') {
        let word = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        digits.extend(word.chars());
    }
    if digits.len() % 2 != 0 {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some((hex(pair.first()?)? << 4 | hex(pair.get(1)?)?) as u8)).collect()
}

fn hex(digit: &char) -> Option<u32> {
    digit.to_digit(16)
}
