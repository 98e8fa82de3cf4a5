//! Modifiers of sources: signs, halves, selections.

use super::Printer;
use super::buffer::Text;
use crate::form::{List, name};
use crate::operand::Operand;
use core::fmt::{Result, Write};

const NEGATED: u64 = 1;
const ABSOLUTE: u64 = 2;
const SIGN_EXTENDED: u64 = 16;

impl Printer<'_> {
    pub(super) fn float_modified(&mut self, place: usize) -> Result {
        let modifiers = self.number(place);
        if modifiers & (NEGATED | ABSOLUTE) == 0 {
            return self.operand(place + 1);
        }
        let absolute = modifiers & ABSOLUTE != 0;
        let constant = !matches!(self.source.operand(place + 1), Operand::Register(_));
        let spelled = modifiers & NEGATED != 0 && !absolute && constant && !self.is_lit(place + 1);
        if modifiers & NEGATED != 0 {
            self.out.write_str(if spelled { "neg(" } else { "-" })?;
        }
        if absolute {
            self.out.write_str("|")?;
        }
        self.operand(place + 1)?;
        if absolute {
            if self.has_condition_inside(place) {
                self.out.write_str(if self.source.generation.wave32() { ", vcc_lo" } else { ", vcc" })?;
            }
            self.out.write_str("|")?;
        }
        if spelled { self.out.write_str(")") } else { Ok(()) }
    }

    /// Whether LLVM 22 writes the condition of a selection between the bars of its second source.
    pub(super) fn has_condition_inside(&self, place: usize) -> bool {
        let generation = self.source.generation;
        generation.imitates_llvm()
            && generation.major() >= 12
            && self.mnemonic == "v_cndmask_b32_dpp"
            && self.source.form.place(name::SRC1_MODIFIERS) == Some(place)
            && self.number(place) & ABSOLUTE != 0
    }

    /// Whether an operand is printed as `lit(…)`, which LLVM takes for no number.
    fn is_lit(&self, place: usize) -> bool {
        if !matches!(self.source.operand(place), Operand::Literal(_) | Operand::Literal64(_)) {
            return false;
        }
        let mut text = Text::new();
        let mut printer = Printer { out: &mut text, source: self.source, mnemonic: self.mnemonic };
        printer.operand(place).is_ok() && text.as_str().starts_with("lit")
    }

    pub(super) fn integer_modified(&mut self, place: usize) -> Result {
        let extended = self.number(place) & SIGN_EXTENDED != 0;
        if extended {
            self.out.write_str("sext(")?;
        }
        self.operand(place + 1)?;
        if extended { self.out.write_str(")") } else { Ok(()) }
    }

    /// One bit of each source's modifiers.
    pub(super) fn list(&mut self, list: &List) -> Result {
        let mut bits = [0; 4];
        let count = usize::from(list.count).min(3);
        for (bit, place) in bits.iter_mut().zip(list.places).take(count) {
            *bit = match place {
                // LLVM has a default of one here and looks for the bit in it: nothing is found.
                255 => 0,
                _ => u64::from(self.number(usize::from(place)) & u64::from(list.bit) != 0),
            };
        }
        let expected = u64::from(list.packed && list.bit == 8);
        let result = list.result
            && list
                .places
                .first()
                .is_some_and(|place| *place != 255 && self.number(usize::from(*place)) & 8 != 0);
        if bits.iter().take(count).all(|bit| *bit == expected) && !result {
            return Ok(());
        }
        self.out.write_str(list.name)?;
        for (number, bit) in bits.iter().take(count).enumerate() {
            write!(self.out, "{}{bit}", if number == 0 { "" } else { "," })?;
        }
        if list.result {
            write!(self.out, ",{}", u8::from(result))?;
        }
        self.out.write_str("]")
    }

    /// The byte that a conversion from eight bits takes.
    pub(super) fn select_byte(&mut self) -> Result {
        let modifiers = self.source.form.place(name::SRC0_MODIFIERS).map_or(0, |place| self.number(place));
        self.two(modifiers >> 2 & 1, modifiers >> 3 & 1)
    }

    pub(super) fn select_permlane(&mut self) -> Result {
        let bit = |name: u8| self.source.form.place(name).map_or(0, |place| self.number(place) >> 2 & 1);
        let (first, second) = (bit(name::SRC0_MODIFIERS), bit(name::SRC1_MODIFIERS));
        self.two(first, second)
    }

    fn two(&mut self, first: u64, second: u64) -> Result {
        if first | second == 0 { Ok(()) } else { write!(self.out, " op_sel:[{first},{second}]") }
    }

    pub(super) fn selection(&mut self, text: &str, place: usize) -> Result {
        const NAMES: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
        let name = NAMES.get(self.number(place) as usize).copied().unwrap_or("INVALID");
        write!(self.out, "{text}{name}")
    }

    pub(super) fn unused(&mut self, place: usize) -> Result {
        // The last value is reserved; LLVM's printer takes it for the first.
        const NAMES: [&str; 4] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "UNUSED_PAD"];
        let name = NAMES.get(self.number(place) as usize).copied().unwrap_or("INVALID");
        write!(self.out, "dst_unused:{name}")
    }
}
