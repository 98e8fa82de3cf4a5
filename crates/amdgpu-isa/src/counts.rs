//! How many registers operands have where that follows from other operands: of images from the mask, the
//! dimension and the mnemonic, of matrix products from the formats of their sources and from the width of the
//! wave.
#![deny(clippy::indexing_slicing)]

use super::form::{Reader, Slot, flag, name};
use super::operand::{File, Operand, Register, Source};
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
            self.image_count(called, register.count())
        } else if self.is_scaled_matrix() && register.file() == File::Trap {
            // No such product reads these; LLVM leaves them as many as the encoding says.
            register.count()
        } else if self.is_scaled_matrix() {
            self.matrix_count(called, register.count())
        } else if !self.generation.wave32() && self.has(flag::IS_WMMA | flag::IS_SWMMAC) {
            // A matrix lies in as many lanes as there are: in twice the lanes of half the registers. gfx11
            // repeats its sources.
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
    pub(super) fn image_count(&self, called: &str, count: u8) -> u8 {
        let sizes = self.image_sizes();
        match called {
            "vdata" | "vdst" => sizes.data.unwrap_or(count),
            _ => {
                let number = match called.strip_prefix("vaddr") {
                    Some("") => Some(0),
                    Some(rest) => rest.parse::<usize>().ok(),
                    None => None,
                };
                let is_last = number.is_some_and(|number| number + 1 == sizes.addresses);
                sizes.last_address.filter(|_| is_last).unwrap_or(count)
            }
        }
    }

    fn data_words(&self) -> u8 {
        let mut words = if self.gathers() { 4 } else { (self.field(name::DMASK) & 15).count_ones().max(1) };
        if self.field(name::D16) != 0 && self.generation.packed_d16() {
            words = words.div_ceil(2);
        }
        words += u32::from(self.field(name::TFE) != 0);
        words as u8
    }

    /// Whether the mask does not say how much data comes back.
    fn gathers(&self) -> bool {
        self.mnemonic().contains("gather4")
            || self.mnemonic().contains("msaa_load") && self.generation.major() >= 11
    }

    /// Whether the mnemonic has a part.
    fn has_part(&self, part: &str) -> bool {
        self.mnemonic().split('_').any(|one| one == part)
    }

    fn samples(&self) -> bool {
        ["sample", "gather4", "gather4h"].iter().any(|part| self.has_part(part))
    }

    /// Dwords of an offset, a bias, a value to compare with.
    fn extra_words(&self) -> u8 {
        if !self.samples() {
            return 0;
        }
        ["o", "b", "c"].iter().map(|part| u8::from(self.has_part(part))).sum()
    }

    /// Whether a level of detail, a bound of it or a mipmap is among the coordinates.
    fn has_level(&self) -> bool {
        self.samples() && (self.has_part("l") || self.has_part("cl"))
            || self.has_part("mip")
            || self.has_part("resinfo")
    }

    fn has_gradients(&self) -> bool {
        self.samples() && (self.has_part("d") || self.has_part("cd"))
    }

    /// How many dwords of addresses the mnemonic and the dimension ask for.
    fn address_words(&self) -> u8 {
        let (coordinates, gradients) =
            names::DIMENSIONS.get(self.field(name::DIM) as usize & 7).map_or((0, 0), |(_, counts)| *counts);
        let a16 = self.field(name::A16) != 0;
        let coordinates = if self.has_part("resinfo") { 0 } else { coordinates };
        let components = coordinates + u8::from(self.has_level());
        let mut words = self.extra_words() + if a16 { components.div_ceil(2) } else { components };
        if self.has_gradients() {
            let short = a16 && !self.generation.g16() || self.has_part("g16");
            words += if short { (gradients / 2).next_multiple_of(2) } else { gradients };
        }
        words
    }

    /// Whether LLVM has an instruction of this mnemonic with so much data.
    fn has_data_size(&self, words: u8) -> bool {
        let is_atomic = self.has(flag::IS_ATOMIC_RET | flag::IS_ATOMIC_NO_RET);
        match words {
            1 => !(self.gathers() || is_atomic && self.mnemonic().contains("cmpswap")),
            3 => !self.mnemonic().contains("gather4"),
            4 | 5 => !is_atomic || self.mnemonic().contains("cmpswap"),
            2 => true,
            _ => false,
        }
    }

    /// Whether LLVM has an instruction of this mnemonic with so many dwords of addresses, `apart` or in one
    /// row of registers.
    fn has_address_size(&self, words: u8, apart: bool) -> bool {
        let least_apart = if self.generation.major() >= 12 { 1 } else { 2 };
        if apart && words < least_apart {
            return false;
        }
        if !self.samples() && !self.has_part("lod") {
            return (1..=4).contains(&words);
        }
        let level = u8::from(self.has_level());
        let (least, most) = match (self.has_gradients(), self.has_part("g16")) {
            (true, true) => (2, 7 + level),
            (true, false) => (2, 9 + level),
            (false, _) => (1, 3 + level),
        };
        let (least, most) = (least + self.extra_words(), most + self.extra_words());
        if apart {
            return (least..=most.min(12)).contains(&words);
        }
        // In a row, four registers serve for three dwords too, eight for five and more, sixteen for thirteen
        // and more.
        match words {
            4 => least <= 4 && most >= 3,
            8 => least <= 8 && most >= 5,
            16 => most >= 13,
            _ => words <= 12 && (least..=most).contains(&words),
        }
    }

    /// The sizes of the operands of an image instruction, as LLVM's `convertMIMGInst` finds them: those of
    /// the encoding, or others if an instruction has them and all registers are there.
    pub(super) fn image_sizes(&self) -> ImageSizes {
        let form = self.form;
        let (mut addresses, mut words, mut data, mut last) = (0, 0u8, None, None);
        for place in 0..form.layout().1.len() {
            let Some(slot) = form.slot(place) else { continue };
            let own = match slot.reader {
                Reader::Source { words, .. } | Reader::Address { words } => words,
                _ => 1,
            };
            if slot.name().starts_with("vaddr") {
                (addresses, words, last) = (addresses + 1, words + own, Some((slot, place)));
            } else if matches!(slot.name(), "vdata" | "vdst") && slot.has_field() {
                data = Some((slot, place, own));
            }
        }
        let unchanged = ImageSizes { data: None, addresses, used: addresses, last_address: None };
        let major = self.generation.major();
        let (apart, mut wanted, mut rest_in_row) = (addresses > 1 || major >= 12, words, false);
        if major >= 10 {
            wanted = self.address_words();
            if !apart && wanted > 12 {
                wanted = 16;
            }
            rest_in_row = apart && wanted > words;
            if rest_in_row && !self.generation.partial_nsa() {
                return unchanged;
            }
        }
        let own = data.map_or(0, |(.., own)| own);
        let amount = self.data_words();
        let same = amount == own && wanted == words;
        if same || !self.has_data_size(amount) || !self.has_address_size(wanted, apart) {
            return unchanged;
        }
        let first = |found: Option<(&Slot, usize)>| match found.map(|(slot, place)| self.read(slot, place)) {
            Some(Operand::Register(register)) => register.index(),
            _ => 0,
        };
        let is_there = |index: u16, count: u8| index + u16::from(count) <= 256;
        let at = first(data.map(|(slot, place, _)| (slot, place)));
        let odd = self.generation.gfx90a() && amount > 1 && at & 1 == 1;
        if amount != own && (odd || !is_there(at, amount)) {
            return unchanged;
        }
        let mut sizes = ImageSizes { data: Some(amount), ..unchanged };
        if major >= 10 && (!apart || rest_in_row) && wanted != words {
            let count = wanted.saturating_sub((addresses as u8).saturating_sub(1));
            if !is_there(first(last), count) {
                return unchanged;
            }
            sizes.last_address = Some(count);
        } else if apart {
            sizes.used = addresses.min(usize::from(wanted));
        }
        sizes
    }

    /// Whether an address of this name is one of those that the dimension asks for.
    pub(super) fn uses_address(&self, called: &str) -> bool {
        let number = called.strip_prefix("vaddr").and_then(|rest| rest.parse::<usize>().ok());
        number.is_none_or(|number| number < self.image_sizes().used)
    }

    /// Registers of a source of a product whose formats take four, six or eight bits.
    pub(super) fn matrix_count(&self, called: &str, count: u8) -> u8 {
        match self.matrix_format(called) {
            2 | 3 => count / 4 * 3,
            4 => count / 2,
            _ => count,
        }
    }

    /// The format of a source of such a product; zero for other operands.
    fn matrix_format(&self, called: &str) -> u64 {
        let format = match called {
            "src0" => [name::CBSZ, name::MATRIX_A_FMT],
            "src1" => [name::BLGP, name::MATRIX_B_FMT],
            _ => return 0,
        };
        // Where one of both formats does not exist, LLVM leaves both sources as wide as they can be.
        if [name::MATRIX_A_FMT, name::MATRIX_B_FMT].iter().any(|name| self.field(*name) > 4) {
            return 0;
        }
        let place = format.iter().find_map(|name| self.form.place(*name));
        place.map_or(0, |place| self.number(place))
    }

    /// Whether a source of such a product has fewer registers than the encoding says.
    pub(super) fn is_narrowed(&self, slot: &Slot) -> bool {
        self.is_scaled_matrix()
            && match self.matrix_format(slot.name()) {
                2 | 3 => true,
                4 => self.has(flag::IS_MAI),
                _ => false,
            }
    }
}

/// How many registers the operands of an image instruction have.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageSizes {
    /// Data, where it is not as much as the encoding says.
    data: Option<u8>,
    /// How many addresses the encoding names, and how many of them are used.
    addresses: usize,
    pub(super) used: usize,
    /// Registers of the last address, where they are not as many as the encoding says.
    last_address: Option<u8>,
}

/// Whether an operand of this name is one of several addresses.
pub(super) fn is_address(called: &str) -> bool {
    called.strip_prefix("vaddr").is_some_and(|rest| !rest.is_empty())
}
