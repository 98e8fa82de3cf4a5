//! Messages, hardware registers, waits.

use super::{Printer, names};
use core::fmt::{Result, Write};

impl Printer<'_> {
    pub(super) fn hardware_register(&mut self, place: usize) -> Result {
        let value = self.number(place);
        let (id, offset, width) = (value & 63, value >> 6 & 31, (value >> 11 & 31) + 1);
        self.out.write_str("hwreg(")?;
        match names::hardware_register(id, self.source.generation) {
            Some(name) => write!(self.out, "HW_REG_{name}")?,
            None => write!(self.out, "{id}")?,
        }
        if width != 32 || offset != 0 {
            write!(self.out, ", {offset}, {width}")?;
        }
        self.out.write_str(")")
    }

    pub(super) fn message(&mut self, place: usize) -> Result {
        let (value, major) = (self.number(place), self.source.generation.major());
        let (id, operation, stream) =
            if major >= 11 { (value & 255, 0, 0) } else { (value & 15, value >> 4 & 7, value >> 8 & 3) };
        let geometry = major < 11 && (id == 2 || id == 3);
        let takes_operation = id == 15 || geometry;
        let operation_name = match (id, operation) {
            (15, 1) => "SYSMSG_OP_ECC_ERR_INTERRUPT",
            (15, 2) => "SYSMSG_OP_REG_RD",
            (15, 3) if major < 9 => "SYSMSG_OP_HOST_TRAP_ACK",
            (15, 4) => "SYSMSG_OP_TTRACE_PC",
            (3, 0) if geometry => "GS_OP_NOP",
            (_, 1) if geometry => "GS_OP_CUT",
            (_, 2) if geometry => "GS_OP_EMIT",
            (_, 3) if geometry => "GS_OP_EMIT_CUT",
            _ => "",
        };
        let fits = if takes_operation { !operation_name.is_empty() } else { operation == 0 };
        let stream_fits = if geometry && operation != 0 { true } else { stream == 0 };
        match names::message(id, self.source.generation) {
            Some(name) if fits && stream_fits => {
                write!(self.out, "sendmsg(MSG_{name}")?;
                if takes_operation {
                    write!(self.out, ", {operation_name}")?;
                }
                if geometry && operation != 0 {
                    write!(self.out, ", {stream}")?;
                }
                self.out.write_str(")")
            }
            _ if id | operation << 4 | stream << 8 == value => {
                write!(self.out, "sendmsg({id}, {operation}, {stream})")
            }
            _ => write!(self.out, "{value}"),
        }
    }

    pub(super) fn wait_counts(&mut self, place: usize) -> Result {
        let (value, major) = (self.number(place), self.source.generation.major());
        let (vector, most) = match major {
            11.. => (value >> 10 & 63, 63),
            9 | 10 => (value & 15 | (value >> 14 & 3) << 4, 63),
            _ => (value & 15, 15),
        };
        let exports = if major >= 11 { value & 7 } else { value >> 4 & 7 };
        let (other, most_other) = match major {
            11.. => (value >> 4 & 63, 63),
            10 => (value >> 8 & 63, 63),
            _ => (value >> 8 & 15, 15),
        };
        let counts = [("vmcnt", vector, most), ("expcnt", exports, 7), ("lgkmcnt", other, most_other)];
        let all = counts.iter().all(|(_, count, most)| count == most);
        let mut between = "";
        for (name, count, _) in counts.iter().filter(|(_, count, most)| all || count != most) {
            write!(self.out, "{between}{name}({count})")?;
            between = " ";
        }
        Ok(())
    }

    pub(super) fn dependencies(&mut self, place: usize) -> Result {
        // Name, first bit, width; each is at its highest by default.
        const FIELDS: [(&str, u32, u32); 7] = [
            ("hold_cnt", 7, 1),
            ("sa_sdst", 0, 1),
            ("va_vdst", 12, 4),
            ("va_sdst", 9, 3),
            ("va_ssrc", 8, 1),
            ("va_vcc", 1, 1),
            ("vm_vsrc", 2, 3),
        ];
        let (value, generation) = (self.number(place) & 0xffff, self.source.generation);
        let holds = generation.major() > 10 || generation.gfx10_3();
        let fields = || FIELDS.iter().filter(move |(name, ..)| holds || *name != "hold_cnt");
        let mask = |width: u32| (1u64 << width) - 1;
        let used = fields().fold(0, |used, (_, first, width)| used | mask(*width) << first);
        if value & !used != 0 {
            return write!(self.out, "{value:#x}");
        }
        let all = fields().all(|(_, first, width)| value >> first & mask(*width) == mask(*width));
        let mut between = "";
        for (name, first, width) in fields() {
            let count = value >> first & mask(*width);
            if all || count != mask(*width) {
                write!(self.out, "{between}depctr_{name}({count})")?;
                between = " ";
            }
        }
        Ok(())
    }

    pub(super) fn delay(&mut self, place: usize) -> Result {
        const IDS: [&str; 12] = [
            "NO_DEP",
            "VALU_DEP_1",
            "VALU_DEP_2",
            "VALU_DEP_3",
            "VALU_DEP_4",
            "TRANS32_DEP_1",
            "TRANS32_DEP_2",
            "TRANS32_DEP_3",
            "FMA_ACCUM_CYCLE_1",
            "SALU_CYCLE_1",
            "SALU_CYCLE_2",
            "SALU_CYCLE_3",
        ];
        const SKIPS: [&str; 6] = ["SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];
        let value = self.number(place);
        let mut between = "";
        for (text, number, names, bad) in [
            ("instid0", value & 15, &IDS[..], "/* invalid instid value */"),
            ("instskip", value >> 4 & 7, &SKIPS[..], "/* invalid instskip value */"),
            ("instid1", value >> 7 & 15, &IDS[..], "/* invalid instid value */"),
        ] {
            if number != 0 {
                let name = names.get(number as usize).copied().unwrap_or(bad);
                write!(self.out, "{between}{text}({name})")?;
                between = " | ";
            }
        }
        if between.is_empty() { self.out.write_str("0") } else { Ok(()) }
    }

    pub(super) fn index_mode(&mut self, place: usize) -> Result {
        let value = self.number(place);
        if value & !15 != 0 {
            return write!(self.out, "{value:#x}");
        }
        self.out.write_str("gpr_idx(")?;
        let mut between = "";
        for (bit, name) in ["SRC0", "SRC1", "SRC2", "DST"].iter().enumerate() {
            if value >> bit & 1 == 1 {
                write!(self.out, "{between}{name}")?;
                between = ",";
            }
        }
        self.out.write_str(")")
    }

    /// How `ds_swizzle` exchanges lanes.
    pub(super) fn swizzle(&mut self, place: usize) -> Result {
        let value = self.number(place) & 0xffff;
        if value == 0 {
            return Ok(());
        }
        self.out.write_str(" offset:")?;
        if value >= 0xe000 && self.source.generation.major() >= 9 {
            return write!(self.out, "swizzle(FFT,{})", value & 31);
        }
        if value >= 0xc000 && self.source.generation.major() >= 9 {
            return write!(self.out, "swizzle(ROTATE,{},{})", value >> 10 & 1, value >> 5 & 31);
        }
        if value & 0xff00 == 0x8000 {
            let lane = |n: u32| value >> (2 * n) & 3;
            return write!(self.out, "swizzle(QUAD_PERM,{},{},{},{})", lane(0), lane(1), lane(2), lane(3));
        }
        if value & 0x8000 != 0 {
            return write!(self.out, "{value}");
        }
        let (and, or, xor) = (value & 31, value >> 5 & 31, value >> 10 & 31);
        let group = 32 - and;
        if and == 31 && or == 0 && xor.is_power_of_two() {
            write!(self.out, "swizzle(SWAP,{xor})")
        } else if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
            write!(self.out, "swizzle(REVERSE,{})", xor + 1)
        } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
            write!(self.out, "swizzle(BROADCAST,{group},{or})")
        } else {
            self.out.write_str("swizzle(BITMASK_PERM,\"")?;
            let (zeros, ones) = (or ^ xor, (and | or) ^ xor);
            for bit in (0..5).rev() {
                let mark = match (zeros >> bit & 1, ones >> bit & 1) {
                    (0, 0) => "0",
                    (1, 1) => "1",
                    (0, _) => "p",
                    _ => "i",
                };
                self.out.write_str(mark)?;
            }
            self.out.write_str("\")")
        }
    }
}
