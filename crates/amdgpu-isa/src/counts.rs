//! How many registers operands have where that follows from other operands: of images from the mask, the dimension and the
//! mnemonic, of matrix products from the formats of their sources and from the width of the wave.
#![deny(clippy::indexing_slicing)]

use super::form::{Reader, Slot, flag, name};
use super::operand::{Register, Source};
use super::text::names;

/// Instructions whose operands do not have as many registers as their encoding says.
const ODD: u64 = flag::MIMG | flag::VIMAGE | flag::VSAMPLE | flag::IS_MAI | flag::IS_WMMA | flag::IS_SWMMAC;

impl Source {
    #[inline]
    pub(super) fn has(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// A register with the count that other operands give it.
    #[inline(always)]
    pub(super) fn adjusted(&self, slot: &Slot, register: Register) -> Register {
        let plain = self.generation.wave32() || self.generation.major() < 12;
        if plain && !self.has(ODD) { register } else { self.counted(slot.name(), register) }
    }

    #[inline(never)]
    fn counted(&self, called: &str, register: Register) -> Register {
        let count = if self.is_image() {
            self.image_count(called, register.index(), register.count())
        } else if self.is_scaled_matrix() {
            self.matrix_count(called, register.count())
        } else if !self.generation.wave32() && self.has(flag::IS_WMMA | flag::IS_SWMMAC) {
            // A matrix lies in as many lanes as there are: in twice the lanes of half the registers. gfx11 repeats its sources.
            let repeated = self.generation.major() == 11 && matches!(called, "src0" | "src1");
            if repeated || register.count() == 1 { register.count() } else { register.count() / 2 }
        } else if !self.generation.wave32()
            && called == "vdst"
            && self.mnemonic().starts_with("global_load_tr_")
        {
            register.count() / 2
        } else {
            register.count()
        };
        register.with_count(count)
    }

    /// Whether an operand of a name is used at all: images have more addresses than they need.
    #[inline]
    pub(super) fn is_used(&self, slot: &Slot) -> bool {
        !self.is_image() || self.uses_address(slot.name())
    }

    /// Whether this is a matrix product whose sources' widths depend on their formats.
    pub(super) fn is_scaled_matrix(&self) -> bool {
        let scales = self.generation.gfx940() || self.generation.gfx1250();
        scales && self.has(flag::IS_MAI | flag::IS_WMMA) && self.mnemonic().contains("f8f6f4")
    }

    #[inline]
    pub(super) fn is_image(&self) -> bool {
        self.has(flag::MIMG | flag::VIMAGE | flag::VSAMPLE) && !self.mnemonic().contains("bvh")
    }

    fn field(&self, name: u8) -> u64 {
        self.form.place(name).map_or(0, |place| self.number(place))
    }

    /// How many registers an operand of an image instruction has.
    pub(super) fn image_count(&self, called: &str, index: u16, count: u8) -> u8 {
        match called {
            "vdata" | "vdst" => {
                let words = self.data_words();
                let exchanges = self.mnemonic().contains("cmpswap");
                let fits = match self.has(flag::IS_ATOMIC_RET | flag::IS_ATOMIC_NO_RET) {
                    true if exchanges => words >= 2,
                    true => words <= 3,
                    false => true,
                };
                // Registers that would lie behind the last are not there.
                if fits && index + u16::from(words) <= 256 { words } else { count }
            }
            "vaddr" if self.generation.major() >= 10 => match self.address_words() {
                13.. if !self.has(flag::VSAMPLE) => 16,
                words => words,
            },
            _ => {
                let number = called.strip_prefix("vaddr").and_then(|rest| rest.parse::<usize>().ok());
                number.and_then(|number| self.last_address(number)).unwrap_or(count)
            }
        }
    }

    fn data_words(&self) -> u8 {
        let gathers = self.mnemonic().contains("gather4")
            || self.mnemonic().contains("msaa_load") && self.generation.major() >= 11;
        let mut words = if gathers { 4 } else { (self.field(name::DMASK) & 15).count_ones().max(1) };
        if self.field(name::D16) != 0 && self.generation.packed_d16() {
            words = words.div_ceil(2);
        }
        words += u32::from(self.field(name::TFE) != 0);
        words as u8
    }

    /// How many dwords of addresses the mnemonic and the dimension ask for.
    fn address_words(&self) -> u8 {
        let (coordinates, gradients) =
            names::DIMENSIONS.get(self.field(name::DIM) as usize & 7).map_or((0, 0), |(_, counts)| *counts);
        let has = |part: &str| self.mnemonic().split('_').any(|one| one == part);
        let sample = has("sample") || has("gather4") || has("gather4h");
        let a16 = self.field(name::A16) != 0;
        let mut extra = 0;
        if sample {
            // An offset, a bias, a value to compare with.
            extra += u8::from(has("o")) + u8::from(has("b")) + u8::from(has("c"));
        }
        let level = sample && (has("l") || has("cl")) || has("mip") || has("resinfo");
        let components = if has("resinfo") { 0 } else { coordinates } + u8::from(level);
        let mut words = extra + if a16 { components.div_ceil(2) } else { components };
        if sample && (has("d") || has("cd")) {
            let short = a16 && !self.generation.g16() || has("g16");
            words += if short { (gradients / 2).next_multiple_of(2) } else { gradients };
        }
        words
    }

    /// Whether an address of this name is one of those that the dimension asks for.
    pub(super) fn uses_address(&self, called: &str) -> bool {
        let number = called.strip_prefix("vaddr").and_then(|rest| rest.parse::<usize>().ok());
        number.is_none_or(|number| number < self.addresses().used)
    }

    /// How many registers the address of this number has, where it is the one that takes all that are left.
    fn last_address(&self, number: usize) -> Option<u8> {
        let addresses = self.addresses();
        addresses.last.filter(|_| number + 1 == addresses.there)
    }

    /// The addresses of an image instruction that names several.
    pub(super) fn addresses(&self) -> Addresses {
        let form = self.form;
        let (mut there, mut words) = (0, 0u8);
        for place in 0..form.layout().1.len() {
            let Some(slot) = form.slot(place).filter(|slot| is_address(slot.name())) else { continue };
            there += 1;
            words += match slot.reader {
                Reader::Source { words, .. } | Reader::Address { words } => words,
                _ => 1,
            };
        }
        let old = self.generation.major() < 10;
        let wanted = if old { words } else { self.address_words() };
        let mut addresses = Addresses { there, used: there, last: None };
        if wanted <= words {
            addresses.used = there.min(usize::from(wanted.max(1)));
        }
        if there == 1 && !old {
            addresses.last = Some(if wanted > 12 && !self.has(flag::VSAMPLE) { 16 } else { wanted });
        } else if usize::from(wanted) > there.saturating_sub(1)
            && (self.generation.partial_nsa() || usize::from(words) > there)
        {
            let rest = wanted.saturating_sub((there as u8).saturating_sub(1));
            addresses.last = (usize::from(wanted) >= there).then_some(rest);
        }
        addresses
    }

    /// Registers of a source of a product whose formats take four, six or eight bits.
    pub(super) fn matrix_count(&self, called: &str, count: u8) -> u8 {
        let format = match called {
            "src0" => [name::CBSZ, name::MATRIX_A_FMT],
            "src1" => [name::BLGP, name::MATRIX_B_FMT],
            _ => return count,
        };
        let place = format.iter().find_map(|name| self.form.place(*name));
        let format = place.map_or(0, |place| self.number(place));
        match format {
            2 | 3 => count / 4 * 3,
            4 => count / 2,
            _ => count,
        }
    }
}

/// How many addresses an image instruction names, how many of them it uses, and how many registers the last has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Addresses {
    there: usize,
    pub(super) used: usize,
    last: Option<u8>,
}

/// Whether an operand of this name is one of several addresses.
pub(super) fn is_address(called: &str) -> bool {
    called.strip_prefix("vaddr").is_some_and(|rest| !rest.is_empty())
}
