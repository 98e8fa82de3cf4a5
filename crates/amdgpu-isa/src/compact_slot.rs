//! Slots in few bytes: enough for nine of ten operands.
#![deny(clippy::indexing_slicing)]

/// How an operand is read: a bit for each way, asked for one after the other. Of an `enum`, or of numbers
/// that are compared, a compiler makes a jump by a table, which is seldom predicted.
pub(super) mod how {
    pub(crate) const NUMBER: u64 = 1 << 7;
    /// A vector or accumulation register, and nothing else.
    pub(crate) const VECTOR: u64 = 1 << 8;
    /// A register that is no accumulation register, or a constant.
    pub(crate) const SOURCE: u64 = 1 << 9;
    /// A number whose bits do not follow each other. Mostly it is zero.
    pub(crate) const PIECES: u64 = 1 << 10;
    /// The register of the operand at the place that `words` says.
    pub(crate) const TIED: u64 = 1 << 11;
    /// It has no field: it is an operand only as a result. What is neither this nor one of the others is read
    /// as its `Reader` says.
    pub(crate) const HIDDEN: u64 = 1 << 12;
    /// A register or constant that has to be asked whether it is an accumulation register.
    pub(crate) const ANY_FILE: u64 = 1 << 13;
    /// A condition, as wide as the wave.
    pub(crate) const CONDITION: u64 = 1 << 14;
    /// The result of the second half of a pair.
    pub(crate) const SECOND: u64 = 1 << 15;
    /// Those of registers whose count is that of the encoding.
    pub(crate) const OF_REGISTERS: u64 = VECTOR | SOURCE | ANY_FILE | CONDITION | SECOND;
}

/// A slot in two numbers, so that it is read in two pieces and all of them stay near to a core.
#[derive(Debug, Clone, Copy)]
pub(super) struct CompactSlot {
    /// From the lowest bit on: how far its field is shifted to the right (6 bits), whether it is in the upper
    /// half (1), how it is read (9), registers of 32 bits (8) and whether they are accumulation registers (1)
    /// as in a register, a bit that is free, the class of its size (2, see [`super::scalars`]), place in the
    /// value (6), the highest two bits of a source where they are always set (2), 4 bits that are free, name
    /// (8), 9 that are free, whether a bit of its own says that it is an accumulation register (1), and that
    /// bit (6).
    pub(super) bits: u64,
    /// The bits of its field in their half of a word, but for that bit.
    pub(super) field: u64,
}

impl CompactSlot {
    /// Whether it is read in one of these ways, of [`how`].
    #[inline(always)]
    pub(super) fn is(self, ways: u64) -> bool {
        self.bits & ways != 0
    }

    /// The same without some ways to read it.
    #[inline(always)]
    pub(super) fn without(self, ways: u64) -> CompactSlot {
        CompactSlot { bits: self.bits & !ways, ..self }
    }

    /// Registers of 32 bits, or the place that it is tied to.
    #[inline(always)]
    pub(super) fn words(self) -> u8 {
        (self.bits >> 16) as u8
    }

    /// The class of its size.
    #[inline(always)]
    pub(super) fn class(self) -> usize {
        (self.bits >> 26) as usize & 3
    }

    /// The number of its name.
    #[inline(always)]
    pub(super) fn name(self) -> u8 {
        (self.bits >> 40) as u8
    }

    /// The bits of its field in a word of two halves, where they stand.
    #[inline(always)]
    pub(super) fn in_place(self, [low, high]: [u64; 2]) -> u64 {
        // Chosen by a mask: a compiler makes of a condition a load by an address, for which both halves are
        // stored first.
        let is_high = 0u64.wrapping_sub(self.bits >> 6 & 1);
        (low & !is_high | high & is_high) & self.field
    }

    /// The value of its field, of the bits of [`CompactSlot::in_place`].
    #[inline(always)]
    pub(super) fn value(self, in_place: u64) -> u64 {
        in_place >> (self.bits & 63)
    }

    /// What a vector register is besides its index: its count and file, where a register has them.
    #[inline(always)]
    pub(super) fn count_and_file(self) -> u64 {
        self.bits & 0x1ff_0000
    }

    /// Where its lowest bit stands in the value.
    #[inline(always)]
    pub(super) fn place(self) -> u64 {
        self.bits >> 28 & 63
    }

    /// Of [`how::ANY_FILE`], the highest two bits of the value where they are not in its field.
    #[inline(always)]
    pub(super) fn file(self, [low, _]: [u64; 2]) -> u64 {
        (self.bits >> 26 & 0x300) | (low >> (self.bits >> 58) & self.bits >> 57 & 1) << 9
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
