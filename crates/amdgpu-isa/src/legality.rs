//! Instructions of one processor that another does not have.
//!
//! What counts is the encoding: code is not translated when it is loaded on another processor, so an
//! instruction exists there only if the same bits mean the same instruction, with operands that it takes
//! there.
#![deny(clippy::indexing_slicing)]

use super::decoder::Decoder;
use super::step::Step;
use std::collections::BTreeMap;
use std::ops::Range;

/// Why an instruction does not exist on another processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its bits are no instruction of the other processor.
    Missing,
    /// Its bits are another instruction of the other processor, with this mnemonic.
    Other(u16),
    /// It names registers in a row that begin with an odd one, which the other processor refuses.
    OddRegisters,
}

/// Instructions that another processor does not have, by mnemonic.
pub type Absent = BTreeMap<(u16, Reason), Occurrence>;

/// Adds those of code that comes later.
pub fn merge(all: &mut Absent, more: &Absent) {
    for (key, occurrence) in more {
        match all.get_mut(key) {
            Some(mine) => mine.count += occurrence.count,
            None => {
                all.insert(*key, occurrence.clone());
            }
        }
    }
}

/// Where an instruction occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// How often.
    pub count: u64,
    /// The first kernel that has it, mangled; empty where it stands in none.
    pub first_kernel: String,
}

/// The comparison of two processors over the same machine code.
#[derive(Debug)]
pub struct Legality<'a> {
    /// Decodes for the processor that the code was made for.
    pub own: &'static Decoder,
    /// Decodes for the other.
    pub other: &'static Decoder,
    /// The machine code.
    pub text: &'a [u8],
}

impl Legality<'_> {
    /// Adds the instructions of a part that the other processor does not have.
    pub fn add<'d>(
        &self,
        part: Range<usize>,
        kernel_at: &dyn Fn(usize) -> Option<&'d [u8]>,
        absent: &mut Absent,
    ) {
        let odd_is_refused = self.other.wants_even() && !self.own.wants_even();
        let mut at = part.start;
        while at < part.end {
            let Step::Instruction(own) = self.own.next(self.text, at, part.end) else {
                at += match self.own.next(self.text, at, part.end) {
                    Step::Zeros(bytes) | Step::Unknown(bytes) => bytes.max(1),
                    Step::Instruction(instruction) => usize::from(instruction.length),
                };
                continue;
            };
            let reason = match self.other.next(self.text, at, part.end) {
                Step::Instruction(other) if other == own => {
                    let bytes = self.text.get(at..).unwrap_or_default();
                    let is_odd = odd_is_refused && self.own.names_odd_tuple(own, bytes);
                    is_odd.then_some(Reason::OddRegisters)
                }
                Step::Instruction(other) if other.mnemonic != own.mnemonic => {
                    Some(Reason::Other(other.mnemonic))
                }
                _ => Some(Reason::Missing),
            };
            if let Some(reason) = reason {
                let name = || {
                    let name = kernel_at(at).unwrap_or_default();
                    Occurrence { count: 0, first_kernel: String::from_utf8_lossy(name).into_owned() }
                };
                absent.entry((own.mnemonic, reason)).or_insert_with(name).count += 1;
            }
            at += usize::from(own.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    /// The instructions of gfx908's code that another processor does not have, by name.
    fn absent_of(words: &[u32], processor: &str) -> Vec<(&'static str, Reason, u64)> {
        let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let own = Decoder::for_processor("gfx908", Mode::Correct).unwrap();
        let other = Decoder::for_processor(processor, Mode::Correct).unwrap();
        let mut absent = Absent::new();
        let legality = Legality { own, other, text: &text };
        legality.add(0..text.len(), &|_| None, &mut absent);
        let name = |((mnemonic, reason), found): (&(u16, Reason), &Occurrence)| {
            (super::super::mnemonic(*mnemonic), *reason, found.count)
        };
        absent.iter().map(name).collect()
    }

    /// What LLVM 22's `llvm-mc -mcpu=gfx908 -show-encoding` makes of the instructions behind them; with
    /// `-mcpu=gfx90a` and `-mcpu=gfx942` it refuses the odd ones ("invalid operand for instruction") and
    /// takes the even ones.
    const ODD: [[u32; 2]; 6] = [
        // v_add_f64 v[1:2], v[3:4], v[5:6]
        [0xd2800001, 0x00020b03],
        // v_add_f64 v[2:3], v[4:5], v[7:8]
        [0xd2800002, 0x00020f04],
        // global_load_dwordx2 v[4:5], v[1:2], off
        [0xdc548000, 0x047f0001],
        // ds_read_b64 v[1:2], v3
        [0xd8ec0000, 0x01000003],
        // buffer_load_dwordx4 v[1:4], off, s[0:3], 0
        [0xe05c0000, 0x80000100],
        // v_lshlrev_b64 v[2:3], v1, v[3:4]
        [0xd28f0002, 0x00020701],
    ];
    const EVEN: [[u32; 2]; 6] = [
        // v_add_f64 v[2:3], v[4:5], v[6:7]
        [0xd2800002, 0x00020d04],
        // v_add_f64 v[2:3], v[4:5], s[6:7]
        [0xd2800002, 0x00000d04],
        // global_load_dwordx2 v[4:5], v1, s[0:1]
        [0xdc548000, 0x04000001],
        // ds_read_b64 v[2:3], v3
        [0xd8ec0000, 0x02000003],
        // v_mad_u32_u24 v1, v3, v5, v7
        [0xd1c30001, 0x041e0b03],
        // v_lshlrev_b64 v[2:3], v1, s[2:3]
        [0xd28f0002, 0x00000501],
    ];

    #[test]
    fn registers_in_a_row_begin_with_an_even_one_from_gfx90a_on() {
        for processor in ["gfx90a", "gfx942"] {
            for words in &ODD {
                let absent = absent_of(words, processor);
                assert!(matches!(absent[..], [(_, Reason::OddRegisters, 1)]), "{words:08x?}: {absent:?}");
            }
            for words in &EVEN {
                assert_eq!(absent_of(words, processor), [], "{words:08x?}");
            }
        }
        // gfx906 takes what gfx908 takes.
        assert!(ODD.iter().all(|words| absent_of(words, "gfx906").is_empty()));
    }
}
