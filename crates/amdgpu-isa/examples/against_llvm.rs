//! Compares the text of instructions with what LLVM prints: rows of processor, bytes in hexadecimal and text,
//! with tabs between them, from files that are named. A `/w64` or `/t16` behind the processor chooses waves
//! of 64 lanes, or means nothing.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use amdgpu_isa::{Decoder, File, Half, Instruction, Mode, Register};
use std::collections::{BTreeMap, BTreeSet};

/// Registers as halves of single ones.
fn units(registers: impl Iterator<Item = Register>) -> BTreeSet<String> {
    let mut units = BTreeSet::new();
    for register in registers {
        let text = register.to_string();
        let first = register.index();
        match register.file() {
            File::Special => units.extend(special(&text)),
            file => {
                for index in first..first + u16::from(register.count()) {
                    let name = match file {
                        File::Vector => "v",
                        File::Accumulation => "a",
                        File::Scalar => "s",
                        _ => "ttmp",
                    };
                    match register.half() {
                        Some(Half::Low) => units.insert(format!("{name}{index}.l")),
                        Some(Half::High) => units.insert(format!("{name}{index}.h")),
                        None => {
                            units.insert(format!("{name}{index}.l"))
                                | units.insert(format!("{name}{index}.h"))
                        }
                    };
                }
            }
        }
    }
    units
}

fn special(text: &str) -> Vec<String> {
    match text {
        "vcc" | "exec" | "flat_scratch" | "xnack_mask" | "tba" | "tma" => {
            vec![format!("{text}_lo"), format!("{text}_hi")]
        }
        "src_private_base_lo" | "src_shared_base_lo" | "src_private_limit_lo" | "src_shared_limit_lo" => {
            vec![text.trim_end_matches("_lo").to_owned()]
        }
        "src_scc" => vec!["scc".to_owned()],
        "src_lds_direct" => vec!["lds_direct".to_owned()],
        _ => vec![text.to_owned()],
    }
}

fn spelled(text: &str) -> BTreeSet<String> {
    let mut units = BTreeSet::new();
    for part in text.split([',', '|']).filter(|part| !part.is_empty()) {
        let digits = part.find(|c: char| c.is_ascii_digit() || c == '[');
        let file = digits.and_then(|at| part.get(..at)).filter(|file| ["v", "a", "s", "ttmp"].contains(file));
        let Some(file) = file else {
            units.extend(special(part));
            continue;
        };
        let rest = &part[file.len()..];
        let (body, half) = match rest.split_once('.') {
            Some((body, half)) => (body, Some(half)),
            None => (rest, None),
        };
        let body = body.trim_matches(['[', ']']);
        let (first, last) = body.split_once(':').unwrap_or((body, body));
        for index in first.parse::<u32>().unwrap()..=last.parse::<u32>().unwrap() {
            for one in ["l", "h"].into_iter().filter(|one| half.is_none_or(|half| half == *one)) {
                units.insert(format!("{file}{index}.{one}"));
            }
        }
    }
    units
}

fn main() {
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let most: usize = std::env::var("SHOWN").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let only = std::env::var("ONLY").unwrap_or_default();
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap();
        let rows = || text.lines().filter(|line| !line.starts_with('#'));
        // With halves of registers another text holds for some bytes of gfx12.
        let mut halves = std::collections::HashMap::new();
        for row in rows() {
            let mut columns = row.split('\t');
            let (processor, bytes, text) =
                (columns.next().unwrap(), columns.next().unwrap(), columns.next().unwrap());
            if let Some(processor) = processor.strip_suffix("/t16") {
                halves.insert((processor, bytes), text);
            }
        }
        let tests = file.contains("mc-tests");
        for row in rows() {
            let columns: Vec<&str> = row.split('\t').collect();
            let (name, hex, mut expected) = (columns[0], columns[1], columns[2]);
            let options = if tests { columns[3] } else { "" };
            if tests && (columns[9] != "same" || options.contains("-real-true16")) {
                continue;
            }
            let (processor, how) = name.split_once('/').unwrap_or((name, ""));
            let processor = match processor {
                "tonga" => "gfx802",
                "fiji" => "gfx803",
                other => other,
            };
            if let Some(text) = halves.get(&(processor, hex)) {
                expected = text;
            }
            if !only.is_empty() && !processor.starts_with(&only) {
                continue;
            }
            let key = if tests { format!("test {processor} {options}") } else { name.to_owned() };
            let bytes: Vec<u8> = (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect();
            let decoder = Decoder::for_processor(processor, Mode::LikeLlvm).unwrap();
            let wave64 = how == "w64"
                || options.to_lowercase().contains("wavefrontsize64") && !options.contains("wavefrontsize32");
            let found = decoder.instruction(&bytes);
            let ours =
                found.map(|one| if wave64 { one.in_wave(64) } else { one }.to_string()).unwrap_or_default();
            let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (ours, expected) = (squeeze(&ours), squeeze(expected));
            let (reads, writes) = if tests { (columns[4], columns[5]) } else { (columns[3], columns[4]) };
            let count = counts.entry(key).or_default();
            let wave = |one: Instruction| if wave64 { one.in_wave(64) } else { one };
            if let Some(one) = found.map(wave).filter(|_| {
                std::env::var("EFFECTS").is_ok()
                    && ours == expected
                    && !halves.contains_key(&(processor, hex))
            }) {
                let ours = (units(one.reads()), units(one.writes()));
                let theirs = (spelled(reads), spelled(writes));
                if ours != theirs {
                    let corrected: Vec<String> = one.corrections().map(|one| format!("{one:?}")).collect();
                    let corrected = corrected.join(" ");
                    let called = if corrected.is_empty() {
                        count[2] += 1;
                        one.mnemonic().to_owned()
                    } else {
                        format!("corrected: {corrected}")
                    };
                    let kind = format!("effects {} {called}", &processor[..5.min(processor.len())]);
                    let less = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
                        a.difference(b).cloned().collect::<Vec<_>>().join(" ")
                    };
                    shown.entry(kind).or_default().push(format!(
                        "{name} {hex} {expected}\n   reads: ours not {}, theirs not {}; writes: ours not {}, theirs not {}",
                        less(&theirs.0, &ours.0), less(&ours.0, &theirs.0), less(&theirs.1, &ours.1), less(&ours.1, &theirs.1)
                    ));
                }
            }
            if ours == expected {
                count[0] += 1;
            } else {
                count[1] += 1;
                let mnemonic = expected.split(' ').next().unwrap_or_default();
                let kind = format!("{} {mnemonic}", &processor[..5.min(processor.len())]);
                let list = shown.entry(kind).or_default();
                list.push(format!("{name} {options} {hex}\n   llvm {expected}\n   ours {ours}"));
            }
        }
    }
    let mut kinds: Vec<_> = shown.into_iter().collect();
    kinds.sort_by_key(|(_, list)| std::cmp::Reverse(list.len()));
    for (kind, list) in kinds.iter().take(60) {
        println!("{:>7} {kind}", list.len());
        list.iter().take(most).for_each(|line| println!("  {line}"));
    }
    for (key, [equal, different, effects]) in &counts {
        println!(
            "{key:<60} {equal:>8} equal {different:>7} different, {effects} in what they read and write"
        );
    }
    let sum = |n: usize| counts.values().map(|count| count[n]).sum::<usize>();
    println!(
        "{:<60} {:>8} equal {:>7} different, {} in what they read and write",
        "all",
        sum(0),
        sum(1),
        sum(2)
    );
}
