//! Compares the decoder with `llvm-objdump` on random words: where instructions begin, and their text.
//! Arguments: the path of llvm-objdump, a folder for an object and its listing, how many words, a seed, and
//! processors with their `e_flags` number, such as `gfx1100=0x41`.
//!
//! Half of the words keep the beginning of one before, so that operands, literals and modifiers change where
//! the opcode is known.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use amdgpu_isa::{Decoder, Mode};
use std::collections::BTreeMap;
use std::process::Command;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }
}

/// An ELF file of AMD GPUs with one section of code.
fn object(code: &[u8], machine: u32) -> Vec<u8> {
    let names = b"\0.text\0.shstrtab\0";
    let at = 64 + code.len();
    let table = (at + names.len()).next_multiple_of(8);
    let mut file = b"\x7fELF\x02\x01\x01\x40\x04\0\0\0\0\0\0\0".to_vec();
    file.extend([1u16, 224].iter().flat_map(|half| half.to_le_bytes()));
    file.extend(1u32.to_le_bytes());
    file.extend([0, 0, table as u64].iter().flat_map(|long| long.to_le_bytes()));
    file.extend(machine.to_le_bytes());
    file.extend([64u16, 0, 0, 64, 3, 2].iter().flat_map(|half| half.to_le_bytes()));
    file.extend(code);
    file.extend(names);
    file.resize(table, 0);
    let mut section = |name: u32, kind: u32, flags: u64, offset: usize, size: usize| {
        file.extend([name, kind].iter().flat_map(|word| word.to_le_bytes()));
        file.extend(
            [flags, 0, offset as u64, size as u64, 0, 4, 0].iter().flat_map(|long| long.to_le_bytes()),
        );
    };
    section(0, 0, 0, 0, 0);
    section(1, 1, 6, 64, code.len());
    section(7, 3, 0, at, names.len());
    file
}

/// A text without what LLVM remarks on registers that the assembler would refuse.
fn without_remarks(text: &str) -> String {
    let mut parts = text.split("/*Invalid register");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once("*/").map_or("", |(_, rest)| rest))
}

/// Addresses and texts of a listing; words that are no instruction are left out.
fn listed(listing: &str) -> BTreeMap<usize, String> {
    let line = |line: &str| {
        let (text, rest) = line.rsplit_once("// ")?;
        let at = usize::from_str_radix(rest.split_once(':')?.0, 16).ok()?;
        let text = without_remarks(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        (!text.starts_with(".long")).then_some((at, text))
    };
    listing.lines().filter_map(line).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [objdump, folder, words, seed, processors @ ..] = arguments.as_slice() else { return };
    let (words, seed): (usize, u64) = (words.parse().unwrap(), seed.parse().unwrap());
    for processor in processors {
        let (name, machine) = processor.split_once('=').unwrap();
        let machine = u32::from_str_radix(machine.trim_start_matches("0x"), 16).unwrap();
        let mut random = Random(seed | 1);
        let mut code = Vec::new();
        let mut begin = 0;
        while code.len() < 4 * words {
            let word = random.next();
            if word & 1 == 0 {
                begin = random.next();
            }
            let kept = 0xffff_ffff << (random.next() & 15);
            code.extend((begin & kept | word & !kept).to_le_bytes());
            code.extend(random.next().to_le_bytes());
        }
        // The last instruction can end.
        code.extend([0; 32]);
        let path = format!("{folder}/{name}.o");
        std::fs::write(&path, object(&code, machine)).unwrap();
        let halves = name.starts_with("gfx12").then_some("--mattr=+real-true16");
        let out = Command::new(objdump).args(["-d", "-z", &path]).args(halves).output().unwrap();
        let theirs = listed(&String::from_utf8_lossy(&out.stdout));
        let decoder = Decoder::for_processor(name, Mode::LikeLlvm).unwrap();
        let spelled = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let ours: BTreeMap<usize, String> =
            decoder.instructions(&code).map(|(at, one)| (at, spelled(one.to_string()))).collect();
        let mut different: BTreeMap<String, Vec<String>> = BTreeMap::new();
        // LLVM's disassembler ends itself on some words.
        let last = theirs.keys().last().copied().unwrap_or(0);
        let places: std::collections::BTreeSet<usize> = theirs.keys().chain(ours.keys()).copied().collect();
        for at in &places {
            if *at > last {
                break;
            }
            let [own, other] = [&ours, &theirs].map(|all| all.get(at).map_or("", String::as_str));
            // Targets of branches have the symbol behind them in a listing.
            if own != other && other.split(" <").next() != Some(own) {
                let kind = [other, own].iter().find(|text| !text.is_empty()).map_or("", |text| text);
                let kind = kind.split(' ').next().unwrap_or_default().to_owned();
                let bytes: Vec<String> =
                    code[*at..(*at + 16).min(code.len())].iter().map(|byte| format!("{byte:02x}")).collect();
                let row = format!("{at:#x} {}\n     llvm {other}\n     ours {own}", bytes.concat());
                different.entry(kind).or_default().push(row);
            }
        }
        let count: usize = different.values().map(Vec::len).sum();
        println!(
            "{name}: {} words, {} of them listed by LLVM, {} instructions of LLVM, {count} places differ",
            code.len() / 4,
            last / 4,
            theirs.len()
        );
        for (kind, rows) in &different {
            println!("  {:>7} {kind}", rows.len());
            rows.iter().take(2).for_each(|row| println!("     {row}"));
        }
    }
}
