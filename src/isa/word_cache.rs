//! Instructions that were seen before. Kernels of one library repeat themselves: of a hundred instructions, 90 to 97 have
//! the same bits as one that was met not long ago, and need not be looked up again.

use super::index::filled;
use std::cell::RefCell;

/// Instructions that are remembered, as a power of two: in 512 KiB, which a core's second cache has room for.
const BITS: u32 = 16;
const SLOTS: usize = 1 << BITS;

/// Decoders there can be.
const DECODERS: usize = 64;

/// The bits of an instruction that say what it is, and where it is remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// Which slot.
    slot: usize,
    /// What tells it from all others of the slot, above 16 bits of zeros.
    tag: u64,
    /// The third dword, where that matters.
    high: u32,
}

impl Word {
    /// Of an instruction of a length. Of one of four bytes the first dword decides, of others two, and where `WIDE`,
    /// three.
    #[inline(always)]
    pub(super) fn of<const WIDE: bool>(w: u64, w2: u32, length: usize) -> Word {
        let low = if length == 4 { w & 0xffff_ffff } else { w };
        let high = if WIDE && length >= 12 { w2 } else { 0 };
        // An odd factor loses nothing: slot and tag together are the word again.
        let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Word { slot: (mixed >> (64 - BITS)) as usize, tag: mixed << 16, high }
    }
}

/// What was seen, each in the one slot where it can be.
pub(super) struct WordCache {
    /// A word's tag, and in the lowest 16 bits its mnemonic's number and one more; zero where the slot is empty.
    slots: Box<[u64; SLOTS]>,
    high: Box<[u32; SLOTS]>,
}

impl WordCache {
    fn new() -> WordCache {
        WordCache { slots: filled(0), high: filled(0) }
    }

    /// The number of a word's mnemonic; `None` where the word was not seen, or not lately.
    #[inline(always)]
    pub(super) fn number<const WIDE: bool>(&self, word: &Word) -> Option<u16> {
        let number = self.slots[word.slot & (SLOTS - 1)] ^ word.tag;
        let same =
            number.wrapping_sub(1) < 0xffff && (!WIDE || self.high[word.slot & (SLOTS - 1)] == word.high);
        same.then(|| (number - 1) as u16)
    }

    /// Remembers the mnemonic of a word in the place of what was in its slot. A word of zeros is not remembered: where
    /// more zeros follow, it is none.
    pub(super) fn keep(&mut self, word: &Word, mnemonic: u16) {
        if word.tag == 0 && word.slot == 0 {
            return;
        }
        self.slots[word.slot & (SLOTS - 1)] = word.tag | (u64::from(mnemonic) + 1);
        // Pages that are only read take no memory.
        if self.high[word.slot & (SLOTS - 1)] != word.high {
            self.high[word.slot & (SLOTS - 1)] = word.high;
        }
    }
}

/// Gives what this thread has seen with a decoder.
pub(super) fn with<R>(decoder: usize, run: impl FnOnce(&mut WordCache) -> R) -> R {
    thread_local! {
        static SEEN: RefCell<Vec<Option<WordCache>>> = const { RefCell::new(Vec::new()) };
    }
    SEEN.with_borrow_mut(|all| {
        all.resize_with(DECODERS, || None);
        match all.get_mut(decoder) {
            Some(seen) => run(seen.get_or_insert_with(WordCache::new)),
            None => run(&mut WordCache::new()),
        }
    })
}
