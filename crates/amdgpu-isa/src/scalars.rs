//! What the lower 256 values of a source mean: scalar registers, constants, special registers. One table per
//! set of processors.

use super::operand::{File, Register};

/// A value that is no register: the kinds of entries, in their highest two bits. An entry of a register has
/// none of these; it is its bits, with a count of zero.
const INLINE: u32 = 1 << 30;
/// A constant of 32 bits behind the instruction.
const LITERAL: u32 = 2 << 30;
/// A constant of 64 bits there.
pub(super) const LITERAL64: u32 = 3 << 30;

/// The entries of the 256 values for each class of sizes: one dword, two, more, and 32. Scalar registers in a
/// row begin at a multiple of two, or of four.
type ScalarTable = [u32; CLASSES << VALUE_BITS];

const CLASSES: usize = 4;
const VALUE_BITS: usize = 8;

/// The tables, by the numbers that a generation has for them.
static TABLES: [ScalarTable; 5] =
    [table(8, false), table(9, false), table(10, false), table(11, false), table(12, true)];

/// The entry of a value in a table.
#[inline(always)]
pub(super) fn entry(number: usize, class: usize, value: u64) -> u32 {
    let at = (class & (CLASSES - 1)) << VALUE_BITS | value as usize & 0xff;
    TABLES.get(number).map_or(LITERAL, |table| table[at])
}

/// The class of a size in dwords.
#[inline(always)]
pub(super) fn class(words: u8) -> usize {
    usize::from(words > 1) + usize::from(words > 2) + usize::from(words > 16)
}

/// The value of a special register, m0 and null as they are before gfx11.
pub(super) const fn special(value: u16, major: u8) -> u16 {
    match value {
        124 | 125 if major >= 11 => 249 - value,
        _ => value,
    }
}

const fn table(major: u8, has_literal64: bool) -> ScalarTable {
    let mut all = [LITERAL; 4 * 256];
    let last_scalar = if major >= 10 { 105 } else { 101 };
    let first_trap = if major >= 9 { 108 } else { 112 };
    let mut class = 0;
    while class < 4 {
        let mut value = 0u16;
        while value < 256 {
            all[class << 8 | value as usize] = match value {
                128..=208 | 240..=248 => INLINE,
                254 if has_literal64 => LITERAL64,
                255 => LITERAL,
                _ if value <= last_scalar => in_a_row(File::Scalar, value, class),
                _ if value >= first_trap && value <= 123 => in_a_row(File::Trap, value - first_trap, class),
                _ => register(File::Special, special(value, major)),
            };
            value += 1;
        }
        class += 1;
    }
    all
}

/// The first of registers in a row. No more than sixteen scalar ones come so, where as many vector registers
/// as 32 can: the bits of a count turn 32, which a reader adds by its bits that differ, into that.
const fn in_a_row(file: File, index: u16, class: usize) -> u32 {
    let first = match class {
        0 => index,
        1 => index & !1,
        _ => index & !3,
    };
    register(file, first) | if class == 3 { (32 ^ 16) << 16 } else { 0 }
}

const fn register(file: File, index: u16) -> u32 {
    Register::new(file, index, 0, None).bits() as u32
}
