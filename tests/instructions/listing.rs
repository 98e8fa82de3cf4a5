//! `fatbin --isa KERNEL --listing` beside what llvm-objdump 22 prints of the same files.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/instructions")
}

fn run(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rocm-audit")).args(words).current_dir(folder()).output().unwrap()
}

/// An instruction: address, bytes in hexadecimal, mnemonic, and where it leads.
type Line = (u64, String, String, Option<u64>);

/// Instructions by symbol, as llvm-objdump prints them.
fn objdump(arch: &str) -> BTreeMap<String, Vec<Line>> {
    let text = std::fs::read_to_string(folder().join(format!("kernels_{arch}.objdump.txt"))).unwrap();
    let mut all: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut targets = Vec::new();
    let mut starts = BTreeMap::new();
    let mut symbol = String::new();
    for line in text.lines() {
        let Some(instruction) = line.strip_prefix('\t') else {
            // `0000000000003b00 <real_dot>:`
            let (address, name) = line.split_once(" <").unwrap();
            symbol = name.trim_end_matches(">:").to_owned();
            starts.insert(symbol.clone(), u64::from_str_radix(address, 16).unwrap());
            continue;
        };
        // `s_cbranch_execz 44 // 000000003E14: BF88002C <real_lds+0xc8>`
        // `...` stands for zeros.
        let Some((code, place)) = instruction.split_once("// ") else { continue };
        let (address, rest) = place.split_once(": ").unwrap();
        let (words, label) = rest.split_once(" <").unwrap_or((rest, ""));
        let bytes: String = words
            .split_whitespace()
            .flat_map(|word| u32::from_str_radix(word, 16).unwrap().to_le_bytes())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mnemonic = code.split_whitespace().next().unwrap().to_owned();
        if mnemonic.starts_with("s_cbranch") || mnemonic.starts_with("s_branch") {
            targets.push((
                symbol.clone(),
                all.get(&symbol).map_or(0, Vec::len),
                label.trim_end_matches('>').to_owned(),
            ));
        }
        let line = (u64::from_str_radix(address, 16).unwrap(), bytes, mnemonic, None);
        all.entry(symbol.clone()).or_default().push(line);
    }
    for (symbol, place, label) in targets {
        let (name, offset) = label.split_once("+0x").unwrap_or((&label, "0"));
        let target = starts[name] + u64::from_str_radix(offset, 16).unwrap();
        all.get_mut(&symbol).unwrap()[place].3 = Some(target);
    }
    all
}

#[test]
fn a_listing_is_what_llvm_prints() {
    for arch in ["gfx900", "gfx1100"] {
        let output = run(&["fatbin", "--isa=.", "--listing", &format!("kernels_{arch}.co"), "-f", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected = objdump(arch);
        let (mut lines, mut branches) = (0, 0);
        for kernel in report["files"][0]["kernel_instructions"].as_array().unwrap() {
            let theirs = &expected[kernel["name"].as_str().unwrap()];
            let listing = kernel["listing"].as_array().unwrap();
            let real = listing.iter().filter(|line| !line["mnemonic"].is_null());
            for (line, (address, bytes, mnemonic, target)) in real.zip(theirs) {
                assert_eq!(line["address"], *address, "{arch}");
                assert_eq!(line["bytes"], **bytes, "{arch} {address:x}");
                // LLVM writes both halves of a pair; the first is what its line begins with.
                let own = line["mnemonic"].as_str().unwrap().split(" :: ").next().unwrap();
                assert_eq!(own, mnemonic, "{arch} {address:x}");
                assert_eq!(line["target"].as_u64(), *target, "{arch} {address:x}");
                branches += u32::from(target.is_some());
                lines += 1;
            }
            assert_eq!(kernel["instructions"].as_u64().unwrap(), listing.len() as u64, "{arch}");
        }
        assert!(lines > 250 && branches > 4, "{arch}: {lines} lines, {branches} branches");
    }
}

#[test]
fn a_listing_needs_a_name_of_a_kernel() {
    for words in [
        &["fatbin", "--listing", "kernels_gfx900.co"][..],
        &["fatbin", "kernels_gfx900.co", "--isa", "--listing"],
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
