//! One instruction with its operands.
#![deny(clippy::indexing_slicing)]

use super::encoding::Opcode;
use super::form::{Form, Reader, slot_of};
use super::generation::Generation;
use super::operand::{Operand, Source};
use super::text::Printer;
use super::text::buffer::Text;
use std::fmt;

/// One instruction: its bytes, and what they say. It takes no memory besides its own 40 bytes.
#[derive(Clone, Copy)]
pub struct Instruction {
    /// The first sixteen bytes, and the four behind them. What lies behind the instruction is not looked at.
    word: [u64; 2],
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
        Instruction { word: [low, high], more: dword(16) as u32, opcode, width, form, generation }
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

    pub(super) fn form(&self) -> Form {
        self.form
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
        Source {
            word: self.word,
            more: self.more,
            width: self.width,
            length: self.opcode.length,
            form: self.form,
            slots: self.form.layout().1,
            flags: self.form.effects().flags,
            number: self.opcode.mnemonic,
            generation: self.generation,
        }
    }

    /// Its operands, results first, in LLVM's order. What has no bits in the encoding is left out.
    #[inline]
    pub fn operands(&self) -> impl Iterator<Item = Named> + '_ {
        let results = self.form.layout().0;
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
