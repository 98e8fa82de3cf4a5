//! One instruction with its operands.
#![deny(clippy::indexing_slicing)]

use super::compact_slot::{CompactSlot, how};
use super::encoding::Opcode;
use super::form::{Form, compact_slot_of, name_of};
use super::generation::Generation;
use super::operand::{Operand, Source};
use super::text::Printer;
use super::text::buffer::Text;
use super::text::recent::Key;
use alloc::string::String;
use core::fmt;

/// One instruction: its bytes, and what they say. It takes no memory besides its own 32 bytes.
///
/// These are four numbers of eight bytes, because a processor waits where it reads in one piece what was
/// written in several.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The first sixteen bytes. What lies behind the instruction is not looked at.
    low: u64,
    high: u64,
    /// The four bytes behind them, and above them the bits of the [`Generation`].
    more: u64,
    what: What,
}

/// What an instruction is, in one number. From the lowest bit on: mnemonic (16 bits), form (16), length (8)
/// and width (8) in bytes, the width without a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct What(pub(super) u64);

/// No form: where it is not known yet.
pub(super) const NO_FORM: Form = Form(u16::MAX);

impl What {
    #[inline(always)]
    pub(super) fn new(opcode: Opcode, (form, width): (Form, u8)) -> What {
        What(
            u64::from(opcode.mnemonic)
                | u64::from(form.0) << 16
                | u64::from(opcode.length) << 32
                | u64::from(width) << 40,
        )
    }

    /// The number of its mnemonic.
    #[inline(always)]
    pub(super) fn mnemonic(self) -> u16 {
        self.0 as u16
    }

    #[inline(always)]
    pub(super) fn form(self) -> Form {
        Form((self.0 >> 16) as u16)
    }

    /// Length in bytes, with its literal.
    #[inline(always)]
    pub(super) fn length(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// Width in bytes without a literal.
    #[inline(always)]
    pub(super) fn width(self) -> u8 {
        (self.0 >> 40) as u8
    }

    #[inline(always)]
    pub(super) fn opcode(self) -> Opcode {
        Opcode { mnemonic: self.mnemonic(), length: self.length() }
    }

    /// The same with a literal of 32 bits behind it, if it has one.
    #[inline(always)]
    pub(super) fn with_literal(self, has_one: bool) -> What {
        What(self.0 + (u64::from(has_one) << 34))
    }
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
    /// The instruction of these [`words`], once it is known what it is.
    #[inline(always)]
    pub(super) fn of_words([low, high, more]: [u64; 3], what: What, generation: Generation) -> Instruction {
        Instruction { low, high, more: more | u64::from(generation.bits()) << 32, what }
    }

    /// The number of its mnemonic.
    #[inline]
    pub fn mnemonic_number(&self) -> u16 {
        self.what.mnemonic()
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

    /// The same instruction in a wave of 64 lanes, or of 32: which of them is not in the bytes. Decoders take
    /// 32 from gfx10 on.
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
        self.what.opcode()
    }

    #[inline(always)]
    pub(super) fn form(&self) -> Form {
        self.what.form()
    }

    /// Width in bytes without a literal.
    #[inline(always)]
    pub(super) fn width(&self) -> u8 {
        self.what.width()
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
    pub fn operands(&self) -> Operands {
        let layout = self.form().operand_layout();
        Operands {
            instruction: *self,
            slots: layout.slots(),
            place: 0,
            results: layout.results(),
            odd_ways: if layout.is_fixed(self.generation().wave32()) { 0 } else { how::OF_REGISTERS },
        }
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

    /// Its bytes with zeros behind them, in two numbers. Nothing for the few that are longer than sixteen bytes.
    #[inline(always)]
    pub fn bits(&self) -> Option<[u64; 2]> {
        let Key { low, high, .. } = self.key()?;
        Some([low, high])
    }

    /// The same as what a text is found by.
    #[inline(always)]
    fn key(&self) -> Option<Key> {
        let (low, high) = match self.length() {
            4 => (self.low & 0xffff_ffff, 0),
            8 => (self.low, 0),
            12 => (self.low, self.high & 0xffff_ffff),
            16 => (self.low, self.high),
            _ => return None,
        };
        Some(Key { low, high, what: self.what.0, generation: self.generation().bits() })
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

/// The first twenty bytes of an instruction; the last of them may belong to the next one.
#[inline(always)]
pub(super) fn words_of_whole(bytes: &[u8; 20]) -> [u64; 3] {
    let dword = |at: usize| {
        let four = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
        u64::from(four.map_or(0, |four| u32::from_le_bytes(*four)))
    };
    [dword(0) | dword(4) << 32, dword(8) | dword(12) << 32, dword(16)]
}

/// The bytes of the instruction that begins `bytes`, and zeros behind them.
#[inline(never)]
pub(super) fn words(bytes: &[u8], what: What) -> [u64; 3] {
    let mut whole = [0; 20];
    let count = usize::from(what.length()).min(bytes.len()).min(20);
    if let (Some(to), Some(from)) = (whole.get_mut(..count), bytes.get(..count)) {
        to.copy_from_slice(from);
    }
    words_of_whole(&whole)
}

/// An operand that is not read in a step or two. It takes the instruction in numbers: a structure is handed
/// on by its address, and would have to lie in memory for all of its operands.
#[cold]
#[inline(never)]
fn unusual_operand(low: u64, high: u64, more: u64, what: What, place: usize) -> Operand {
    let instruction = Instruction { low, high, more, what };
    let source = instruction.source();
    let Some(slot) = source.slot(place) else { return Operand::Number(0) };
    match source.read(slot, place) {
        Operand::Register(register) => Operand::Register(source.adjusted(slot, register)),
        other => other,
    }
}

/// The operands of an instruction: see [`Instruction::operands`].
#[derive(Debug, Clone)]
pub struct Operands {
    instruction: Instruction,
    /// The numbers of its slots.
    slots: &'static [u16],
    place: usize,
    /// How many of them are results.
    results: usize,
    /// The ways of [`how`] by which its operands cannot be read in place: some, where those are not as large
    /// as their encoding says.
    odd_ways: u64,
}

impl Operands {
    /// The next place and its slot, and steps behind it.
    #[inline(always)]
    pub(super) fn next_slot(&mut self) -> Option<(usize, CompactSlot)> {
        let place = self.place;
        let slot = self.slot(place)?;
        self.place += 1;
        Some((place, slot))
    }

    /// The operand of a slot; nothing where it has no bits in the encoding.
    #[inline(always)]
    fn named(&self, place: usize, slot: CompactSlot) -> Option<Named> {
        let is_result = self.is_result(place);
        let operand = match self.usual_operand(place, slot) {
            Some(operand) => operand,
            None if slot.is(how::HIDDEN | how::TIED) && !is_result => return None,
            None => {
                let Instruction { low, high, more, what } = self.instruction;
                unusual_operand(low, high, more, what, place)
            }
        };
        Some(Named { name: name_of(slot.name()), operand, is_result })
    }

    #[inline(always)]
    pub(super) fn slots(&self) -> &'static [u16] {
        self.slots
    }

    /// The ways of [`how`] by which its operands cannot be read in place.
    #[inline(always)]
    pub(super) fn odd_ways(&self) -> u64 {
        self.odd_ways
    }

    #[inline(always)]
    pub(super) fn is_result(&self, place: usize) -> bool {
        place < self.results
    }

    #[inline(always)]
    pub(super) fn instruction(&self) -> Instruction {
        self.instruction
    }

    #[inline(always)]
    pub(super) fn word(&self) -> [u64; 2] {
        [self.instruction.low, self.instruction.high]
    }
}

impl Iterator for Operands {
    type Item = Named;

    #[inline(always)]
    fn next(&mut self) -> Option<Named> {
        loop {
            let (place, slot) = self.next_slot()?;
            if let Some(named) = self.named(place, slot) {
                return Some(named);
            }
        }
    }

    /// The same for all of them at once, which takes fewer steps: nothing has to be kept between two.
    #[inline(always)]
    fn fold<B, F: FnMut(B, Named) -> B>(self, first: B, mut each: F) -> B {
        let mut sum = first;
        for (place, number) in self.slots.iter().enumerate().skip(self.place) {
            let slot = compact_slot_of(*number).map(|slot| slot.without(self.odd_ways));
            let named = slot.and_then(|slot| self.named(place, slot));
            if let Some(named) = named {
                sum = each(sum, named);
            }
        }
        sum
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut Text::new()))
    }
}
