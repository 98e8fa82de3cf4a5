//! Operands: registers, constants and numbers, read from an instruction.
#![deny(clippy::indexing_slicing)]

use super::form::{Form, Reader, Slot, name, slot_of};
use super::generation::Generation;
use super::scalars;

/// Which registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum File {
    /// Vector registers, `v0` and on.
    Vector,
    /// Accumulation registers of the matrix unit, `a0` and on.
    Accumulation,
    /// Scalar registers, `s0` and on.
    Scalar,
    /// Scalar registers of the trap handler, `ttmp0` and on.
    Trap,
    /// A register with a name of its own; its index is that of the encoding.
    Special,
}

/// Half of a vector register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Half {
    /// Bits 15 to 0.
    Low,
    /// Bits 31 to 16.
    High,
}

/// One or more registers in a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register {
    /// Index, count, file and half in one number, because a structure of small fields is slow to hand on: a
    /// processor waits where it reads in one piece what was written in several. It has eight bytes as all
    /// that an [`Operand`] can be.
    bits: u64,
}

impl Register {
    #[inline]
    pub(super) const fn new(file: File, index: u16, count: u8, half: Option<Half>) -> Register {
        let file = match file {
            File::Vector => 0,
            File::Accumulation => 1,
            File::Scalar => 2,
            File::Trap => 3,
            File::Special => 4,
        };
        let half = match half {
            None => 0,
            Some(Half::Low) => 1,
            Some(Half::High) => 2,
        };
        Register { bits: index as u64 | (count as u64) << 16 | file << 24 | half << 28 }
    }

    /// Which registers.
    #[inline]
    pub fn file(&self) -> File {
        match self.bits >> 24 & 7 {
            0 => File::Vector,
            1 => File::Accumulation,
            2 => File::Scalar,
            3 => File::Trap,
            _ => File::Special,
        }
    }

    /// The number of the first.
    #[inline]
    pub fn index(&self) -> u16 {
        self.bits as u16
    }

    /// How many there are, of 32 bits each.
    #[inline]
    pub fn count(&self) -> u8 {
        (self.bits >> 16) as u8
    }

    /// The half, where only half of one is meant.
    #[inline]
    pub fn half(&self) -> Option<Half> {
        match self.bits >> 28 {
            0 => None,
            1 => Some(Half::Low),
            _ => Some(Half::High),
        }
    }

    /// So many registers from the first on, which an entry of [`scalars`] or a vector register is.
    #[inline(always)]
    fn of_entry(entry: u32, words: u8) -> Register {
        Register { bits: u64::from(entry ^ u32::from(words) << 16) }
    }

    /// The register of these bits.
    #[inline(always)]
    pub(super) const fn of_bits(bits: u64) -> Register {
        Register { bits }
    }

    /// Whether it is SCC, the bit that comparisons and carries of scalar instructions go to.
    pub fn is_scc(&self) -> bool {
        self.file() == File::Special && self.index() == special::SCC
    }

    pub(super) const fn bits(self) -> u64 {
        self.bits
    }

    /// As many others from the same one on.
    #[inline]
    pub(super) fn with_count(self, count: u8) -> Register {
        Register { bits: self.bits & !0xff_0000 | u64::from(count) << 16 }
    }
}

impl core::fmt::Debug for Register {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Register({self})")
    }
}

impl core::fmt::Display for Register {
    /// Its name as LLVM has it, such as `v5.l`, `s[4:5]` or `vcc`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // As a source it is spelled `src_scc`.
        if self.is_scc() {
            return f.write_str("scc");
        }
        super::text::registers::write(*self, f)
    }
}

/// An operand. Whatever it is has eight bytes, so that operands are handed on in two registers of a
/// processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operand {
    /// Registers.
    Register(Register),
    /// A constant that the encoding of a source holds: its value there, 128 to 208 for whole numbers and 240
    /// to 248 for others.
    Inline(u64),
    /// A constant of 32 bits that follows the instruction.
    Literal(u64),
    /// One of 64 bits.
    Literal64(u64),
    /// A number or a set of bits.
    Number(i64),
}

impl Operand {
    /// The value of an inline whole number.
    pub fn inline_integer(&self) -> Option<i64> {
        match *self {
            Operand::Inline(code @ 128..=192) => Some(code as i64 - 128),
            Operand::Inline(code @ 193..=208) => Some(192 - code as i64),
            _ => None,
        }
    }
}

/// Names of special registers by their value in a source.
pub(super) mod special {
    pub(crate) const FLAT_SCRATCH: u16 = 102;
    pub(crate) const VCC: u16 = 106;
    pub(crate) const M0: u16 = 124;
    pub(crate) const EXEC: u16 = 126;
    pub(crate) const SCC: u16 = 253;
    /// No encoding has it as a source.
    pub(crate) const MODE: u16 = 1000;
}

/// A register of one file.
#[inline(always)]
pub(super) fn registers(file: File, index: u64, words: u8) -> Operand {
    Operand::Register(Register::new(file, index as u16, words, None))
}

/// What operands are read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// The first sixteen bytes. What lies behind the instruction is left as it is: no field is there.
    pub(super) word: [u64; 2],
    /// The four bytes behind them.
    pub(super) more: u32,
    /// Width in bytes without a literal.
    pub(super) width: u8,
    /// Length in bytes with it.
    pub(super) length: u8,
    pub(super) form: Form,
    /// The numbers of the form's slots.
    pub(super) slots: &'static [u16],
    /// Its properties, of `form::flag`.
    pub(super) flags: u64,
    /// The number of its mnemonic.
    pub(super) number: u16,
    pub(super) generation: Generation,
}

impl Source {
    pub(super) fn mnemonic(&self) -> &'static str {
        super::mnemonic(self.number)
    }

    /// The slot at a place.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> Option<&'static Slot> {
        slot_of(*self.slots.get(place)?)
    }

    /// The operand at a place.
    #[inline]
    pub(super) fn operand(&self, place: usize) -> Operand {
        let Some(slot) = self.slot(place) else { return Operand::Number(0) };
        self.read(slot, place)
    }

    /// The bytes of the encoding.
    pub(super) fn encoding(&self) -> u128 {
        let word = u128::from(self.word[0]) | u128::from(self.word[1]) << 64;
        word & 1u128.checked_shl(8 * u32::from(self.width)).unwrap_or(0).wrapping_sub(1)
    }

    /// The bytes behind the encoding.
    pub(super) fn tail(&self) -> u128 {
        let [low, high] = self.word;
        let (low, high, more) = (u128::from(low), u128::from(high), u128::from(self.more));
        let tail = match self.width {
            4 => low >> 32 | high << 32 | more << 96,
            8 => high | more << 64,
            12 => high >> 32 | more << 32,
            _ => more,
        };
        let bits = 8 * u32::from(self.length.saturating_sub(self.width));
        tail & 1u128.checked_shl(bits).unwrap_or(0).wrapping_sub(1)
    }

    /// The operand that another is tied to.
    #[inline(never)]
    fn tied(&self, place: usize) -> Operand {
        self.operand(place)
    }

    /// A number at a place.
    #[inline]
    pub(super) fn number(&self, place: usize) -> u64 {
        self.slot(place).map_or(0, |slot| slot.value(self.word))
    }

    /// The operand of a slot. Nine of ten are sources or numbers: they are read in place, the others in a
    /// function of their own.
    #[inline(always)]
    pub(super) fn read(&self, slot: &Slot, place: usize) -> Operand {
        match slot.reader {
            Reader::Source { words, set } => self.source(slot.value(self.word) | u64::from(set), words),
            Reader::Number => Operand::Number(slot.value(self.word) as i64),
            _ => self.read_unusual(slot, place),
        }
    }

    #[inline(never)]
    fn read_unusual(&self, slot: &Slot, place: usize) -> Operand {
        let value = slot.value(self.word);
        match slot.reader {
            Reader::Number | Reader::Constant64 | Reader::Branch | Reader::Version => {
                Operand::Number(value as i64)
            }
            Reader::Constant => Operand::Literal(value & 0xffff_ffff),
            Reader::Source { words, set } => self.source(value | u64::from(set), words),
            Reader::HalfSource | Reader::HalfRegister => {
                if value & 256 == 0 && slot.reader == Reader::HalfSource {
                    return self.source(value & 0xff, 1);
                }
                let high = value & 512 != 0 || self.is_selected(slot.number);
                half(value & 0xff, high)
            }
            Reader::LowHalfSource if value & 256 == 0 => self.source(value, 1),
            Reader::LowHalfSource | Reader::LowHalfRegister => {
                let high = value & 128 != 0 || self.is_selected(slot.number);
                half(value & 0x7f, high)
            }
            Reader::Condition => self.source(value, if self.generation.wave32() { 1 } else { 2 }),
            Reader::Sdwa => self.sdwa(value),
            Reader::SdwaComparison => self.sdwa_comparison(value),
            Reader::SecondResult => {
                let first = self.form.place(name::VDST_X).map_or(0, |place| self.number(place));
                registers(File::Vector, value | !first & 1, 1)
            }
            Reader::ScalarOffset => {
                let bits = match self.generation.major() {
                    12.. => 24,
                    8 => return Operand::Number((value & 0xf_ffff) as i64),
                    _ => 21,
                };
                Operand::Number(sign_extended(value, bits))
            }
            Reader::Tied(other) if usize::from(other) != place => self.tied(usize::from(other)),
            Reader::Address { words } => {
                let number: u32 = slot.name().trim_start_matches("vaddr").parse().unwrap_or(0);
                registers(
                    File::Vector,
                    (self.tail() >> (8 * number.saturating_sub(1)).min(120)) as u64 & 255,
                    words,
                )
            }
            // The constant that both halves of a pair share.
            Reader::None if slot.number == name::IMM_X => Operand::Literal(self.literal() & 0xffff_ffff),
            Reader::None if slot.number == name::SDST => registers(File::Special, special::VCC.into(), 2),
            Reader::Tied(_) | Reader::None => Operand::Number(0),
        }
    }

    /// Whether the modifiers say that the high half of a register is meant.
    pub(super) fn is_selected(&self, number: u8) -> bool {
        let (modifiers, bit) = match number {
            name::SRC0 => (name::SRC0_MODIFIERS, 4),
            name::SRC1 => (name::SRC1_MODIFIERS, 4),
            name::SRC2 => (name::SRC2_MODIFIERS, 4),
            name::VDST => (name::SRC0_MODIFIERS, 8),
            _ => return false,
        };
        self.form.place(modifiers).is_some_and(|place| self.number(place) & bit != 0)
    }

    /// A source of some dwords, by its value of up to ten bits.
    #[inline(always)]
    pub(super) fn source(&self, value: u64, words: u8) -> Operand {
        match usual_source(self.generation, value, words, scalars::class(words)) {
            Some(operand) => operand,
            None => self.literal_operand(scalars::entry(self.generation.scalars(), 0, value)),
        }
    }

    #[inline(never)]
    fn literal_operand(&self, entry: u32) -> Operand {
        let bits = self.literal();
        let has_upper = entry == scalars::LITERAL64 || bits >> 32 != 0 && self.has_literal64();
        if has_upper { Operand::Literal64(bits) } else { Operand::Literal(bits & 0xffff_ffff) }
    }

    /// The literal: behind the encoding, or the constant inside it.
    #[inline(never)]
    fn literal(&self) -> u64 {
        let constant = |slot: &&Slot| matches!(slot.reader, Reader::Constant | Reader::Constant64);
        match self.slots.iter().filter_map(|slot| slot_of(*slot)).find(constant) {
            Some(slot) => slot.value(self.word),
            // Instructions of twelve bytes have no room for 64 bits behind them: LLVM reads these from the
            // last eight.
            None if self.length == self.width => self.word[0] >> 32 | self.word[1] << 32,
            None => self.tail() as u64,
        }
    }

    /// The lower 32 bits of the constant that the instruction has, if it has one that is not a field.
    pub(super) fn any_literal(&self) -> Option<u64> {
        let has_one = self.length > self.width || self.has_literal64();
        has_one.then(|| self.literal() & 0xffff_ffff)
    }

    /// The slot in whose place LLVM finds the operand of a place when it looks for constants: its list has
    /// then only what it decoded, and not yet what it puts between.
    pub(super) fn counted_slot(&self, place: usize) -> Option<&'static Slot> {
        let before = self.slots.iter().take(place).filter_map(|slot| slot_of(*slot));
        self.slot(before.filter(|slot| slot.is_decoded()).count())
    }

    /// Whether a source asks for a literal of 64 bits.
    fn has_literal64(&self) -> bool {
        let is_source = |slot: &&Slot| {
            let readers =
                matches!(slot.reader, Reader::Source { .. } | Reader::HalfSource | Reader::LowHalfSource);
            readers || slot.reader == Reader::Condition
        };
        let mut sources = self.slots.iter().filter_map(|slot| slot_of(*slot)).filter(is_source);
        self.generation.gfx1250() && sources.any(|slot| slot.value(self.word) & 0x1ff == 254)
    }

    /// The value of a special register, m0 and null as they are before gfx11.
    pub(super) fn special(&self, value: u64) -> u64 {
        scalars::special(value as u16, self.generation.major()).into()
    }

    fn sdwa(&self, value: u64) -> Operand {
        if value < 256 || self.generation.major() < 9 {
            return registers(File::Vector, value & 255, 1);
        }
        self.source(value - 256, 1)
    }

    fn sdwa_comparison(&self, value: u64) -> Operand {
        let words = if self.generation.wave32() { 1 } else { 2 };
        if value & 128 != 0 {
            self.source(value & 127, words)
        } else {
            registers(File::Special, special::VCC.into(), words)
        }
    }
}

/// A source of some dwords and the class of this size, by its value; nothing where it is a constant behind
/// the instruction.
#[inline(always)]
pub(super) fn usual_source(generation: Generation, value: u64, words: u8, class: usize) -> Option<Operand> {
    if value & 256 != 0 {
        let index = value as u32 & 255 | (value as u32 >> 9 & 1) << 24;
        return Some(Operand::Register(Register::of_entry(index, words)));
    }
    usual_scalar(generation, value, words, class)
}

/// The same for what is no vector register.
#[inline(always)]
pub(super) fn usual_scalar(generation: Generation, value: u64, words: u8, class: usize) -> Option<Operand> {
    let entry = scalars::entry(generation.scalars(), class, value);
    match entry >> 30 {
        0 => Some(Operand::Register(Register::of_entry(entry, words))),
        1 => Some(Operand::Inline(value & 255)),
        _ => None,
    }
}

/// Half of a vector register.
fn half(index: u64, high: bool) -> Operand {
    let half = Some(if high { Half::High } else { Half::Low });
    Operand::Register(Register::new(File::Vector, index as u16, 1, half))
}

/// A number of some bits with its sign.
pub(super) fn sign_extended(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((value << shift) as i64) >> shift
}
