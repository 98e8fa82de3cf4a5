//! The registers among the operands of an instruction, those that have no bits in its encoding too.
#![deny(clippy::indexing_slicing)]

use super::compact_slot::{CompactSlot, how};
use super::form::{Reader, compact_slot_of, name, slot_of};
use super::instruction::{Instruction, Operands};
use super::operand::{self, File, Operand, Register};

/// A register among the operands of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedRegister {
    /// The number of the operand's name.
    pub(super) name: u8,
    pub(super) register: Register,
    pub(super) is_result: bool,
}

impl Instruction {
    /// The registers among its operands, in their order.
    #[inline(always)]
    pub(super) fn registers(&self) -> NamedRegisters {
        NamedRegisters(self.operands())
    }
}

/// The registers of an instruction: see [`Instruction::registers`].
pub(super) struct NamedRegisters(Operands);

impl Iterator for NamedRegisters {
    type Item = NamedRegister;

    #[inline(always)]
    fn next(&mut self) -> Option<NamedRegister> {
        loop {
            let (place, slot) = self.0.next_slot()?;
            // What a tied operand is read from.
            if slot.is(how::NUMBER | how::PIECES) {
                continue;
            }
            let register = match self.0.usual_operand(place, slot) {
                Some(Operand::Register(register)) => register,
                Some(_) => continue,
                None => match self.seldom(place, slot) {
                    Some(register) => register,
                    None => continue,
                },
            };
            return Some(NamedRegister { name: slot.name(), register, is_result: self.0.is_result(place) });
        }
    }
}

impl NamedRegisters {
    /// The register of a slot that is none of the usual.
    #[inline(always)]
    fn seldom(&self, place: usize, slot: CompactSlot) -> Option<Register> {
        if slot.is(how::TIED) {
            let place = usize::from(slot.words());
            if let Some(Operand::Register(register)) =
                self.0.slot(place).and_then(|slot| self.0.usual_operand(place, slot))
            {
                return Some(register);
            }
        }
        unusual_register(self.0.instruction(), place)
    }
}

/// The register at a place that is not read in a step or two; `None` if it is none, or is not used. It takes
/// the instruction by its value: one whose address is handed on has to lie in memory for all of its operands.
#[inline(never)]
fn unusual_register(instruction: Instruction, place: usize) -> Option<Register> {
    let source = instruction.source();
    let slot = source.slot(place)?;
    if matches!(slot.reader, Reader::Number) {
        return None;
    }
    let Operand::Register(register) = source.read(slot, place) else { return None };
    let register = source.adjusted(slot, register);
    source.is_used(slot).then_some(register)
}

impl Operands {
    /// The operand of a slot, for nine of ten of them.
    #[inline(always)]
    pub(super) fn usual_operand(&self, place: usize, slot: CompactSlot) -> Option<Operand> {
        let word = self.word();
        let in_place = slot.in_place(word);
        let value = slot.value(in_place);
        if slot.is(how::NUMBER) {
            return Some(Operand::Number(value as i64));
        }
        if slot.is(how::VECTOR) {
            return Some(Operand::Register(Register::of_bits(value | slot.count_and_file())));
        }
        if slot.is(how::SOURCE) {
            return self.source(slot, value);
        }
        if slot.is(how::PIECES) {
            return Some(Operand::Number(match in_place {
                0 => 0,
                _ => number_in_pieces(word, self.slots().get(place).copied().unwrap_or(0)),
            }));
        }
        if slot.is(how::TIED | how::HIDDEN) {
            return None;
        }
        if slot.is(how::ANY_FILE) {
            return self.source(slot, value | slot.file(word));
        }
        if slot.is(how::CONDITION) {
            let wide = usize::from(!self.wave32());
            return operand::usual_source(self.scalars(), value, 1 + wide as u8, wide);
        }
        if slot.is(how::SECOND) {
            let first = self.slot(0).filter(|first| first.name() == name::VDST_X)?;
            let first_value = first.value(first.in_place(word)) << first.place();
            let value = value << slot.place() | !first_value & 1;
            return Some(operand::registers(File::Vector, value & 255, 1));
        }
        None
    }

    /// A source by its value.
    #[inline(always)]
    fn source(&self, slot: CompactSlot, value: u64) -> Option<Operand> {
        operand::usual_source(self.scalars(), value, slot.words(), slot.class())
            .or_else(|| self.usual_literal())
    }

    /// The compact slot at a place.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> Option<CompactSlot> {
        compact_slot_of(*self.slots().get(place)?)
    }
}

/// The number of a slot, whose bits do not follow each other. It takes the word by its value, for the same
/// reason.
#[inline(never)]
fn number_in_pieces(word: [u64; 2], slot: u16) -> i64 {
    slot_of(slot).map_or(0, |slot| slot.value(word) as i64)
}
