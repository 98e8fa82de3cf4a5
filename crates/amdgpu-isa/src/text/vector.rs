//! Exchange between lanes, matrix products, exports.

use super::Printer;
use crate::form::{Print, name};
use crate::operand::Operand;
use alloc::borrow::ToOwned;
use alloc::format;
use core::fmt::{Result, Write};

impl Printer<'_> {
    pub(super) fn dpp8(&mut self, place: usize) -> Result {
        let lanes = self.mistaken(self.number(place), place);
        self.out.write_str("dpp8:[")?;
        for lane in 0..8 {
            write!(self.out, "{}{}", if lane == 0 { "" } else { "," }, lanes >> (3 * lane) & 7)?;
        }
        self.out.write_str("]")
    }

    pub(super) fn dpp_control(&mut self, place: usize) -> Result {
        let gfx10 = self.source.generation.major() >= 10;
        let control = self.mistaken(self.number(place), place) & 0xffff_ffff;
        let unsupported = |name: &str| format!("/* {name} is not supported starting from GFX10 */");
        if self.is_double_dpp() && !(0x150..=0x15f).contains(&control) {
            let share = if self.source.generation.major() == 12 { "row_share" } else { "row_newbcast" };
            return write!(self.out, " /* DP ALU dpp only supports {share} */");
        }
        let old = |name: &str, text: &str| if gfx10 { unsupported(name) } else { text.to_owned() };
        let text = match control {
            0..=0xff => {
                let lane = |n: u32| control >> (2 * n) & 3;
                return write!(self.out, "quad_perm:[{},{},{},{}]", lane(0), lane(1), lane(2), lane(3));
            }
            0x101..=0x10f => return write!(self.out, "row_shl:{}", control - 0x100),
            0x111..=0x11f => return write!(self.out, "row_shr:{}", control - 0x110),
            0x121..=0x12f => return write!(self.out, "row_ror:{}", control - 0x120),
            0x130 => old("wave_shl", "wave_shl:1"),
            0x134 => old("wave_rol", "wave_rol:1"),
            0x138 => old("wave_shr", "wave_shr:1"),
            0x13c => old("wave_ror", "wave_ror:1"),
            0x140 => "row_mirror".to_owned(),
            0x141 => "row_half_mirror".to_owned(),
            0x142 => old("row_bcast", "row_bcast:15"),
            0x143 => old("row_bcast", "row_bcast:31"),
            0x150..=0x15f if self.source.generation.gfx90a() => format!("row_newbcast:{}", control - 0x150),
            0x150..=0x15f if gfx10 => format!("row_share:{}", control - 0x150),
            0x150..=0x15f => {
                " /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */".to_owned()
            }
            0x160..=0x16f if gfx10 => format!("row_xmask:{}", control - 0x160),
            0x160..=0x16f => "/* row_xmask is not supported on ASICs earlier than GFX10 */".to_owned(),
            _ => "/* Invalid dpp_ctrl value */".to_owned(),
        };
        self.out.write_str(&text)
    }

    /// Whether this is mathematics of 64 bits, which exchanges fewer lanes.
    fn is_double_dpp(&self) -> bool {
        let generation = self.source.generation;
        if !generation.dpp64() {
            return false;
        }
        const SLOW: [&str; 4] = ["v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mad_u32"];
        if SLOW.iter().any(|name| self.mnemonic.strip_suffix("_e64_dpp") == Some(name)) {
            return generation.gfx1250();
        }
        let wide = |place: usize| {
            let name = self.source.form.slot(place).map_or("", |slot| slot.name());
            let operand = self.source.operand(place);
            ["vdst", "src0", "src1"].contains(&name)
                && matches!(operand, Operand::Register(one) if one.file() == crate::File::Vector && one.count() == 2)
        };
        (0..self.source.form.layout().1.len()).any(wide)
    }

    pub(super) fn blgp_neg(&mut self, place: usize) -> Result {
        match self.number(place) {
            0 => Ok(()),
            bits => write!(self.out, " neg:[{},{},{}]", bits & 1, bits >> 1 & 1, bits >> 2 & 1),
        }
    }

    pub(super) fn bit_operation(&mut self, place: usize) -> Result {
        match self.number(place) {
            0 => Ok(()),
            number @ 1..=10 => write!(self.out, " bitop3:{number}"),
            number => write!(self.out, " bitop3:{number:#x}"),
        }
    }

    pub(super) fn matrix(&mut self, print: Print, place: usize) -> Result {
        const FORMATS: [&str; 5] =
            ["MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"];
        const ROWS: [&str; 2] = ["MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"];
        const SCALES: [&str; 3] = ["MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3", "MATRIX_SCALE_FMT_E4M3"];
        let (text, names, mask): (&str, &[&str], u64) = match print {
            Print::MatrixAFMT => (" matrix_a_fmt:", &FORMATS, 7),
            Print::MatrixBFMT => (" matrix_b_fmt:", &FORMATS, 7),
            Print::MatrixAScale => (" matrix_a_scale:", &ROWS, 1),
            Print::MatrixBScale => (" matrix_b_scale:", &ROWS, 1),
            Print::MatrixAScaleFmt => (" matrix_a_scale_fmt:", &SCALES, 3),
            _ => (" matrix_b_scale_fmt:", &SCALES, 3),
        };
        match self.number(place) & mask {
            0 => Ok(()),
            number => match names.get(number as usize) {
                Some(name) => write!(self.out, "{text}{name}"),
                None => write!(self.out, "{text}{number}"),
            },
        }
    }

    pub(super) fn export_target(&mut self, place: usize) -> Result {
        let (target, major) = (self.number(place) & 63, self.source.generation.major());
        match target {
            0..=7 => write!(self.out, " mrt{target}"),
            8 => self.out.write_str(" mrtz"),
            9 if major < 11 => self.out.write_str(" null"),
            12..=15 => write!(self.out, " pos{}", target - 12),
            16 if major >= 10 => self.out.write_str(" pos4"),
            20 if major >= 10 => self.out.write_str(" prim"),
            21 | 22 if major >= 11 => write!(self.out, " dual_src_blend{}", target - 21),
            32.. if major < 11 => write!(self.out, " param{}", target - 32),
            _ => write!(self.out, " invalid_target_{target}"),
        }
    }

    pub(super) fn exported(&mut self, place: usize, number: usize) -> Result {
        let value = |name: u8| self.source.form.place(name).map_or(0, |place| self.number(place));
        let place = if value(name::COMPR) != 0 { place - number + number / 2 } else { place };
        if value(name::EN) >> number & 1 == 0 {
            return self.out.write_str("off");
        }
        match self.source.operand(place) {
            Operand::Register(register) => self.register(register),
            _ => Ok(()),
        }
    }
}
