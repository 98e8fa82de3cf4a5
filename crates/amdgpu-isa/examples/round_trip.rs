//! Encodes instructions of machine code again and compares their bytes. Arguments: files that hold code
//! objects anywhere in them, not compressed. An instruction that was seen a short while ago is not encoded
//! again.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use amdgpu_isa::{Decoder, Mode, processor};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What was found in the code of one processor.
#[derive(Default)]
struct Row {
    objects: usize,
    bytes: usize,
    instructions: usize,
    encoded: usize,
    equal: usize,
    /// Of those, how many have bits that no operand has.
    spare: usize,
    /// What does not come back: mnemonic, how often, the first of them.
    wrong: BTreeMap<&'static str, (usize, String)>,
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let mut all = [0; 8];
    all.get_mut(..size)?.copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
    Some(u64::from_le_bytes(all))
}

/// The executable sections of the code object that begins `elf`, and the number of its processor.
fn sections(elf: &[u8]) -> Option<(u8, Vec<&[u8]>)> {
    if number(elf, 18, 2)? != 224 {
        return None;
    }
    let (table, count) = (number(elf, 40, 8)? as usize, number(elf, 60, 2)? as usize);
    let mut all = Vec::new();
    for entry in (0..count).map(|number| table.wrapping_add(64 * number)) {
        if number(elf, entry + 8, 8)? & 4 != 0 && number(elf, entry + 4, 4)? == 1 {
            let (offset, size) = (number(elf, entry + 24, 8)? as usize, number(elf, entry + 32, 8)? as usize);
            all.push(elf.get(offset..offset.checked_add(size)?)?);
        }
    }
    Some((number(elf, 48, 1)? as u8, all))
}

/// Hashes of instructions that were encoded, each in one place only.
struct Seen(Vec<u64>);

impl Seen {
    fn is_new(&mut self, name: &str, bytes: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        (name, bytes).hash(&mut hasher);
        let hash = hasher.finish() | 1;
        let place = (hash >> 40) as usize & (self.0.len() - 1);
        std::mem::replace(&mut self.0[place], hash) != hash
    }
}

impl Row {
    fn add(&mut self, name: &str, code: &[u8], seen: &mut Seen) {
        let decoder = Decoder::for_processor(name, Mode::Correct).unwrap();
        self.bytes += code.len();
        for (at, one) in decoder.instructions(code) {
            self.instructions += 1;
            let bytes = &code[at..at + one.length()];
            if !seen.is_new(name, bytes) {
                continue;
            }
            self.encoded += 1;
            match decoder.encode(&one) {
                Some(found) if found.bytes() == bytes => {
                    self.equal += 1;
                    self.spare += usize::from(found.unused_bits() != 0);
                }
                found => {
                    let text = || {
                        format!("{bytes:02x?} {one} -> {:02x?}", found.map(|found| found.bytes().to_vec()))
                    };
                    self.wrong.entry(one.mnemonic()).or_insert_with(|| (0, text())).0 += 1;
                }
            }
        }
    }
}

fn main() {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut seen = Seen(vec![0; 1 << 24]);
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path).unwrap();
        let mut from = 0;
        // Code objects lie at multiples of four bytes.
        while let Some(at) = file[from..].chunks_exact(4).position(|four| four == b"\x7fELF") {
            let begin = from + 4 * at;
            from = begin + 4;
            let Some((mach, codes)) = sections(&file[begin..]) else { continue };
            let Some(isa) = processor::all().iter().find(|isa| isa.mach == mach) else { continue };
            let row = rows.entry(isa.name).or_default();
            row.objects += 1;
            codes.iter().for_each(|code| row.add(isa.name, code, &mut seen));
        }
    }
    for (name, row) in &rows {
        println!(
            "{name:<16} {:>6} objects {:>8.1} MB {:>11} instructions, {:>9} encoded, {:>9} equal ({} with bits that no operand has), {} not",
            row.objects,
            row.bytes as f64 / 1e6,
            row.instructions,
            row.encoded,
            row.equal,
            row.spare,
            row.encoded - row.equal
        );
        row.wrong.iter().for_each(|(mnemonic, (count, first))| println!("{count:>7} {mnemonic}: {first}"));
    }
    let sum = |part: fn(&Row) -> usize| rows.values().map(part).sum::<usize>();
    println!(
        "all: {} objects, {} instructions, {} encoded, {} not equal",
        sum(|row| row.objects),
        sum(|row| row.instructions),
        sum(|row| row.encoded),
        sum(|row| row.encoded - row.equal)
    );
}
