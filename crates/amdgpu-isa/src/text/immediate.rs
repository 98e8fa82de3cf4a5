//! Constants: those in the encoding of a source, and those behind an instruction.

use super::Printer;
use crate::form::{Kind, Slot};
use core::fmt::{Result, Write};

/// The texts of the constants 240 to 248 but for the last's width.
const FLOATS: [&str; 9] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"];

/// Their bits in 16, bfloat 16, 32 and 64 bits.
const HALVES: [u16; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
const BRAINS: [u16; 9] = [0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22];
const WORDS: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];
const LONGS: [u64; 9] = [
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0xc000_0000_0000_0000,
    0x4010_0000_0000_0000,
    0xc010_0000_0000_0000,
    0x3fc4_5f30_6dc9_c882,
];

/// The number of a constant among those that are not whole.
fn index<T: PartialEq>(all: &[T; 9], bits: &T) -> Option<usize> {
    all.iter().position(|one| one == bits)
}

fn is_small(value: i64) -> bool {
    (-16..=64).contains(&value)
}

impl Printer<'_> {
    /// A constant in the encoding.
    pub(super) fn inline(&mut self, code: u64, kind: Kind) -> Result {
        if let Some(number) = crate::Operand::Inline(code).inline_integer() {
            self.signed(number)?;
        } else {
            let at = (code.saturating_sub(240) as usize).min(8);
            let bits = WORDS.get(at).copied().unwrap_or_default();
            match kind {
                // A whole number of 16 bits gets the bits of a 16-bit float.
                Kind::Short => write!(self.out, "{:#x}", HALVES.get(at).copied().unwrap_or_default())?,
                Kind::HalvesPlain => write!(self.out, "{bits:#x}")?,
                Kind::Long | Kind::Double if at == 8 => self.out.write_str("0.15915494309189532")?,
                _ => self.out.write_str(FLOATS.get(at).copied().unwrap_or_default())?,
            }
        }
        if kind == Kind::Register { self.out.write_str("/*Invalid immediate*/") } else { Ok(()) }
    }

    /// A constant behind the instruction.
    pub(super) fn literal(&mut self, whole: u64, kind: Kind, place: usize) -> Result {
        let bits = whole as u32;
        let (low, high, small) = (bits as u16, (bits >> 16) as u16, is_small(i64::from(bits as i32)));
        let small16 = is_small(i64::from(low as i16));
        let is_inline = match kind {
            Kind::Word | Kind::Immediate => small || index(&WORDS, &bits).is_some(),
            Kind::Short => small || index(&WORDS, &bits).is_some(),
            Kind::HalvesInline => small16 || index(&HALVES, &low).is_some(),
            Kind::BrainsInline => small16 || index(&BRAINS, &low).is_some(),
            Kind::Half => small16 || index(&HALVES, &low).is_some(),
            Kind::Brain => small16 || index(&BRAINS, &low).is_some(),
            Kind::Shorts => small || index(&WORDS, &bits).is_some(),
            Kind::Halves => small || high == 0 && index(&HALVES, &low).is_some(),
            Kind::Brains => small || high == 0 && index(&BRAINS, &low).is_some(),
            Kind::HalvesTwice if self.source.generation.major() >= 11 => {
                small || low == high && (low <= 64 || index(&HALVES, &low).is_some())
            }
            Kind::HalvesTwice => small || high == 0 && index(&HALVES, &low).is_some(),
            Kind::Long => whole <= 64,
            _ => false,
        };
        let imitates = self.source.generation.imitates_llvm();
        let is_taken_for_register =
            || imitates && self.source.counted_slot(place).is_some_and(|slot| slot.kind == Kind::Register);
        if is_inline && !is_taken_for_register() {
            self.out.push("lit(");
            self.hex(whole)?;
            self.out.push(")");
            return Ok(());
        }
        match kind {
            Kind::Double => self.double(whole << 32),
            Kind::Long => self.hex(whole),
            Kind::Constant16 => self.hex(low.into()),
            _ => self.number_of_kind(bits, kind),
        }
    }

    /// A number as LLVM 22 has it: where its list of operands is out of step, it takes the number at a place
    /// for the encoding of a constant that belongs to a source.
    pub(super) fn mistaken(&self, number: u64, place: usize) -> u64 {
        if !self.source.generation.imitates_llvm() {
            return number;
        }
        let kind = match self.source.counted_slot(place).map(|slot| slot.kind) {
            None | Some(Kind::Immediate | Kind::Modifiers | Kind::Number) => return number,
            Some(kind) => kind,
        };
        let Some(at) = number.checked_sub(240).filter(|at| *at < 9) else {
            return match number {
                128..=192 => number - 128,
                193..=208 => (192 - number as i64) as u64,
                255 => self.source.any_literal().unwrap_or(number),
                _ => number,
            };
        };
        let half = |all: &[u16; 9]| u64::from(all.get(at as usize).copied().unwrap_or_default());
        match kind {
            Kind::Half | Kind::Short | Kind::Halves | Kind::HalvesInline => half(&HALVES),
            Kind::HalvesTwice if self.source.generation.major() >= 11 => half(&HALVES) << 16 | half(&HALVES),
            Kind::HalvesTwice => half(&HALVES),
            Kind::Brain | Kind::Brains | Kind::BrainsInline => half(&BRAINS),
            Kind::Long | Kind::Double => LONGS.get(at as usize).copied().unwrap_or_default(),
            _ => u64::from(WORDS.get(at as usize).copied().unwrap_or_default()),
        }
    }

    /// Whether LLVM 22 prints the number of a constant's encoding, not its value, because its list of
    /// operands is out of step.
    pub(super) fn is_raw(&self, place: usize) -> bool {
        let is_modifier = |slot: &Slot| matches!(slot.kind, Kind::Immediate | Kind::Modifiers | Kind::Number);
        self.source.generation.imitates_llvm() && self.source.counted_slot(place).is_some_and(is_modifier)
    }

    /// A number as an operand of a kind has it: as one of the constants that encodings have, where it is one.
    pub(super) fn number_of_kind(&mut self, bits: u32, kind: Kind) -> Result {
        let (low, high) = (bits as u16, (bits >> 16) as u16);
        let found = match kind {
            Kind::Word | Kind::Immediate | Kind::Register | Kind::Short | Kind::Shorts => {
                index(&WORDS, &bits)
            }
            Kind::Half => index(&HALVES, &low),
            Kind::Brain => index(&BRAINS, &low),
            Kind::Brains | Kind::BrainsInline if high == 0 => index(&BRAINS, &low),
            Kind::HalvesTwice if self.source.generation.major() >= 11 && low == high => index(&HALVES, &low),
            Kind::HalvesTwice if self.source.generation.major() >= 11 => None,
            Kind::Halves | Kind::HalvesInline | Kind::HalvesTwice if high == 0 => index(&HALVES, &low),
            _ => None,
        };
        let whole = match kind {
            Kind::Half | Kind::Brain => i64::from(low as i16),
            // Always as they are.
            Kind::Long | Kind::Constant | Kind::Constant64 => i64::MAX,
            _ => i64::from(bits as i32),
        };
        match found.and_then(|at| FLOATS.get(at)) {
            _ if is_small(whole) => self.signed(whole)?,
            Some(text) => self.out.write_str(text)?,
            None if matches!(kind, Kind::Half | Kind::Short) => self.hex(low.into())?,
            None => self.hex(bits.into())?,
        }
        if kind == Kind::Register { self.out.write_str("/*Invalid immediate*/") } else { Ok(()) }
    }

    /// A constant of 64 bits behind the instruction.
    pub(super) fn literal64(&mut self, bits: u64, kind: Kind) -> Result {
        if bits >> 32 == 0 {
            return write!(self.out, "lit64({bits:#x})");
        }
        match kind {
            Kind::Double => self.double(bits),
            Kind::Long => self.long(bits),
            // An operand of 32 bits takes the lower half.
            _ => self.number_of_kind(bits as u32, kind),
        }
    }

    /// The constant of 64 bits in the middle of an instruction.
    pub(super) fn constant64(&mut self, place: usize) -> Result {
        let bits = self.number(place);
        if bits >> 32 == 0 {
            return write!(self.out, "lit64({bits:#x})");
        }
        if bits as u32 == 0 { write!(self.out, "{:#x}", bits >> 32) } else { write!(self.out, "{bits:#x}") }
    }

    fn double(&mut self, bits: u64) -> Result {
        // Its upper half alone, where the lower is zero.
        if bits as u32 == 0 && bits != 0 && index(&LONGS, &bits).is_none() {
            return self.hex(bits >> 32);
        }
        self.long(bits)
    }

    fn long(&mut self, bits: u64) -> Result {
        if is_small(bits as i64) {
            return self.signed(bits as i64);
        }
        match index(&LONGS, &bits) {
            Some(8) => self.out.write_str("0.15915494309189532"),
            Some(at) => self.out.write_str(FLOATS.get(at).copied().unwrap_or_default()),
            None => self.hex(bits),
        }
    }

    /// A number of 32 bits as LLVM prints immediate ones.
    pub(super) fn word(&mut self, bits: u32) -> Result {
        if is_small(i64::from(bits as i32)) {
            return self.signed(i64::from(bits as i32));
        }
        match index(&WORDS, &bits).and_then(|at| FLOATS.get(at)) {
            Some(text) => self.out.write_str(text),
            None => self.hex(bits.into()),
        }
    }

    /// The number of `s_version`.
    pub(super) fn version(&mut self, number: i64) -> Result {
        let name = match number & 0xff {
            0 => "UC_VERSION_GFX7",
            4 => "UC_VERSION_GFX10",
            6 => "UC_VERSION_GFX11",
            9 => "UC_VERSION_GFX12",
            _ => "",
        };
        let bits = [(0x2000, "W64"), (0x4000, "W32"), (0x8000, "MDP")];
        let set = || bits.iter().filter(|(bit, _)| number & bit != 0);
        if number & 0x1f00 != 0 {
            return self.word(number as u32);
        }
        // LLVM writes more than one bit as an expression with parentheses.
        for _ in set().skip(1) {
            self.out.write_str("(")?;
        }
        if !name.is_empty() {
            self.out.write_str(name)?
        } else {
            write!(self.out, "{}", number & 0xff)?
        }
        for (place, (_, text)) in set().enumerate() {
            let close = if place + 1 == set().count() { "" } else { ")" };
            write!(self.out, "|UC_VERSION_{text}_BIT{close}")?;
        }
        Ok(())
    }
}
