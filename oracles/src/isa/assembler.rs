//! Vectors from LLVM's assembler, for the processors that its disassembler does not know (gfx6, gfx7).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::llvm::Llvm;

/// What the assembler makes of every test in LLVM's source that it takes for `processor`, as lines of
/// processor, bytes, mnemonic, length; tab-separated.
pub fn vectors(llvm: &Llvm, source: &Path, processor: &str) -> Result<String> {
    let tests = source.join("llvm/test/MC/AMDGPU");
    let mut vectors = BTreeSet::new();
    for entry in std::fs::read_dir(&tests).with_context(|| tests.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "s") {
            continue;
        }
        // Most tests hold lines for other processors too: the errors about them are of no interest.
        let output = llvm
            .tool("llvm-mc")?
            .args(["-triple=amdgcn", "-show-encoding", &format!("-mcpu={processor}")])
            .arg(&path)
            .stderr(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        vectors.extend(text.lines().filter_map(|line| vector(line, processor)));
    }
    ensure!(!vectors.is_empty(), "{}: nothing for {processor}", tests.display());
    Ok(vectors.into_iter().collect())
}

/// `\tv_mov_b32_e32 v0, s0  ; encoding: [0x00,0x02,0x00,0x7e]`; none where a byte waits for a fixup.
fn vector(line: &str, processor: &str) -> Option<String> {
    let (text, encoding) = line.split_once("encoding: [")?;
    let mnemonic = text.split_whitespace().next()?;
    let bytes: Vec<&str> = encoding.split(']').next()?.split(',').collect();
    let digits: String = bytes.iter().map(|byte| byte.strip_prefix("0x")).collect::<Option<_>>()?;
    let plain = digits.len() == 2 * bytes.len() && digits.chars().all(|c| c.is_ascii_hexdigit());
    plain.then(|| format!("{processor}\t{digits}\t{mnemonic}\t{}\n", bytes.len()))
}
