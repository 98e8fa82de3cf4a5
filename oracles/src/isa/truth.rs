//! `mc_vectors_default.tsv.zst` and `truth.jsonl` of the oracle, compared with our decoder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rocm_audit::isa::{self, Decoder, Mode};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::check::{SHOWN, hexadecimal};
use super::objects::CodeObjectPlace;
use super::tally::{Code, histogram};
use crate::digest::hex;

/// How many things were compared, and how many of them differ.
pub type Compared = (usize, usize);

/// All vectors: processor, bytes, mnemonic, length (0 for what is no instruction).
pub fn vectors(path: &Path) -> Result<Compared> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let (mut total, mut wrong) = (0, 0);
    for line in BufReader::new(zstd::Decoder::new(file)?).lines() {
        let line = line?;
        if line.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let [processor, bytes, mnemonic, length] = columns.as_slice() else { bail!("a vector: {line}") };
        let decoder =
            Decoder::for_processor(processor, Mode::LikeLlvm).with_context(|| format!("no {processor}"))?;
        let decoded = decoder.decode(&hexadecimal(bytes)?);
        let decoded = decoded.map(|one| (isa::mnemonic(one.mnemonic), usize::from(one.length)));
        let length: usize = length.parse()?;
        let expected = (length != 0).then_some((*mnemonic, length));
        total += 1;
        if decoded != expected {
            wrong += 1;
            if wrong <= SHOWN {
                println!("vector {line}: ours {decoded:?}");
            }
        }
    }
    Ok((total, wrong))
}

/// All code objects with llvm-objdump's histogram of each.
pub fn histograms(path: &Path, corpus: &Path) -> Result<Compared> {
    let (mut total, mut wrong) = (0, 0);
    for line in std::fs::read_to_string(path).with_context(|| path.display().to_string())?.lines() {
        let truth: Value = serde_json::from_str(line)?;
        let text = |key: &str| truth[key].as_str().unwrap_or_default();
        let shown = format!("{} {} {}", text("source"), text("where"), text("arch"));
        let (count, differences) = one(&truth, corpus).with_context(|| shown.clone())?;
        total += count;
        wrong += differences.len();
        differences.iter().for_each(|difference| println!("truth {shown}: {difference}"));
    }
    Ok((total, wrong))
}

/// One code object: how many numbers were compared, and which differ.
fn one(truth: &Value, corpus: &Path) -> Result<(usize, Vec<String>)> {
    let bytes = code_object(truth, corpus)?;
    let code = Code::from_bytes(&bytes)?;
    let counts = code.count()?;
    let ours = histogram(&counts);
    let (mut total, mut differences) = (0, Vec::new());
    let mut compare = |what: &str, ours: u64, theirs: &Value| {
        total += 1;
        if theirs.as_u64() != Some(ours) {
            differences.push(format!("{what}: ours {ours}, oracle {theirs}"));
        }
    };
    let (mut firsts, mut seconds, mut pairs) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (name, count) in &ours {
        let (first, second) = name.split_once(" :: ").unzip();
        *firsts.entry(first.unwrap_or(name)).or_insert(0) += count;
        if let Some(second) = second {
            *seconds.entry(second).or_insert(0) += count;
            pairs.insert(*name, *count);
        }
    }
    for (key, ours) in [("histogram", &firsts), ("vopd_second", &seconds), ("vopd_pairs", &pairs)] {
        let theirs = truth[key].as_object().with_context(|| format!("no {key}"))?;
        for (name, count) in theirs {
            compare(name, ours.get(name.as_str()).copied().unwrap_or(0), count);
        }
        for (name, count) in ours.iter().filter(|(name, _)| !theirs.contains_key(**name)) {
            compare(name, *count, &Value::from(0));
        }
    }
    for (group, count) in truth["groups"].as_object().context("no groups")? {
        // `v_fma` is what begins with `v_fma_`; all others are prefixes as they stand.
        let prefix = if group == "v_fma" { "v_fma_" } else { group };
        let ours = firsts.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, count)| count).sum();
        compare(&format!("group {group}"), ours, count);
    }
    compare("instructions", counts.instructions(), &truth["instructions"]);
    compare("text bytes", code.text_bytes(), &truth["text_bytes"]);
    compare("decoded bytes", code.text_bytes().saturating_sub(counts.zero_bytes), &truth["decoded_bytes"]);
    compare("zero blocks", counts.zero_blocks, &truth["zero_blocks"]);
    compare("unknown words", counts.unknown, &truth["undecoded_words"]);
    Ok((total, differences))
}

/// The bytes of a code object: `elf` is the file itself, `fatbin#N` lies in the file's bundle N, from 0 on,
/// under its triple.
fn code_object(truth: &Value, corpus: &Path) -> Result<Vec<u8>> {
    let path = corpus.join("deb").join(truth["source"].as_str().context("no source")?);
    let place = truth["where"].as_str().context("no place")?;
    let bytes = match place.strip_prefix("fatbin#") {
        None => std::fs::read(&path).with_context(|| path.display().to_string())?,
        Some(bundle) => {
            let triple = truth["triple"].as_str().context("no triple")?;
            CodeObjectPlace::named(&path, bundle.parse()?, triple)?.read()?
        }
    };
    let sha = hex(&Sha256::digest(&bytes));
    ensure!(truth["sha256"].as_str() == Some(&sha), "another code object stands here: {sha}");
    Ok(bytes)
}
