//! Slots in few bytes: enough for nine of ten operands.
#![deny(clippy::indexing_slicing)]

/// How an operand is read, for nine of ten of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// A register or constant.
    Source,
    /// A condition, as wide as the wave.
    Condition,
    /// The result of the second half of a pair.
    Second,
    /// The register of the operand at the place that `words` says.
    Tied,
    Number,
    /// A number whose bits do not follow each other. Mostly it is zero.
    Pieces,
    /// As its `Reader` says.
    Other,
    /// It has no field: it is an operand only as a result.
    Hidden,
}

/// A slot in few bytes, so that all of them stay near to a core: how it is read, where its field lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct CompactSlot {
    pub(super) how: How,
    pub(super) first: u8,
    pub(super) width: u8,
    pub(super) place: u8,
    /// Registers of 32 bits.
    pub(super) words: u8,
    pub(super) name: u8,
    /// Bits of the value that are always set.
    pub(super) set: u16,
    /// The bits of its field in their half of a word.
    pub(super) bits: u64,
}

impl CompactSlot {
    /// Whether no bit of its field is set. All bits of the field are in one half.
    #[inline(always)]
    pub(super) fn is_zero(self, [low, high]: [u64; 2]) -> bool {
        let half = if self.first & 64 == 0 { low } else { high };
        half & self.bits == 0
    }

    /// The value of its field in a word of two halves.
    #[inline(always)]
    pub(super) fn value(self, word: [u64; 2]) -> u64 {
        part(word, (self.first, self.width, self.place)) | u64::from(self.set)
    }
}

/// The part of a value that a piece holds.
#[inline(always)]
pub(super) fn part([low, high]: [u64; 2], (first, width, place): (u8, u8, u8)) -> u64 {
    // Chosen by a mask: a compiler makes of a condition a load by an address, for which both halves are stored first.
    let is_high = 0u64.wrapping_sub(u64::from(first >> 6 & 1));
    let half = low & !is_high | high & is_high;
    let mask = (1u64 << (width & 63)).wrapping_sub(1);
    (half >> (first & 63) & mask) << (place & 63)
}
