//! One instruction with its operands.
#![deny(clippy::indexing_slicing)]

use super::encoding::Opcode;
use super::form::{Form, Reader};
use super::generation::Generation;
use super::operand::{Operand, Source};
use super::text::Printer;
use super::text::buffer::Text;
use std::fmt;

/// One instruction: its bytes, and what they say. It takes no memory besides its own 48 bytes.
#[derive(Clone, Copy)]
pub struct Instruction {
    /// The encoding without a literal, and what follows it.
    word: [u64; 2],
    literal: u64,
    more: u32,
    opcode: Opcode,
    /// Width in bytes without a literal.
    width: u8,
    form: Form,
    generation: Generation,
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
        // What follows the encoding, and what follows the first eight bytes of that.
        let (word, literal, more) = match width {
            4 => ([low & 0xffff_ffff, 0], low >> 32 | high << 32, high >> 32),
            8 => ([low, 0], high, dword(16)),
            12 => ([low, high & 0xffff_ffff], high >> 32 | dword(16) << 32, 0),
            _ => ([low, high], dword(16), 0),
        };
        let (literal, more) = match opcode.length.saturating_sub(width) {
            0..=3 => (0, 0),
            4..=7 => (literal & 0xffff_ffff, 0),
            8..=11 => (literal, 0),
            _ => (literal, more as u32),
        };
        Instruction { word, literal, more, opcode, width, form, generation }
    }

    /// The number of its mnemonic.
    pub fn mnemonic_number(&self) -> u16 {
        self.opcode.mnemonic
    }

    /// Its mnemonic; of a pair both, with ` :: ` between them.
    #[inline]
    pub fn mnemonic(&self) -> &'static str {
        super::mnemonic(self.opcode.mnemonic)
    }

    /// Length in bytes, with its literal.
    #[inline]
    pub fn length(&self) -> usize {
        usize::from(self.opcode.length)
    }

    /// The same instruction in a wave of 64 lanes, or of 32: which of them is not in the bytes. Decoders take 32 from gfx10 on.
    #[must_use]
    pub fn in_wave(mut self, lanes: u32) -> Instruction {
        self.generation.wave32 = lanes == 32;
        self
    }

    pub(super) fn in_wave_of(self, other: &Instruction) -> Instruction {
        self.in_wave(if other.generation.wave32 { 32 } else { 64 })
    }

    pub(super) fn opcode(&self) -> Opcode {
        self.opcode
    }

    /// Width in bytes without a literal.
    pub(super) fn width(&self) -> u8 {
        self.width
    }

    pub(super) fn generation(&self) -> Generation {
        self.generation
    }

    #[inline(always)]
    pub(super) fn source(&self) -> Source {
        let [low, high] = self.word;
        Source {
            word: u128::from(low) | u128::from(high) << 64,
            literal: self.literal,
            more: self.more,
            form: self.form,
            flags: self.form.effects().flags,
            number: self.opcode.mnemonic,
            generation: self.generation,
        }
    }

    /// Its operands, results first, in LLVM's order. What has no bits in the encoding is left out.
    #[inline]
    pub fn operands(&self) -> impl Iterator<Item = Named> + '_ {
        let (results, slots) = self.form.layout();
        let source = self.source();
        (0..slots.len()).filter_map(move |place| {
            let slot = source.form.slot(place)?;
            let is_there =
                !slot.pieces().is_empty() || place < results || matches!(slot.reader, Reader::Address { .. });
            let operand = match source.read(slot, place) {
                Operand::Register(register) => Operand::Register(source.adjusted(slot.name(), register)),
                other => other,
            };
            is_there.then_some(Named { name: slot.name(), operand, is_result: place < results })
        })
    }

    /// Its text, as LLVM writes it, in memory that can be used again.
    pub fn text<'t>(&self, text: &'t mut Text) -> &'t str {
        text.clear();
        // Writing there cannot fail.
        let _ = Printer { source: self.source(), mnemonic: self.mnemonic(), out: text }.instruction();
        text.as_str()
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
