//! Machine code from an instruction: its bytes again, made from its mnemonic, its form and its operands.
#![deny(clippy::indexing_slicing)]

use super::decoder::Decoder;
use super::form::{Reader, Slot};
use super::instruction::Instruction;
use super::operand::{File, Half, Operand, Register, Source, special};

/// The bytes of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoded {
    bytes: [u8; 20],
    length: u8,
    unused: u128,
}

impl Encoded {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or_default()
    }

    /// Those bits of it that neither the mnemonic nor an operand has. They are kept as they were; the
    /// assembler writes zeros.
    pub fn unused_bits(&self) -> u128 {
        self.unused
    }
}

/// What operands make of a word.
struct Fields {
    word: u128,
    /// Bits that belong to operands.
    mask: u128,
    /// What follows the encoding: its bytes, and how many.
    tail: u128,
    tail_bytes: u8,
}

impl Decoder {
    /// The bytes of an instruction of this decoder, from its operands. What its operands cannot say is found
    /// in the tables, and the result is decoded again: `None` where that gives something else.
    pub fn encode(&self, instruction: &Instruction) -> Option<Encoded> {
        self.encode_with(instruction, None)
    }

    /// The same instruction with another operand, by the name that [`Instruction::operands`] gives it. `None`
    /// where it cannot have that operand.
    pub fn with_operand(
        &self,
        instruction: &Instruction,
        name: &str,
        operand: Operand,
    ) -> Option<Instruction> {
        let source = instruction.source();
        let (_, slots) = source.form.layout();
        let is_it = |place: &usize| source.form.slot(*place).is_some_and(|slot| slot.name() == name);
        let place = (0..slots.len()).find(is_it)?;
        let encoded = self.encode_with(instruction, Some((place, operand)))?;
        let changed = self.instruction(encoded.bytes())?.in_wave_of(instruction);
        (changed.source().operand(place) == operand).then_some(changed)
    }

    fn encode_with(&self, instruction: &Instruction, other: Option<(usize, Operand)>) -> Option<Encoded> {
        let source = instruction.source();
        let fields = fields(&source, instruction.width(), other)?;
        let opcode = instruction.opcode();
        for rule in self.rules_of(opcode.mnemonic).filter(|rule| rule.bytes == instruction.width()) {
            for (mask, value) in self.forms().fixed(opcode.mnemonic, source.form, instruction.width()) {
                let agree = rule.mask & mask & (rule.value ^ value) == 0;
                let (fixed, value) = (rule.mask | mask, rule.value | value);
                if !agree || fields.mask & fixed & (fields.word ^ value) != 0 {
                    continue;
                }
                let unused = source.encoding() & !(fixed | fields.mask);
                let word = fields.word | value | unused;
                let found = assembled(word, &fields, instruction.width(), unused)?;
                let again = self.instruction(found.bytes()).map(|again| again.in_wave_of(instruction));
                if again.is_some_and(|again| other.is_some() || is_same(&again, instruction)) {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// Whether two instructions have the same mnemonic, form and operands.
fn is_same(one: &Instruction, other: &Instruction) -> bool {
    let (a, b) = (one.source(), other.source());
    let operands = 0..a.form.layout().1.len();
    one.opcode() == other.opcode()
        && a.form == b.form
        && operands.into_iter().all(|place| a.operand(place) == b.operand(place))
}

/// The bytes of a word and of what follows it.
fn assembled(word: u128, fields: &Fields, width: u8, unused: u128) -> Option<Encoded> {
    let length = width + fields.tail_bytes;
    let mut bytes = [0; 20];
    bytes.get_mut(..16)?.copy_from_slice(&word.to_le_bytes());
    let tail = fields.tail.to_le_bytes();
    let count = usize::from(fields.tail_bytes);
    bytes.get_mut(usize::from(width)..usize::from(length))?.copy_from_slice(tail.get(..count)?);
    Some(Encoded { bytes, length, unused })
}

/// The fields of all operands, one of them another than it was.
fn fields(source: &Source, width: u8, other: Option<(usize, Operand)>) -> Option<Fields> {
    let mut fields = Fields { word: 0, mask: 0, tail: 0, tail_bytes: 0 };
    let has_constant = (0..source.form.layout().1.len()).any(|place| {
        let reader = source.form.slot(place).map(|slot| slot.reader);
        matches!(reader, Some(Reader::Constant | Reader::Constant64))
    });
    for place in 0..source.form.layout().1.len() {
        let slot = source.form.slot(place)?;
        let operand = match other {
            Some((changed, operand)) if changed == place => operand,
            _ => source.operand(place),
        };
        if let (Reader::Address { .. }, Operand::Register(register)) = (slot.reader, operand) {
            let number: u32 = slot.name().trim_start_matches("vaddr").parse().ok()?;
            let shift = 8 * number.checked_sub(1)?;
            if fields.tail_bytes == 0 {
                // Bytes of no address are kept.
                fields.tail = source.tail();
            }
            fields.tail &= !255u128.checked_shl(shift)?;
            fields.tail |= u128::from(register.index() & 255).checked_shl(shift)?;
            fields.tail_bytes = fields.tail_bytes.max(((shift / 8 + 1) as u8).next_multiple_of(4));
            continue;
        }
        if slot.pieces().is_empty() {
            continue;
        }
        match operand {
            Operand::Literal(bits) if !has_constant && fields.tail_bytes == 0 => {
                (fields.tail, fields.tail_bytes) = (u32::try_from(bits).ok()?.into(), 4);
            }
            Operand::Literal64(bits) if !has_constant && source.length > source.width => {
                (fields.tail, fields.tail_bytes) = (u128::from(bits), 8);
            }
            _ => {}
        }
        let ignored = if other.is_some() { 0 } else { ignored(operand) };
        fields.put(slot, value(source, slot, operand)?, ignored);
    }
    // On most processors image addresses fill as many dwords as the word itself says.
    (width + fields.tail_bytes <= 20).then_some(fields)
}

impl Fields {
    /// The value of a field, in its pieces, but for bits that are ignored.
    fn put(&mut self, slot: &Slot, value: u64, ignored: u64) {
        for &(first, width, place) in slot.pieces() {
            let ones = 1u64.checked_shl(width.into()).unwrap_or(0).wrapping_sub(1);
            let ones = ones & !ignored.checked_shr(place.into()).unwrap_or(0);
            let part = value.checked_shr(place.into()).unwrap_or(0) & ones;
            self.word |= u128::from(part) << (first & 127);
            self.mask |= u128::from(ones) << (first & 127);
        }
    }
}

/// The bits of a field that do not matter: scalar registers in a row begin at a multiple of two or four.
fn ignored(operand: Operand) -> u64 {
    match operand {
        Operand::Register(one) if matches!(one.file(), File::Scalar | File::Trap) => match one.count() {
            0 | 1 => 0,
            2 => 1,
            _ => 3,
        },
        _ => 0,
    }
}

/// The value that a field has for an operand; bits that the field has no room for are left out where it is
/// written.
fn value(source: &Source, slot: &Slot, operand: Operand) -> Option<u64> {
    let halves = |register: Register, bit: u64| {
        let is_high = register.half() == Some(Half::High) && !source.is_selected(slot.number);
        u64::from(register.index()) | if is_high { bit } else { 0 }
    };
    Some(match (slot.reader, operand) {
        (Reader::HalfSource, Operand::Register(one)) if one.half().is_some() => halves(one, 512) | 256,
        (Reader::HalfRegister, Operand::Register(one)) => halves(one, 512) | 256,
        (Reader::LowHalfSource, Operand::Register(one)) if one.half().is_some() => halves(one, 128) | 256,
        (Reader::LowHalfRegister, Operand::Register(one)) => halves(one, 128),
        (Reader::Sdwa, Operand::Register(one)) if one.file() == File::Vector => one.index().into(),
        (Reader::Sdwa, _) => code(source, operand)? + 256,
        (Reader::SdwaComparison, Operand::Register(one)) if is_vcc(one) => 0,
        (Reader::SdwaComparison, _) => code(source, operand)? | 128,
        (Reader::SecondResult, Operand::Register(one)) => one.index().into(),
        (Reader::Constant, Operand::Literal(bits)) => bits,
        // Beside a source that asks for 64 bits, one that asks for 32 has the same literal.
        (_, Operand::Literal64(_)) if slot.value(source.word) & 0x1ff == 255 => 255,
        (_, Operand::Number(number)) => number as u64,
        _ => code(source, operand)?,
    })
}

fn is_vcc(register: Register) -> bool {
    register.file() == File::Special && register.index() == special::VCC
}

/// The value of a source of up to ten bits.
fn code(source: &Source, operand: Operand) -> Option<u64> {
    let register = match operand {
        Operand::Register(register) => register,
        Operand::Inline(code) => return Some(code),
        Operand::Literal(_) => return Some(255),
        Operand::Literal64(_) => return Some(254),
        Operand::Number(_) => return None,
    };
    let index = u64::from(register.index());
    Some(match register.file() {
        File::Vector => index | 256,
        File::Accumulation => index | 768,
        File::Scalar => index,
        File::Trap => source.generation.first_ttmp() + index,
        File::Special => source.special(index),
    })
}
