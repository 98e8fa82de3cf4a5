//! One instruction with its operands.
#![deny(clippy::indexing_slicing)]

use super::encoding::Opcode;
use super::form::{Form, Reader, slot_of};
use super::generation::Generation;
use super::operand::{Operand, Source};
use super::text::Printer;
use super::text::buffer::Text;
use super::text::recent::Key;
use std::fmt;

/// One instruction: its bytes, and what they say. It takes no memory besides its own 32 bytes.
///
/// These are four numbers of eight bytes, because a processor waits where it reads in one piece what was written in several.
#[derive(Clone, Copy)]
pub struct Instruction {
    /// The first sixteen bytes. What lies behind the instruction is not looked at.
    low: u64,
    high: u64,
    /// The four bytes behind them, and above them the bits of the [`Generation`].
    more: u64,
    /// From the lowest bit on: mnemonic (16 bits), form (16), length (8) and width (8) in bytes, the width without a literal.
    what: u64,
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instruction({self})")
    }
}

/// An operand with what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Named {
    /// LLVM's name, such as `vdst` or `src0`.
    pub name: &'static str,
    /// What it is.
    pub operand: Operand,
    /// Whether the instruction writes it; otherwise it reads it.
    pub is_result: bool,
}

impl Instruction {
    /// The instruction that begins `bytes`, once its mnemonic and length are known.
    pub(super) fn new(bytes: &[u8], opcode: Opcode, form: (Form, u8), generation: Generation) -> Instruction {
        let mut whole = [0; 20];
        let count = usize::from(opcode.length).min(bytes.len()).min(20);
        if let (Some(to), Some(from)) = (whole.get_mut(..count), bytes.get(..count)) {
            to.copy_from_slice(from);
        }
        Instruction::of_whole(&whole, opcode, form, generation)
    }

    /// The same where the last bytes may belong to the next instruction.
    #[inline(always)]
    pub(super) fn of_whole(
        bytes: &[u8; 20],
        opcode: Opcode,
        (form, width): (Form, u8),
        generation: Generation,
    ) -> Instruction {
        let dword = |at: usize| {
            let four = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
            u64::from(four.map_or(0, |four| u32::from_le_bytes(*four)))
        };
        let [low, high] = [dword(0) | dword(4) << 32, dword(8) | dword(12) << 32];
        let more = dword(16) | u64::from(generation.bits()) << 32;
        let what = u64::from(opcode.mnemonic)
            | u64::from(form.0) << 16
            | u64::from(opcode.length) << 32
            | u64::from(width) << 40;
        Instruction { low, high, more, what }
    }

    /// The number of its mnemonic.
    #[inline]
    pub fn mnemonic_number(&self) -> u16 {
        self.what as u16
    }

    /// Its mnemonic; of a pair both, with ` :: ` between them.
    #[inline]
    pub fn mnemonic(&self) -> &'static str {
        super::mnemonic(self.mnemonic_number())
    }

    /// Length in bytes, with its literal.
    #[inline]
    pub fn length(&self) -> usize {
        usize::from(self.opcode().length)
    }

    /// The same instruction in a wave of 64 lanes, or of 32: which of them is not in the bytes. Decoders take 32 from gfx10 on.
    #[must_use]
    pub fn in_wave(mut self, lanes: u32) -> Instruction {
        let generation = self.generation().with_wave32(lanes == 32);
        self.more = self.more & 0xffff_ffff | u64::from(generation.bits()) << 32;
        self
    }

    pub(super) fn in_wave_of(self, other: &Instruction) -> Instruction {
        self.in_wave(if other.generation().wave32() { 32 } else { 64 })
    }

    #[inline(always)]
    pub(super) fn opcode(&self) -> Opcode {
        Opcode { mnemonic: self.mnemonic_number(), length: (self.what >> 32) as u8 }
    }

    #[inline(always)]
    pub(super) fn form(&self) -> Form {
        Form((self.what >> 16) as u16)
    }

    /// Width in bytes without a literal.
    #[inline(always)]
    pub(super) fn width(&self) -> u8 {
        (self.what >> 40) as u8
    }

    #[inline(always)]
    pub(super) fn generation(&self) -> Generation {
        Generation::of_bits((self.more >> 32) as u32)
    }

    #[inline(always)]
    pub(super) fn source(&self) -> Source {
        let form = self.form();
        Source {
            word: [self.low, self.high],
            more: self.more as u32,
            width: self.width(),
            length: self.opcode().length,
            form,
            slots: form.layout().1,
            flags: form.effects().flags,
            number: self.mnemonic_number(),
            generation: self.generation(),
        }
    }

    /// Its operands, results first, in LLVM's order. What has no bits in the encoding is left out.
    #[inline]
    pub fn operands(&self) -> impl Iterator<Item = Named> + '_ {
        let results = self.form().layout().0;
        let source = self.source();
        source.slots.iter().enumerate().filter_map(move |(place, slot)| {
            let slot = slot_of(*slot)?;
            let is_result = place < results;
            if !(slot.has_field() || is_result || matches!(slot.reader, Reader::Address { .. })) {
                return None;
            }
            let operand = match source.read(slot, place) {
                Operand::Register(register) => Operand::Register(source.adjusted(slot, register)),
                other => other,
            };
            Some(Named { name: slot.name(), operand, is_result })
        })
    }

    /// Its text, as LLVM writes it, in memory that can be used again.
    pub fn text<'t>(&self, text: &'t mut Text) -> &'t str {
        let key = self.key();
        if let Some(place) = key.as_ref().and_then(|key| text.recent.find(key)) {
            return text.recent.text(place);
        }
        self.write_to(text);
        if let Some(key) = key {
            text.keep(key);
        }
        text.as_str()
    }

    /// What its text depends on; nothing for the few that are longer than sixteen bytes.
    #[inline(always)]
    fn key(&self) -> Option<Key> {
        let (low, high) = match self.length() {
            4 => (self.low & 0xffff_ffff, 0),
            8 => (self.low, 0),
            12 => (self.low, self.high & 0xffff_ffff),
            16 => (self.low, self.high),
            _ => return None,
        };
        Some(Key { low, high, what: self.what, generation: self.generation().bits() })
    }

    #[inline(never)]
    fn write_to(&self, text: &mut Text) {
        text.clear();
        // Writing there cannot fail.
        let _ = Printer { source: self.source(), mnemonic: self.mnemonic(), out: text }.instruction();
    }

    /// Appends its text, as LLVM writes it.
    pub fn write(&self, text: &mut String) {
        text.push_str(self.text(&mut Text::new()));
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut Text::new()))
    }
}
