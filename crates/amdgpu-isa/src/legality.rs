//! Instructions of one processor that another does not have.
//!
//! What counts is the encoding: code is not translated when it is loaded on another processor, so an
//! instruction exists there only if the same bits mean the same instruction, with operands that it takes
//! there.
#![deny(clippy::indexing_slicing)]

use super::decoder::Decoder;
use super::encoding::Opcode;
use super::instruction::Instruction;
use super::other_names::is_other_name;
use super::step::Step;
use super::text::buffer::Text;
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Why an instruction does not exist on another processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its bits are no instruction of the other processor.
    Missing,
    /// Its bits are another instruction of the other processor, with this mnemonic.
    Other(u16),
    /// It names registers in a row that begin with an odd one, which the other processor refuses.
    OddRegisters,
    /// Its bits are the same instruction with other operands: another register, cache bit, modifier or
    /// constant.
    OtherOperands,
    /// It has bits that the other processor's encoding gives no meaning, and its assembler would not write.
    UnknownBits,
}

/// Instructions of some code that another processor does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absent {
    rows: BTreeMap<(u16, Reason), Occurrence>,
    needs: BTreeMap<KernelNeed, NeedOccurrence>,
    kernels: u64,
    outside: u64,
    first_kernels: Vec<String>,
}

/// What a kernel's descriptor asks for that another processor cannot give, whatever its instructions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelNeed {
    /// More memory of the work-group than one can have there, in bytes.
    Lds,
    /// Waves of so many lanes, which it does not have.
    Lanes,
}

/// Kernels that ask for the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NeedOccurrence {
    /// How many.
    pub kernels: u64,
    /// The most that one of them asks for.
    pub most: u32,
    /// The first of them, mangled.
    pub first_kernel: String,
}

/// Where an instruction occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occurrence {
    /// How often.
    pub count: u64,
    /// Kernels that have it.
    pub kernels: u64,
    /// The first kernel that has it, mangled; empty where it stands in none.
    pub first_kernel: String,
    /// Of one with other operands: its text for its own processor and for the other one.
    pub texts: Option<[String; 2]>,
}

/// Names of kernels that [`Absent`] keeps.
const NAMED_KERNELS: usize = 8;

impl Absent {
    /// The instructions by mnemonic and reason.
    pub fn rows(&self) -> impl Iterator<Item = (u16, Reason, &Occurrence)> {
        self.rows.iter().map(|(&(mnemonic, reason), found)| (mnemonic, reason, found))
    }

    /// What descriptors of kernels ask for and the other processor does not have.
    pub fn needs(&self) -> impl Iterator<Item = (KernelNeed, &NeedOccurrence)> {
        self.needs.iter().map(|(&need, found)| (need, found))
    }

    /// Kernels with at least one such instruction, or that ask for what is not there.
    pub fn kernels(&self) -> u64 {
        self.kernels
    }

    /// Such instructions in functions that kernels may call, and elsewhere outside of kernels.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// The names of the first such kernels, mangled.
    pub fn first_kernels(&self) -> &[String] {
        &self.first_kernels
    }

    /// Adds those of code that comes later. No kernel may lie in both.
    pub fn merge(&mut self, more: &Absent) {
        for (key, occurrence) in &more.rows {
            match self.rows.get_mut(key) {
                Some(mine) => {
                    mine.count += occurrence.count;
                    mine.kernels += occurrence.kernels;
                }
                None => {
                    self.rows.insert(*key, occurrence.clone());
                }
            }
        }
        for (need, found) in &more.needs {
            let mine = self.needs.entry(*need).or_insert_with(|| NeedOccurrence {
                first_kernel: found.first_kernel.clone(),
                ..NeedOccurrence::default()
            });
            mine.kernels += found.kernels;
            mine.most = mine.most.max(found.most);
        }
        self.kernels += more.kernels;
        self.outside += more.outside;
        let room = NAMED_KERNELS.saturating_sub(self.first_kernels.len());
        self.first_kernels.extend(more.first_kernels.iter().take(room).cloned());
    }
}

/// Whether the same bits are the same instruction, which can have another name there.
fn is_same(own: Opcode, other: Opcode) -> bool {
    own == other || own.length == other.length && is_other_name(own.mnemonic, other.mnemonic)
}

/// The comparison of two processors over the same machine code, part by part in the order of addresses.
#[derive(Debug)]
pub struct Legality<'a> {
    /// Decodes for the processor that the code was made for.
    own: &'a Decoder,
    /// Decodes for the other.
    other: &'a Decoder,
    /// The machine code.
    text: &'a [u8],
    absent: Absent,
    /// Where the kernel begins whose instructions come now.
    kernel: Option<usize>,
    /// What of it was counted.
    counted: BTreeSet<(u16, Reason)>,
    texts: [Text; 2],
    /// What was found of instructions, by their bytes: most come again. Each has one place.
    known: Vec<Known>,
}

/// An instruction that was compared: its bytes, at most sixteen, its length, and what was found.
type Known = (u128, u8, Option<Reason>);

/// Places for instructions that were compared.
const KNOWN: usize = 1 << 12;

impl<'a> Legality<'a> {
    /// Begins with no part of `text`.
    pub fn new(own: &'a Decoder, other: &'a Decoder, text: &'a [u8]) -> Self {
        let texts = [Text::new(), Text::new()];
        Legality {
            own,
            other,
            text,
            absent: Absent::default(),
            kernel: None,
            counted: BTreeSet::new(),
            texts,
            known: Vec::new(),
        }
    }

    /// What was found.
    pub fn into_absent(self) -> Absent {
        self.absent
    }

    /// Begins a kernel at an offset, whose descriptor asks for so many bytes of LDS and waves of so many lanes. Its
    /// parts come next.
    pub fn begin_kernel(&mut self, start: usize, kernel: &[u8], (lds, lanes): (u32, u32)) {
        // Processors with the same instructions have the same LDS and waves (a test).
        let Some(on) = self.other.isa() else { return };
        let is_beyond = on.addressable_lds().is_some_and(|most| lds > most);
        let needs = [
            (is_beyond, KernelNeed::Lds, lds),
            (on.vector_registers(lanes).is_none(), KernelNeed::Lanes, lanes),
        ];
        for (_, need, asked) in needs.into_iter().filter(|(is_missing, ..)| *is_missing) {
            self.enter(Some((start, kernel)));
            let found = self.absent.needs.entry(need).or_insert_with(|| NeedOccurrence {
                first_kernel: String::from_utf8_lossy(kernel).into_owned(),
                ..NeedOccurrence::default()
            });
            found.kernels += 1;
            found.most = found.most.max(asked);
        }
    }

    /// Looks at a part. `kernel_at` gives where the kernel at an offset begins, and its name.
    pub fn add<'d>(&mut self, part: Range<usize>, kernel_at: &dyn Fn(usize) -> Option<(usize, &'d [u8])>) {
        if core::ptr::eq(self.own, self.other) {
            return;
        }
        let mut at = part.start;
        while at < part.end {
            let step = self.own.next(self.text, at, part.end);
            let Step::Instruction(own) = step else {
                at += step.length().max(1);
                continue;
            };
            let mut texts = None;
            let reason = match self.other.next(self.text, at, part.end) {
                Step::Instruction(other) if is_same(own, other) => {
                    self.of_operands(own, other, at, &mut texts)
                }
                Step::Instruction(other) if other.mnemonic != own.mnemonic => {
                    Some(Reason::Other(other.mnemonic))
                }
                _ => Some(Reason::Missing),
            };
            if let Some(reason) = reason {
                self.note((own.mnemonic, reason), kernel_at(at), texts);
            }
            at += usize::from(own.length);
        }
    }

    /// Why the same instruction has operands that the other processor does not take.
    fn of_operands(
        &mut self,
        own: Opcode,
        other: Opcode,
        at: usize,
        texts: &mut Option<[String; 2]>,
    ) -> Option<Reason> {
        let bytes = self.text.get(at..).unwrap_or_default();
        let mut word = [0; 16];
        let length = usize::from(own.length).min(bytes.len()).min(16);
        word.get_mut(..length)?.copy_from_slice(bytes.get(..length)?);
        let word = u128::from_le_bytes(word);
        let mixed = (word as u64 ^ (word >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 52) as usize;
        // What is longer than sixteen bytes is not remembered.
        let remembered = self.known.get(place).filter(|known| known.0 == word && known.1 == own.length);
        if let Some(&(_, _, reason)) = remembered.filter(|_| own.length <= 16) {
            // Its row has texts already.
            return reason;
        }
        let odd_is_refused = self.other.wants_even() && !self.own.wants_even();
        let reason = if odd_is_refused && self.own.names_odd_tuple(own, bytes) {
            Some(Reason::OddRegisters)
        } else {
            let here = self.own.with_operands(own, bytes)?;
            let there = self.other.with_operands(other, bytes)?;
            self.compared(&here, &there, texts)
        };
        if self.known.is_empty() {
            self.known.resize(KNOWN, (0, 0, None));
        }
        if let Some(known) = self.known.get_mut(place) {
            *known = (word, own.length, reason);
        }
        reason
    }

    fn compared(
        &mut self,
        here: &Instruction,
        there: &Instruction,
        texts: &mut Option<[String; 2]>,
    ) -> Option<Reason> {
        let [mine, others] = &mut self.texts;
        let (own, other) = (here.text(mine), there.text(others));
        let operands = |text: &str| text.split_once(' ').map(|(_, rest)| rest.to_owned());
        if own != other && operands(own) != operands(other) {
            *texts = Some([own.to_owned(), other.to_owned()]);
            return Some(Reason::OtherOperands);
        }
        let unused =
            |decoder: &Decoder, one: &Instruction| decoder.encode(one).map(|found| found.unused_bits());
        let (mine, others) = (unused(self.own, here)?, unused(self.other, there)?);
        (others & !mine != 0).then_some(Reason::UnknownBits)
    }

    /// Counts a kernel that does not run, or an instruction that stands in none.
    fn enter(&mut self, kernel: Option<(usize, &[u8])>) {
        let start = kernel.map(|(start, _)| start);
        if start != self.kernel || start.is_none() {
            self.counted.clear();
            self.kernel = start;
            match kernel {
                Some((_, own)) => {
                    self.absent.kernels += 1;
                    if self.absent.first_kernels.len() < NAMED_KERNELS {
                        self.absent.first_kernels.push(String::from_utf8_lossy(own).into_owned());
                    }
                }
                None => self.absent.outside += 1,
            }
        }
    }

    fn note(&mut self, key: (u16, Reason), kernel: Option<(usize, &[u8])>, texts: Option<[String; 2]>) {
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        self.enter(kernel);
        let row = self.absent.rows.entry(key).or_insert_with(|| Occurrence {
            first_kernel: kernel.map(|(_, own)| name(own)).unwrap_or_default(),
            texts,
            ..Occurrence::default()
        });
        row.count += 1;
        if kernel.is_some() && self.counted.insert(key) {
            row.kernels += 1;
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
        let mut legality = Legality::new(own, other, &text);
        legality.add(0..text.len(), &|_| None);
        let absent = legality.into_absent();
        absent
            .rows()
            .map(|(number, reason, found)| (super::super::mnemonic(number), reason, found.count))
            .collect()
    }

    #[test]
    fn kernels_that_ask_for_more_than_there_is_do_not_run() {
        use super::super::processor::{Isa, all};
        // What is asked of a family's first processor holds for all of it.
        for isa in all() {
            for name in isa.family() {
                let other = Isa::by_name(name).unwrap();
                assert_eq!(isa.addressable_lds(), other.addressable_lds(), "{name}");
                for lanes in [32, 64] {
                    assert_eq!(
                        isa.vector_registers(lanes).is_some(),
                        other.vector_registers(lanes).is_some()
                    );
                }
            }
        }
        let decoder = |name: &str| Decoder::for_processor(name, Mode::Correct).unwrap();
        // LDS of a work-group: 64 KiB on gfx942, 160 KiB on gfx950 (LLVM 22, addressablelocalmemorysize).
        let mut legality = Legality::new(decoder("gfx950"), decoder("gfx942"), &[]);
        legality.begin_kernel(0, b"most", (65_536, 64));
        legality.begin_kernel(256, b"more", (65_537, 64));
        legality.begin_kernel(512, b"all", (163_840, 64));
        let absent = legality.into_absent();
        let [(KernelNeed::Lds, found)] = absent.needs().collect::<Vec<_>>()[..] else { panic!("{absent:?}") };
        assert_eq!((found.kernels, found.most, found.first_kernel.as_str()), (2, 163_840, "more"));
        assert_eq!(
            (absent.kernels(), absent.first_kernels()),
            (2, &["more".to_owned(), "all".to_owned()][..])
        );
        // gfx1250 has waves of 32 lanes alone.
        let mut legality = Legality::new(decoder("gfx1201"), decoder("gfx1250"), &[]);
        legality.begin_kernel(0, b"wide", (0, 64));
        legality.begin_kernel(256, b"narrow", (0, 32));
        let absent = legality.into_absent();
        let [(KernelNeed::Lanes, found)] = absent.needs().collect::<Vec<_>>()[..] else {
            panic!("{absent:?}")
        };
        assert_eq!((found.kernels, found.most, absent.kernels()), (1, 64, 1));
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

    /// What LLVM 22's llvm-mc makes of these for gfx90a, and what its llvm-objdump says of the bytes for
    /// gfx942.
    #[test]
    fn operands_that_mean_something_else_are_told() {
        let own = Decoder::for_processor("gfx90a", Mode::Correct).unwrap();
        let other = Decoder::for_processor("gfx942", Mode::Correct).unwrap();
        // global_load_dword v4, v1, s[0:1] glc: gfx942 has sc0 in this bit.
        let cached = [0xdc518000_u32, 0x04000001];
        // global_load_dword v4, v1, s[0:1]: the same on both.
        let plain = [0xdc508000_u32, 0x04000001];
        let text: Vec<u8> =
            [cached, plain, cached].concat().iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut legality = Legality::new(own, other, &text);
        let kernels: [(usize, &[u8]); 2] = [(0, b"first"), (16, b"second")];
        legality.add(0..text.len(), &|at| kernels.into_iter().rev().find(|(start, _)| *start <= at));
        let absent = legality.into_absent();
        let rows: Vec<_> = absent.rows().collect();
        let [(_, Reason::OtherOperands, found)] = rows[..] else { panic!("{rows:?}") };
        assert_eq!((found.count, found.kernels, absent.kernels(), absent.outside()), (2, 2, 2, 0));
        let [here, there] = found.texts.clone().unwrap();
        assert_eq!(here, "global_load_dword v4, v1, s[0:1] glc");
        assert_eq!(there, "global_load_dword v4, v1, s[0:1] sc0");
        assert_eq!(absent.first_kernels(), ["first", "second"]);
    }

    /// LLVM 22's llvm-mc takes the names of gfx90a for gfx942 and writes the same bytes; gfx908's assembler
    /// leaves the bit clear that says on gfx90a that the result is in accumulation registers.
    #[test]
    fn matrix_products_have_two_names_and_a_bit_that_gfx908_does_not_know() {
        let number = |name: &str| super::super::mnemonic_number(name).unwrap();
        for (older, newer) in [
            ("v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"),
            ("v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16"),
            ("v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64"),
        ] {
            assert!(is_other_name(number(older), number(newer)), "{older}");
        }
        assert!(!is_other_name(number("v_mfma_f32_16x16x4f32"), number("v_mfma_f32_16x16x16_f16")));
        assert!(!is_other_name(number("v_mad_mix_f32"), number("v_fma_mix_f32")));
        // v_mfma_f32_16x16x16f16 a[0:3], v[8:9], v[0:1], a[0:3] for gfx90a
        let text: Vec<u8> = [0xd3cd8000_u32, 0x04020108].iter().flat_map(|word| word.to_le_bytes()).collect();
        let found = |other: &str| {
            let decoder = |name: &str| Decoder::for_processor(name, Mode::Correct).unwrap();
            let mut legality = Legality::new(decoder("gfx90a"), decoder(other), &text);
            legality.add(0..text.len(), &|_| None);
            legality.into_absent().rows().map(|(_, reason, _)| reason).collect::<Vec<_>>()
        };
        assert_eq!(found("gfx908"), [Reason::UnknownBits]);
        assert_eq!(found("gfx942"), []);
    }
}
