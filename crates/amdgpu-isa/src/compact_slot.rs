//! Slots in few bytes: enough for nine of ten operands.
#![deny(clippy::indexing_slicing)]

/// How an operand is read. Numbers, not an `enum`: of these a compiler makes comparisons in the order in
/// which they are asked for, and of an `enum` a jump by a table, which is seldom predicted.
pub(super) mod how {
    /// A register or constant.
    pub(crate) const SOURCE: u8 = 0;
    pub(crate) const NUMBER: u8 = 1;
    /// A number whose bits do not follow each other. Mostly it is zero.
    pub(crate) const PIECES: u8 = 2;
    /// A condition, as wide as the wave.
    pub(crate) const CONDITION: u8 = 3;
    /// The result of the second half of a pair.
    pub(crate) const SECOND: u8 = 4;
    /// The register of the operand at the place that `words` says.
    pub(crate) const TIED: u8 = 5;
    /// It has no field: it is an operand only as a result. What is neither this nor one of the others is read
    /// as its `Reader` says.
    pub(crate) const HIDDEN: u8 = 7;
}

/// A slot in one number, so that it is read in one piece and all of them stay near to a core: how it is read,
/// where its field lies. From the lowest byte on: how, first bit, width, place in the value, registers of 32
/// bits, name, and bits that are always set (16).
#[derive(Debug, Clone, Copy)]
pub(super) struct CompactSlot(pub(super) u64);

impl CompactSlot {
    /// One of [`how`].
    #[inline(always)]
    pub(super) fn how(self) -> u8 {
        self.0 as u8
    }

    /// Registers of 32 bits, or the place that it is tied to.
    #[inline(always)]
    pub(super) fn words(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// The number of its name.
    #[inline(always)]
    pub(super) fn name(self) -> u8 {
        (self.0 >> 40) as u8
    }

    /// The value of its field in a word of two halves.
    #[inline(always)]
    pub(super) fn value(self, word: [u64; 2]) -> u64 {
        let (first, width, place) = ((self.0 >> 8) as u8, (self.0 >> 16) as u8, (self.0 >> 24) as u8);
        part(word, (first, width, place)) | self.0 >> 48
    }

    /// The half that all bits of its field are in.
    #[inline(always)]
    pub(super) fn half(self, [low, high]: [u64; 2]) -> u64 {
        if self.0 >> 8 & 64 == 0 { low } else { high }
    }
}

/// The part of a value that a piece holds.
#[inline(always)]
pub(super) fn part([low, high]: [u64; 2], (first, width, place): (u8, u8, u8)) -> u64 {
    // Chosen by a mask: a compiler makes of a condition a load by an address, for which both halves are
    // stored first.
    let is_high = 0u64.wrapping_sub(u64::from(first >> 6 & 1));
    let half = low & !is_high | high & is_high;
    let mask = (1u64 << (width & 63)).wrapping_sub(1);
    (half >> (first & 63) & mask) << (place & 63)
}
