//! Compares the analysis of kernels with LLVM's libraries and tools.

mod all;
mod different;
mod graphs;
mod lines;
mod objects;
mod occupancy;
mod portability;
mod rows;
mod wait_states;
mod waits;

use anyhow::{Result, bail};

/// Compares one of the lists.
///
/// # Errors
///
/// If something differs or cannot be read.
pub fn run(arguments: &[String]) -> Result<()> {
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match texts.as_slice() {
        ["occupancy", cases, rest @ ..] => occupancy::run(cases, HeldPart::from_words(rest)?),
        ["all", paths @ ..] => all::run(paths),
        ["waits", words @ ..] => waits::run(words),
        ["wait-states", words @ ..] => wait_states::run(words),
        ["portability", words @ ..] => portability::run(words),
        ["objects", rows, out, folders @ ..] => objects::run(rows, out, folders),
        ["graphs", graphs, lives, objects, rest @ ..] => {
            graphs::run(graphs, lives, objects, HeldPart::from_words(rest)?)
        }
        ["lines", chains, objects, rest @ ..] => lines::run(chains, objects, HeldPart::from_words(rest)?),
        _ => bail!(
            "kernel all PATH… | waits PATH… [--change N] | wait-states PATH… [--change N] | portability LLVM ONE-IN PATH… | occupancy CASES | objects GRAPHS OUT FOLDER… | graphs GRAPHS LIVE OBJECTS | lines CHAINS OBJECTS, with [--two-thirds | --third]"
        ),
    }
}

/// Which cases to compare: a third, chosen by hash, is held back while rules are developed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum HeldPart {
    All,
    TwoThirds,
    Third,
}

impl HeldPart {
    fn from_words(words: &[&str]) -> Result<HeldPart> {
        match words {
            [] => Ok(HeldPart::All),
            ["--two-thirds"] => Ok(HeldPart::TwoThirds),
            ["--third"] => Ok(HeldPart::Third),
            _ => bail!("not understood: {}", words.join(" ")),
        }
    }

    /// Whether to compare the case with this key.
    pub fn has(self, key: &str) -> bool {
        use sha2::{Digest as _, Sha256};
        let third = Sha256::digest(key.as_bytes()).first().is_some_and(|byte| byte % 3 == 0);
        match self {
            HeldPart::All => true,
            HeldPart::TwoThirds => !third,
            HeldPart::Third => third,
        }
    }
}

/// Text of a file, inflated if its name ends in `.zst`.
pub fn text(path: &str) -> Result<String> {
    let bytes = std::fs::read(path)?;
    if !path.ends_with(".zst") {
        return Ok(String::from_utf8(bytes)?);
    }
    let mut reader = zstd::Decoder::new(bytes.as_slice())?;
    reader.window_log_max(31)?;
    Ok(std::io::read_to_string(reader)?)
}
