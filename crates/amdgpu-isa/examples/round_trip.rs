//! Encodes every instruction of machine code again and compares its bytes. Arguments: a processor and a file that holds nothing but
//! code, one behind the other; `SAMPLE` takes every such instruction alone.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use amdgpu_isa::{Decoder, Mode};
use std::collections::{BTreeMap, HashSet};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sample: usize = std::env::var("SAMPLE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut wrong: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut unused: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let (mut all, mut distinct, mut equal, mut spare) = (0usize, 0usize, 0usize, 0usize);
    for pair in arguments.chunks(2) {
        let code = std::fs::read(&pair[1]).unwrap();
        let decoder = Decoder::for_processor(&pair[0], Mode::Correct).unwrap();
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        for (at, one) in decoder.instructions(&code).step_by(sample) {
            let bytes = &code[at..at + one.length()];
            all += 1;
            if seen.contains(bytes) {
                continue;
            }
            seen.insert(bytes.to_vec());
            distinct += 1;
            let encoded = decoder.encode(&one);
            let shown = || format!("{} {bytes:02x?} {one}", pair[0]);
            match encoded {
                Some(found) if found.bytes() == bytes => {
                    equal += 1;
                    if found.unused_bits() != 0 {
                        spare += 1;
                        unused.entry(one.mnemonic()).or_insert_with(|| (0, shown())).0 += 1;
                    }
                }
                found => {
                    let text =
                        || format!("{} -> {:02x?}", shown(), found.map(|found| found.bytes().to_vec()));
                    wrong.entry(one.mnemonic()).or_insert_with(|| (0, text())).0 += 1;
                }
            }
        }
    }
    for (name, (count, first)) in &wrong {
        println!("{count:>7} {name}: {first}");
    }
    for (name, (count, first)) in unused.iter().take(20) {
        println!("unused bits: {count:>7} {name}: {first}");
    }
    println!(
        "{all} instructions, {distinct} distinct ones of their files: {equal} encoded to the same bytes ({spare} with bits that no operand has), {} not",
        distinct - equal
    );
}
