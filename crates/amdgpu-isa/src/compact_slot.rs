//! Slots in few bytes: enough for nine of ten operands.
#![deny(clippy::indexing_slicing)]

/// How an operand is read: a bit for each way, asked for one after the other. Of an `enum`, or of numbers that
/// are compared, a compiler makes a jump by a table, which is seldom predicted.
pub(super) mod how {
    /// A register or constant.
    pub(crate) const SOURCE: u64 = 1;
    pub(crate) const NUMBER: u64 = 1 << 1;
    /// A number whose bits do not follow each other. Mostly it is zero.
    pub(crate) const PIECES: u64 = 1 << 2;
    /// A condition, as wide as the wave.
    pub(crate) const CONDITION: u64 = 1 << 3;
    /// The result of the second half of a pair.
    pub(crate) const SECOND: u64 = 1 << 4;
    /// The register of the operand at the place that `words` says.
    pub(crate) const TIED: u64 = 1 << 5;
    /// It has no field: it is an operand only as a result. What is neither this nor one of the others is read
    /// as its `Reader` says.
    pub(crate) const HIDDEN: u64 = 1 << 6;
    /// Beside [`SOURCE`]: a bit of its own says that it is an accumulation register.
    pub(crate) const SPLIT: u64 = 1 << 7;
}

/// A slot in one number, so that it is read in one piece and all of them stay near to a core. From the lowest
/// bit on: how it is read (8 bits), how far its field is shifted to the left and whether it is in the upper half
/// (7), how far to the right then (9), the class of its size (2, see [`super::scalars`]), place in the value
/// (6), registers of 32 bits (8), name (8), bits that are always set (10), and the bit of [`how::SPLIT`] (6).
#[derive(Debug, Clone, Copy)]
pub(super) struct CompactSlot(pub(super) u64);

impl CompactSlot {
    /// Whether it is read in one of these ways, of [`how`].
    #[inline(always)]
    pub(super) fn is(self, ways: u64) -> bool {
        self.0 & ways != 0
    }

    /// Registers of 32 bits, or the place that it is tied to.
    #[inline(always)]
    pub(super) fn words(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// The class of its size.
    #[inline(always)]
    pub(super) fn class(self) -> usize {
        (self.0 >> 24) as usize & 3
    }

    /// The number of its name.
    #[inline(always)]
    pub(super) fn name(self) -> u8 {
        (self.0 >> 40) as u8
    }

    /// The value of its field in a word of two halves, where that is in its place.
    #[inline(always)]
    pub(super) fn value(self, word: [u64; 2]) -> u64 {
        self.half(word) << (self.0 >> 8 & 63) >> (self.0 >> 16 & 63) | self.0 >> 48 & 0x3ff
    }

    /// Where its lowest bit stands in the value.
    #[inline(always)]
    pub(super) fn place(self) -> u64 {
        self.0 >> 26 & 63
    }

    /// Of [`how::SPLIT`], the bit of an accumulation register, in its place.
    #[inline(always)]
    pub(super) fn split(self, [low, _]: [u64; 2]) -> u64 {
        (low >> (self.0 >> 58) & 1) << 9
    }

    /// The half that all bits of its field are in.
    #[inline(always)]
    pub(super) fn half(self, [low, high]: [u64; 2]) -> u64 {
        // Chosen by a mask: a compiler makes of a condition a load by an address, for which both halves are
        // stored first.
        let is_high = 0u64.wrapping_sub(self.0 >> 14 & 1);
        low & !is_high | high & is_high
    }
}

/// The part of a value that a piece holds.
#[inline(always)]
pub(super) fn part([low, high]: [u64; 2], (first, width, place): (u8, u8, u8)) -> u64 {
    let is_high = 0u64.wrapping_sub(u64::from(first >> 6 & 1));
    let half = low & !is_high | high & is_high;
    let mask = (1u64 << (width & 63)).wrapping_sub(1);
    (half >> (first & 63) & mask) << (place & 63)
}
