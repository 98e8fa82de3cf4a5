//! Names of registers.

use super::Printer;
use crate::operand::{File, Half, Register};
use core::fmt::{Result, Write};

/// Names of special registers of 32 bits, and of the 64-bit ones that begin there.
const SPECIAL: &[(u16, &str, &str)] = &[
    (102, "flat_scratch_lo", "flat_scratch"),
    (103, "flat_scratch_hi", ""),
    (104, "xnack_mask_lo", "xnack_mask"),
    (105, "xnack_mask_hi", ""),
    (106, "vcc_lo", "vcc"),
    (107, "vcc_hi", ""),
    (108, "tba_lo", "tba"),
    (109, "tba_hi", ""),
    (110, "tma_lo", "tma"),
    (111, "tma_hi", ""),
    (124, "m0", "m0"),
    (125, "null", "null"),
    (126, "exec_lo", "exec"),
    (127, "exec_hi", ""),
    (230, "src_flat_scratch_base_lo", "src_flat_scratch_base_lo"),
    (231, "src_flat_scratch_base_hi", "src_flat_scratch_base_hi"),
    (235, "src_shared_base", "src_shared_base"),
    (236, "src_shared_limit", "src_shared_limit"),
    (237, "src_private_base", "src_private_base"),
    (238, "src_private_limit", "src_private_limit"),
    (239, "src_pops_exiting_wave_id", "src_pops_exiting_wave_id"),
    (251, "src_vccz", "src_vccz"),
    (252, "src_execz", "src_execz"),
    (253, "src_scc", "src_scc"),
    (254, "src_lds_direct", "src_lds_direct"),
    (1000, "mode", "mode"),
];

/// The name of a special register.
pub(crate) fn special(register: Register) -> &'static str {
    let found = SPECIAL.iter().find(|(value, ..)| *value == register.index());
    found.map_or("", |(_, word, pair)| if register.count() == 1 { word } else { pair })
}

/// Writes the name of registers.
pub(crate) fn write<W: Write>(register: Register, out: &mut W) -> Result {
    let prefix = match register.file() {
        File::Vector => "v",
        File::Accumulation => "a",
        File::Scalar => "s",
        File::Trap => "ttmp",
        File::Special => return out.write_str(special(register)),
    };
    let first = register.index();
    match (register.count(), register.half()) {
        (_, Some(Half::Low)) => write!(out, "{prefix}{first}.l"),
        (_, Some(Half::High)) => write!(out, "{prefix}{first}.h"),
        (0 | 1, None) => write!(out, "{prefix}{first}"),
        (count, None) => write!(out, "{prefix}[{first}:{}]", first + u16::from(count) - 1),
    }
}

/// The letter of a file.
fn letter(file: File) -> u8 {
    match file {
        File::Vector => b'v',
        File::Accumulation => b'a',
        _ => b's',
    }
}

/// The registers that LLVM finds where it has no scalar ones of such a width.
fn as_llvm(register: Register) -> Register {
    match (register.file(), register.count()) {
        (File::Scalar, 6) => register.with_count(5),
        (File::Trap, 3 | 5 | 6) => register.with_count(8),
        _ => register,
    }
}

impl Printer<'_> {
    #[inline]
    pub(super) fn register(&mut self, register: Register) -> Result {
        let is_odd = self.source.generation.imitates_llvm() && !self.source.is_scaled_matrix();
        let register = if is_odd { as_llvm(register) } else { register };
        let first = u64::from(register.index());
        let letter = letter(register.file());
        match (register.file(), register.half()) {
            (File::Special, _) => self.out.push(special(register)),
            (File::Trap, _) | (_, Some(_)) => return write(register, self.out),
            _ if register.count() <= 1 => self.out.register(letter, first),
            _ => self.out.registers(letter, first, first + u64::from(register.count()) - 1),
        }
        Ok(())
    }

    /// The first register of several.
    pub(super) fn first_register(&mut self, place: usize) -> Result {
        if let crate::Operand::Register(register) = self.source.operand(place) {
            return self.register(register.with_count(1));
        }
        Ok(())
    }
}
