//! What the lower 256 values of a source mean: scalar registers, constants, special registers. One table per
//! set of processors.

use super::generation::Generation;
use super::operand::{File, Register};

/// A value that is no register: the kinds of entries, in their highest two bits. An entry of a register is
/// its bits, with a count of zero.
pub(super) const INLINE: u32 = 1 << 30;
/// A constant of 32 bits behind the instruction.
pub(super) const LITERAL: u32 = 2 << 30;
/// A constant of 64 bits there.
pub(super) const LITERAL64: u32 = 3 << 30;

static BEFORE_GFX9: [u32; 256] = table(8, false);
static GFX9: [u32; 256] = table(9, false);
static GFX10: [u32; 256] = table(10, false);
static GFX11: [u32; 256] = table(11, false);
static GFX1250: [u32; 256] = table(12, true);

/// The table of a generation.
#[inline]
pub(super) fn scalar_table(generation: Generation) -> &'static [u32; 256] {
    match generation.major() {
        _ if generation.gfx1250() => &GFX1250,
        ..=8 => &BEFORE_GFX9,
        9 => &GFX9,
        10 => &GFX10,
        _ => &GFX11,
    }
}

/// The value of a special register, m0 and null as they are before gfx11.
pub(super) const fn special(value: u16, major: u8) -> u16 {
    match value {
        124 | 125 if major >= 11 => 249 - value,
        _ => value,
    }
}

const fn table(major: u8, has_literal64: bool) -> [u32; 256] {
    let mut all = [LITERAL; 256];
    let last_scalar = if major >= 10 { 105 } else { 101 };
    let first_trap = if major >= 9 { 108 } else { 112 };
    let mut value = 0u16;
    while value < 256 {
        all[value as usize] = match value {
            128..=208 | 240..=248 => INLINE,
            254 if has_literal64 => LITERAL64,
            255 => LITERAL,
            _ if value <= last_scalar => register(File::Scalar, value),
            _ if value >= first_trap && value <= 123 => register(File::Trap, value - first_trap),
            _ => register(File::Special, special(value, major)),
        };
        value += 1;
    }
    all
}

const fn register(file: File, index: u16) -> u32 {
    Register::new(file, index, 0, None).bits()
}
