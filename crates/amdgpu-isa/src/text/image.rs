//! Images: how many registers data and addresses have follows from the mask, the dimension and the mnemonic.

use super::{Printer, names};
use crate::form::{Item, Print, Reader, flag};
use std::fmt::{Result, Write};

impl<W: Write> Printer<'_, W> {
    pub(super) fn image(&mut self, print: Print, place: usize) -> Result {
        let value = self.number(place);
        if print == Print::Dim {
            return match names::DIMENSIONS.get(value as usize) {
                Some((name, _)) => write!(self.out, " dim:SQ_RSRC_IMG_{name}"),
                None => write!(self.out, " dim:SQ_RSRC_IMG_{value}"),
            };
        }
        match (value, self.source.generation.r128_is_a16) {
            (0, _) => Ok(()),
            (_, true) => self.out.write_str(" a16"),
            (_, false) => self.out.write_str(" r128"),
        }
    }

    pub(super) fn is_image(&self) -> bool {
        self.has(flag::MIMG | flag::VIMAGE | flag::VSAMPLE) && !self.mnemonic.contains("bvh")
    }

    fn field(&self, name: &str) -> u64 {
        self.source.form.place(name).map_or(0, |place| self.number(place))
    }

    /// How many registers an operand of an image instruction has.
    pub(super) fn image_count(&self, name: &str, index: u16, count: u8) -> u8 {
        match name {
            "vdata" | "vdst" => {
                let words = self.data_words();
                let exchanges = self.mnemonic.contains("cmpswap");
                let fits = match self.has(flag::IS_ATOMIC_RET | flag::IS_ATOMIC_NO_RET) {
                    true if exchanges => words >= 2,
                    true => words <= 3,
                    false => true,
                };
                // Registers that would lie behind the last are not there.
                if fits && index + u16::from(words) <= 256 { words } else { count }
            }
            "vaddr" if self.source.generation.major >= 10 => match self.address_words() {
                13.. if !self.has(flag::VSAMPLE) => 16,
                words => words,
            },
            _ => {
                let number = name.strip_prefix("vaddr").and_then(|rest| rest.parse::<usize>().ok());
                number.and_then(|number| self.last_address(number)).unwrap_or(count)
            }
        }
    }

    fn data_words(&self) -> u8 {
        let gathers = self.mnemonic.contains("gather4")
            || self.mnemonic.contains("msaa_load") && self.source.generation.major >= 11;
        let mut words = if gathers { 4 } else { (self.field("dmask") & 15).count_ones().max(1) };
        if self.field("d16") != 0 && self.source.generation.packed_d16 {
            words = words.div_ceil(2);
        }
        words += u32::from(self.field("tfe") != 0);
        words as u8
    }

    /// How many dwords of addresses the mnemonic and the dimension ask for.
    fn address_words(&self) -> u8 {
        let (coordinates, gradients) =
            names::DIMENSIONS.get(self.field("dim") as usize & 7).map_or((0, 0), |(_, counts)| *counts);
        let has = |part: &str| self.mnemonic.split('_').any(|one| one == part);
        let sample = has("sample") || has("gather4") || has("gather4h");
        let a16 = self.field("a16") != 0;
        let mut extra = 0;
        if sample {
            // An offset, a bias, a value to compare with.
            extra += u8::from(has("o")) + u8::from(has("b")) + u8::from(has("c"));
        }
        let level = sample && (has("l") || has("cl")) || has("mip") || has("resinfo");
        let components = if has("resinfo") { 0 } else { coordinates } + u8::from(level);
        let mut words = extra + if a16 { components.div_ceil(2) } else { components };
        if sample && (has("d") || has("cd")) {
            let short = a16 && !self.source.generation.g16 || has("g16");
            words += if short { (gradients / 2).next_multiple_of(2) } else { gradients };
        }
        words
    }

    /// The whole text, with as many addresses as the dimension asks for.
    pub(super) fn image_instruction(&mut self) -> Result {
        let form = self.source.form;
        let is_address = |item: &Item| {
            let slot = form.slot(usize::from(item.slot));
            item.print == Print::Operand && slot.is_some_and(|slot| is_address(slot.name()))
        };
        let places: Vec<usize> =
            form.items().iter().filter(|item| is_address(item)).map(|item| usize::from(item.slot)).collect();
        let mut printed = false;
        let mut items = form.items().iter().peekable();
        while let Some(item) = items.next() {
            if item.print == Print::Text
                && items.peek().is_some_and(|next| is_address(next))
                && !places.is_empty()
            {
                if !printed {
                    printed = true;
                    self.out.write_str(item.string().trim_end_matches('['))?;
                    self.write_addresses(&places)?;
                }
            } else if is_address(item) {
            } else if item.print == Print::Text && printed {
                self.out.write_str(item.string().trim_start_matches(']'))?;
            } else {
                self.item(item)?;
            }
        }
        Ok(())
    }

    /// Whether an address of this name is one of those that the dimension asks for.
    pub(super) fn uses_address(&self, name: &str) -> bool {
        let number = name.strip_prefix("vaddr").and_then(|rest| rest.parse::<usize>().ok());
        number.is_none_or(|number| number < self.addresses().used)
    }

    /// How many registers the address of this number has, where it is the one that takes all that are left.
    fn last_address(&self, number: usize) -> Option<u8> {
        let addresses = self.addresses();
        addresses.last.filter(|_| number + 1 == addresses.there)
    }

    /// The addresses of an image instruction that names several.
    fn addresses(&self) -> Addresses {
        let form = self.source.form;
        let (mut there, mut words) = (0, 0u8);
        for place in 0..form.layout().1.len() {
            let Some(slot) = form.slot(place).filter(|slot| is_address(slot.name())) else { continue };
            there += 1;
            words += match slot.reader {
                Reader::Source { words, .. } | Reader::Address { words } => words,
                _ => 1,
            };
        }
        let old = self.source.generation.major < 10;
        let wanted = if old { words } else { self.address_words() };
        let mut addresses = Addresses { there, used: there, last: None };
        if wanted <= words {
            addresses.used = there.min(usize::from(wanted.max(1)));
        }
        if there == 1 && !old {
            addresses.last = Some(if wanted > 12 && !self.has(flag::VSAMPLE) { 16 } else { wanted });
        } else if usize::from(wanted) > there.saturating_sub(1)
            && (self.source.generation.partial_nsa || usize::from(words) > there)
        {
            let rest = wanted.saturating_sub((there as u8).saturating_sub(1));
            addresses.last = (usize::from(wanted) >= there).then_some(rest);
        }
        addresses
    }

    fn write_addresses(&mut self, places: &[usize]) -> Result {
        let count = self.addresses().used.min(places.len());
        if count > 1 {
            self.out.write_str("[")?;
        }
        for (number, place) in places.iter().take(count).enumerate() {
            if number > 0 {
                self.out.write_str(", ")?;
            }
            self.operand(*place)?;
        }
        if count > 1 { self.out.write_str("]") } else { Ok(()) }
    }
}

/// How many addresses an image instruction names, how many of them it uses, and how many registers the last has.
#[derive(Debug, Clone, Copy)]
struct Addresses {
    there: usize,
    used: usize,
    last: Option<u8>,
}

/// Whether an operand of this name is one of several addresses.
fn is_address(name: &str) -> bool {
    name.strip_prefix("vaddr").is_some_and(|rest| !rest.is_empty())
}
