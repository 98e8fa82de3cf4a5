//! What the operands of a family of processors have in common: which registers there are, and how numbers are
//! read.

use super::processor::Isa;

/// Properties of a family that operands and their text depend on: the major version in the lowest byte, and a
/// bit for each of the others. They are one number because an instruction carries them, and small fields are
/// slow to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation(u32);

const GFX90A: u32 = 1 << 8;
const GFX940: u32 = 1 << 9;
const GFX10_3: u32 = 1 << 10;
const GFX1250: u32 = 1 << 11;
const R128_IS_A16: u32 = 1 << 12;
const PACKED_D16: u32 = 1 << 13;
const PARTIAL_NSA: u32 = 1 << 14;
const G16: u32 = 1 << 15;
const WAVE32: u32 = 1 << 16;
const GDS: u32 = 1 << 17;
const DPP64: u32 = 1 << 18;
const LIKE_LLVM: u32 = 1 << 19;
/// From this bit on, three bits are the number of a table of [`super::scalars`].
const SCALARS: u32 = 20;

impl Generation {
    /// That of a processor; of none, one without any property.
    pub(super) fn of_processor(isa: Option<&Isa>) -> Generation {
        let processor = isa.map_or("", |isa| isa.name);
        let body = processor.trim_start_matches("gfx");
        let has = |feature: &str| isa.is_some_and(|isa| isa.has(feature));
        let (major, generic) = match body.split_once('-') {
            Some((major, rest)) => (major.parse::<u8>().unwrap_or(0), rest),
            None => (
                body.get(..body.len().saturating_sub(2)).and_then(|major| major.parse().ok()).unwrap_or(0),
                "",
            ),
        };
        let old = has("southern-islands") || major == 6 || major == 7;
        let bits = [
            (GFX90A, has("gfx90a-insts")),
            (GFX940, has("gfx940-insts")),
            (GFX10_3, body.starts_with("103") || generic.starts_with("3")),
            (GFX1250, has("gfx1250-insts")),
            (R128_IS_A16, has("r128-a16")),
            (PACKED_D16, !has("unpacked-d16-vmem") && !old),
            (PARTIAL_NSA, has("partial-nsa-encoding")),
            (G16, has("g16")),
            (WAVE32, major >= 10),
            (GDS, has("gds")),
            (DPP64, has("dpp-64bit")),
        ];
        let set = bits.iter().filter(|(_, is_set)| *is_set).fold(0, |all, (bit, _)| all | bit);
        let scalars = number_of_scalars(major, has("gfx1250-insts"));
        Generation(u32::from(major) | set | scalars << SCALARS)
    }

    /// The number before the last two digits: 9 of gfx90a.
    #[inline(always)]
    pub(super) fn major(self) -> u8 {
        self.0 as u8
    }

    /// The number of its table of what the lower values of a source mean.
    #[inline(always)]
    pub(super) fn scalars(self) -> usize {
        (self.0 >> SCALARS) as usize & 7
    }

    /// Whether it is gfx90a or made after it: memory with `scc`, even registers.
    #[inline(always)]
    pub(super) fn gfx90a(self) -> bool {
        self.0 & GFX90A != 0
    }

    /// Whether it is of the gfx94x and gfx95x.
    #[inline(always)]
    pub(super) fn gfx940(self) -> bool {
        self.0 & GFX940 != 0
    }

    /// Whether it is of the gfx103x.
    #[inline(always)]
    pub(super) fn gfx10_3(self) -> bool {
        self.0 & GFX10_3 != 0
    }

    /// Whether it is of the gfx125x.
    #[inline(always)]
    pub(super) fn gfx1250(self) -> bool {
        self.0 & GFX1250 != 0
    }

    /// Whether a bit of image instructions means addresses of 16 bits.
    #[inline(always)]
    pub(super) fn r128_is_a16(self) -> bool {
        self.0 & R128_IS_A16 != 0
    }

    /// Whether data of 16 bits lies two to a register.
    #[inline(always)]
    pub(super) fn packed_d16(self) -> bool {
        self.0 & PACKED_D16 != 0
    }

    /// Whether image addresses need not follow each other, and the last few can.
    #[inline(always)]
    pub(super) fn partial_nsa(self) -> bool {
        self.0 & PARTIAL_NSA != 0
    }

    /// Whether gradients can have 16 bits.
    #[inline(always)]
    pub(super) fn g16(self) -> bool {
        self.0 & G16 != 0
    }

    /// Whether waves have 32 lanes, as is usual from gfx10 on.
    #[inline(always)]
    pub(super) fn wave32(self) -> bool {
        self.0 & WAVE32 != 0
    }

    /// Whether there is memory that all work-groups share.
    #[inline(always)]
    pub(super) fn has_gds(self) -> bool {
        self.0 & GDS != 0
    }

    /// Whether mathematics of 64 bits exchanges values between lanes.
    #[inline(always)]
    pub(super) fn dpp64(self) -> bool {
        self.0 & DPP64 != 0
    }

    /// Whether LLVM's mistakes are made, too.
    #[inline(always)]
    pub(super) fn imitates_llvm(self) -> bool {
        self.0 & LIKE_LLVM != 0
    }

    /// The same with LLVM's mistakes.
    pub(super) fn like_llvm(self) -> Generation {
        Generation(self.0 | LIKE_LLVM)
    }

    /// The same with waves of 32 lanes, or of 64.
    pub(super) fn with_wave32(self, is_wave32: bool) -> Generation {
        Generation(if is_wave32 { self.0 | WAVE32 } else { self.0 & !WAVE32 })
    }

    /// As a number, and from it.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(super) fn of_bits(bits: u32) -> Generation {
        Generation(bits)
    }

    /// The value of the first register of the trap handler.
    pub(super) fn first_ttmp(&self) -> u64 {
        if self.major() >= 9 { 108 } else { 112 }
    }
}

/// The number of the table of [`super::scalars`] of a major version, or of the gfx125x.
fn number_of_scalars(major: u8, is_gfx1250: bool) -> u32 {
    match major {
        _ if is_gfx1250 => 4,
        ..=8 => 0,
        9 => 1,
        10 => 2,
        _ => 3,
    }
}
