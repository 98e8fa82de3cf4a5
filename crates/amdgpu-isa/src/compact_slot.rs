//! Slots in few bytes: enough for nine of ten operands.
#![deny(clippy::indexing_slicing)]

use super::form;

/// How an operand is read, for nine of ten of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Vector registers by their number.
    Vector,
    /// A register or constant.
    Source,
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
    pub(super) words: u8,
    pub(super) name: u8,
    /// The bits of its field in their half of a word.
    pub(super) bits: u64,
}

impl CompactSlot {
    /// Whether no bit of its field is set, all of which are in one half.
    #[inline(always)]
    pub(super) fn is_zero(self, [low, high]: [u64; 2]) -> bool {
        let half = if self.first & 64 == 0 { low } else { high };
        half & self.bits == 0
    }

    /// The value of its field in a word of two halves.
    #[inline(always)]
    pub(super) fn value(self, word: [u64; 2]) -> u64 {
        form::part(word, (self.first, self.width, self.place))
    }

    /// LLVM's name of it.
    #[inline(always)]
    pub(super) fn name(self) -> &'static str {
        form::name_of(self.name)
    }
}
