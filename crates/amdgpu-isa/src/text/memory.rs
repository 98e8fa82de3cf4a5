//! Addresses, cache policies, formats, images.

use super::{Printer, names};
use crate::form::{Item, Print};
use crate::operand::{Operand, sign_extended};
use core::fmt::{Result, Write};

impl Printer<'_> {
    pub(super) fn cache(&mut self, item: &Item) -> Result {
        let (kind, scalar, returns) = (item.more & 3, item.more & 4 != 0, item.more & 8 != 0);
        let policy = self.number(usize::from(item.slot)) | u64::from(returns);
        let generation = self.source.generation;
        if policy == 0 {
            return Ok(());
        }
        if generation.major() >= 12 {
            return self.temporal_hints(policy, kind);
        }
        let gfx940 = generation.gfx940();
        if policy & 1 != 0 {
            self.out.write_str(if gfx940 && !scalar { " sc0" } else { " glc" })?;
        }
        if policy & 2 != 0 {
            self.out.write_str(if gfx940 { " nt" } else { " slc" })?;
        }
        if policy & 4 != 0 && generation.major() >= 10 {
            self.out.write_str(" dlc")?;
        }
        if policy & 16 != 0 && generation.gfx90a() {
            self.out.write_str(if gfx940 { " sc1" } else { " scc" })?;
        }
        if policy & !23 != 0 { self.out.write_str(" /* unexpected cache policy bit */") } else { Ok(()) }
    }

    fn temporal_hints(&mut self, policy: u64, kind: u16) -> Result {
        let (hint, scope) = (policy & 7, policy >> 3 & 3);
        if policy & 0x800 != 0 {
            self.out.write_str(" scale_offset")?;
        }
        if hint != 0 {
            self.out.write_str(" th:")?;
            match kind {
                2 => self.atomic_hint(hint, scope)?,
                0 if hint == 7 => write!(self.out, "{hint:#x}")?,
                _ => {
                    let name = match hint {
                        1 => "NT",
                        2 => "HT",
                        3 if scope == 3 => "BYPASS",
                        3 if kind == 1 => "WB",
                        3 => "LU",
                        4 => "NT_RT",
                        5 => "RT_NT",
                        6 => "NT_HT",
                        _ => "NT_WB",
                    };
                    write!(self.out, "TH_{}_{name}", if kind == 1 { "STORE" } else { "LOAD" })?;
                }
            }
        }
        let scope =
            ["", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"].get(scope as usize).copied();
        self.out.write_str(scope.unwrap_or_default())?;
        if policy & 32 != 0 { self.out.write_str(" nv") } else { Ok(()) }
    }

    fn atomic_hint(&mut self, hint: u64, scope: u64) -> Result {
        self.out.write_str("TH_ATOMIC_")?;
        match hint {
            4.. if scope >= 2 => self.out.write_str(if hint & 2 != 0 { "CASCADE_NT" } else { "CASCADE_RT" }),
            4.. => write!(self.out, "{hint:#x}"),
            3 => self.out.write_str("NT_RETURN"),
            2 => self.out.write_str("NT"),
            _ => self.out.write_str("RETURN"),
        }
    }

    pub(super) fn offset(&mut self, print: Print, place: usize) -> Result {
        let (value, major) = (self.number(place), self.source.generation.major());
        if value == 0 {
            return Ok(());
        }
        let signed = match print {
            Print::BufferOffset => (major >= 12).then_some(24),
            Print::GlobalOffset | Print::FlatOffset if major >= 12 => Some(24),
            Print::GlobalOffset => Some(if major == 10 { 12 } else { 13 }),
            _ => None,
        };
        match signed {
            Some(bits) => self.named_number(sign_extended(value, bits)),
            None => self.named_number((value & 0xffff) as i64),
        }
    }

    fn named_number(&mut self, offset: i64) -> Result {
        self.out.push_short(*b" offset:", 8);
        self.signed(offset)
    }

    pub(super) fn scalar_offset(&mut self, place: usize) -> Result {
        match self.source.operand(place) {
            Operand::Number(number) if number < 0 => {
                self.out.byte(b'-');
                self.hex(number.unsigned_abs())
            }
            Operand::Number(number) => self.hex(number as u64),
            _ => Ok(()),
        }
    }

    /// The format of typed buffer accesses.
    pub(super) fn format(&mut self, place: usize) -> Result {
        let (value, major) = (self.number(place), self.source.generation.major());
        if major >= 10 {
            if value == 1 {
                return Ok(());
            }
            return match names::unified_format(value as usize, major) {
                Some(name) => write!(self.out, " format:[BUF_FMT_{name}]"),
                None => write!(self.out, " format:{value}"),
            };
        }
        let (data, number) = (value & 15, value >> 4 & 7);
        if value == 1 {
            return Ok(());
        }
        self.out.write_str(" format:[")?;
        if data != 1 {
            let name = names::DATA_FORMATS.get(data as usize).copied().unwrap_or_default();
            write!(self.out, "BUF_DATA_FORMAT_{name}{}", if number != 0 { "," } else { "" })?;
        }
        if number != 0 {
            let name = match number {
                6 if major < 8 => "SNORM_OGL",
                _ => names::NUMBER_FORMATS.get(number as usize).copied().unwrap_or_default(),
            };
            write!(self.out, "BUF_NUM_FORMAT_{name}")?;
        }
        self.out.write_str("]")
    }
}
