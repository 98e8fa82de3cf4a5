//! The registers among the operands of an instruction, those that have no bits in its encoding too.
#![deny(clippy::indexing_slicing)]

use super::compact_slot::{CompactSlot, how};
use super::form::{Reader, compact_slot_of, name, slot_of};
use super::generation::Generation;
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
pub(super) fn unusual_register(instruction: Instruction, place: usize) -> Option<Register> {
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
            if value & 0x100 != 0 {
                return Some(Operand::Register(Register::of_bits(value & 0xff | slot.count_and_file())));
            }
            let generation = self.instruction().generation();
            return operand::usual_scalar(generation, value, slot.words(), slot.class());
        }
        if slot.is(how::PIECES) {
            return Some(Operand::Number(match in_place {
                0 => 0,
                _ => number_in_pieces(word[0], word[1], self.slots().get(place).copied().unwrap_or(0)),
            }));
        }
        if slot.is(how::TIED | how::HIDDEN) {
            return None;
        }
        if slot.is(how::ANY_FILE) {
            let (generation, value) = (self.instruction().generation(), value | slot.file(word));
            return operand::usual_source(generation, value, slot.words(), slot.class());
        }
        if slot.is(how::CONDITION) {
            return condition(self.instruction().generation(), value);
        }
        if slot.is(how::SECOND) {
            return second_result(word[0], word[1], self.slot(0)?, slot);
        }
        None
    }

    /// The compact slot at a place, with the ways by which it can be read in place.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> Option<CompactSlot> {
        Some(compact_slot_of(*self.slots().get(place)?)?.without(self.odd_ways()))
    }
}

// What is seldom has functions of its own, which take what they need in single numbers: a compiler would
// prepare it before the first operand of each instruction, and lay an array down in memory for each.

/// A condition, as wide as the wave.
#[inline(never)]
fn condition(generation: Generation, value: u64) -> Option<Operand> {
    let wide = usize::from(!generation.wave32());
    operand::usual_source(generation, value, 1 + wide as u8, wide)
}

/// The result of the second half of a pair: its lowest bit is the inverse of the first's.
#[inline(never)]
fn second_result(low: u64, high: u64, first: CompactSlot, second: CompactSlot) -> Option<Operand> {
    let word = [low, high];
    if first.name() != name::VDST_X {
        return None;
    }
    let first = first.value(first.in_place(word)) << first.place();
    let index = second.value(second.in_place(word)) << second.place() | !first & 1;
    Some(operand::registers(File::Vector, index & 255, 1))
}

/// The number of a slot, whose bits do not follow each other.
#[inline(never)]
fn number_in_pieces(low: u64, high: u64, slot: u16) -> i64 {
    slot_of(slot).map_or(0, |slot| slot.value([low, high]) as i64)
}
