//! What the lower 256 values of a source mean: scalar registers, constants, special registers. One table per set of processors.

use super::generation::Generation;
use super::operand::{File, Register};

/// What a value of a source means.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scalar {
    /// A register, with a count of one.
    Register(Register),
    /// The constant that the value stands for.
    Inline,
    /// The constant of 32 bits behind the instruction.
    Literal,
    /// The constant of 64 bits there.
    Literal64,
}

static BEFORE_GFX9: [Scalar; 256] = table(8, false);
static GFX9: [Scalar; 256] = table(9, false);
static GFX10: [Scalar; 256] = table(10, false);
static GFX11: [Scalar; 256] = table(11, false);
static GFX1250: [Scalar; 256] = table(12, true);

/// The table of a generation.
#[inline]
pub(super) fn of(generation: &Generation) -> &'static [Scalar; 256] {
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

const fn table(major: u8, has_literal64: bool) -> [Scalar; 256] {
    let mut all = [Scalar::Literal; 256];
    let last_scalar = if major >= 10 { 105 } else { 101 };
    let first_trap = if major >= 9 { 108 } else { 112 };
    let mut value = 0u16;
    while value < 256 {
        all[value as usize] = match value {
            128..=208 | 240..=248 => Scalar::Inline,
            254 if has_literal64 => Scalar::Literal64,
            255 => Scalar::Literal,
            _ if value <= last_scalar => register(File::Scalar, value),
            _ if value >= first_trap && value <= 123 => register(File::Trap, value - first_trap),
            _ => register(File::Special, special(value, major)),
        };
        value += 1;
    }
    all
}

const fn register(file: File, index: u16) -> Scalar {
    Scalar::Register(Register::new(file, index, 1, None))
}
