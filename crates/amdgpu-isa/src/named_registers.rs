//! The registers among the operands of an instruction, those that have no bits in its encoding too.
#![deny(clippy::indexing_slicing)]

use super::compact_slot::{CompactSlot, How};
use super::form::{Reader, compact_slot_of, field_of, name};
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
            let (read, at) = match slot.how() {
                How::Number | How::Pieces => continue,
                How::Tied => {
                    (self.0.slot(usize::from(slot.words())).unwrap_or(slot), usize::from(slot.words()))
                }
                _ => (slot, place),
            };
            let register = match self.0.usual_operand(at, read) {
                Some(Operand::Register(register)) => register,
                Some(_) => continue,
                None => match unusual_register(self.0.instruction(), place) {
                    Some(register) => register,
                    None => continue,
                },
            };
            return Some(NamedRegister { name: slot.name(), register, is_result: self.0.is_result(place) });
        }
    }
}

/// The register at a place that is not read in a step or two; `None` if it is none, or is not used. It takes the instruction by its
/// value: one whose address is handed on has to lie in memory for all of its operands.
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
        let (how, value) = (slot.how(), slot.value(word));
        if how == How::Number {
            return Some(Operand::Number(value as i64));
        }
        if how == How::Source && self.is_as_encoded() {
            return operand::usual_source(self.scalars(), value, slot.words());
        }
        if how == How::Pieces
            && slot.half(word) & self.slots().get(place).map_or(u64::MAX, |own| field_of(*own)) == 0
        {
            return Some(Operand::Number(0));
        }
        self.seldom_operand(how, value)
    }

    /// The operand of a slot that few instructions have.
    #[inline(always)]
    fn seldom_operand(&self, how: How, value: u64) -> Option<Operand> {
        if !self.is_as_encoded() {
            return None;
        }
        match how {
            How::Condition => operand::usual_source(self.scalars(), value, if self.wave32() { 1 } else { 2 }),
            How::Second => {
                let first = self.slot(0).filter(|first| first.name() == name::VDST_X)?;
                let value = value | !first.value(self.word()) & 1;
                Some(operand::registers(File::Vector, value & 255, 1))
            }
            _ => None,
        }
    }

    /// The compact slot at a place.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> Option<CompactSlot> {
        compact_slot_of(*self.slots().get(place)?)
    }
}
