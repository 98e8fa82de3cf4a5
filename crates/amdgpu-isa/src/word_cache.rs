//! A cache of decoded instructions. Kernels of one library repeat themselves: of a hundred instructions, 90
//! to 97 have the same bits as a recent one and need not be decoded again.

use super::index::filled;
use super::mode::Mode;
use alloc::boxed::Box;
#[cfg(not(feature = "std"))]
use core::cell::Cell;
#[cfg(feature = "std")]
use {alloc::vec::Vec, core::cell::RefCell};

/// Number of slots, as a power of two. 512 KiB of tags fit into a core's second-level cache.
const BITS: u32 = 16;
const SLOTS: usize = 1 << BITS;

/// Room for this many families.
#[cfg(feature = "std")]
const FAMILIES: usize = 32;

/// The bits of an instruction that decide what it is, as a slot of the cache and a tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// The slot that it can be in.
    slot: usize,
    /// What tells it from all others of the slot; the lowest 16 bits are zero.
    tag: u64,
    /// The third dword where it decides, else 0.
    high: u32,
}

impl Word {
    /// The word of an instruction of `length` bytes. The first dword decides for four bytes, two dwords for
    /// more, and three where `WIDE` and there are twelve.
    #[inline(always)]
    pub(super) fn from_w<const WIDE: bool>(w: u64, w2: u32, length: usize) -> Word {
        let low = if length == 4 { w & 0xffff_ffff } else { w };
        let high = if WIDE && length >= 12 { w2 } else { 0 };
        // An odd factor loses nothing: slot and tag together are the word again.
        let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Word { slot: (mixed >> (64 - BITS)) as usize, tag: mixed << 16, high }
    }
}

/// The cache of one decoder: each word can be in one slot only.
pub(super) struct WordCache {
    /// A word's tag, and in the lowest 16 bits its mnemonic's number and one more; zero where the slot is
    /// empty.
    slots: Box<[u64; SLOTS]>,
    high: Box<[u32; SLOTS]>,
}

impl WordCache {
    fn new() -> WordCache {
        WordCache { slots: filled(0), high: filled(0) }
    }

    /// The number of a word's mnemonic; `None` where the cache does not hold the word.
    #[inline(always)]
    pub(super) fn number<const WIDE: bool>(&self, word: &Word) -> Option<u16> {
        let number = self.slots[word.slot & (SLOTS - 1)] ^ word.tag;
        let same =
            number.wrapping_sub(1) < 0xffff && (!WIDE || self.high[word.slot & (SLOTS - 1)] == word.high);
        same.then(|| (number - 1) as u16)
    }

    /// Stores the mnemonic of a word in place of what its slot held. A word of zeros is not stored: in a run
    /// of zeros it is no instruction.
    pub(super) fn keep(&mut self, word: &Word, mnemonic: u16) {
        if word.tag == 0 && word.slot == 0 {
            return;
        }
        self.slots[word.slot & (SLOTS - 1)] = word.tag | (u64::from(mnemonic) + 1);
        // Pages that are never written take no memory.
        if self.high[word.slot & (SLOTS - 1)] != word.high {
            self.high[word.slot & (SLOTS - 1)] = word.high;
        }
    }
}

/// Where the cache of a decoder is: with the standard library each thread has its own, and this is its
/// number; decoders of the same family and mode can share one.
#[cfg(feature = "std")]
pub(super) struct Seen(usize);

#[cfg(feature = "std")]
impl Seen {
    pub(super) fn of_decoder(family: usize, mode: Mode) -> Seen {
        Seen(family + if mode == Mode::Correct { 0 } else { FAMILIES })
    }

    /// Runs with this thread's cache for a decoder.
    pub(super) fn with<R>(&self, run: impl FnOnce(&mut WordCache) -> R) -> R {
        std::thread_local! {
            static SEEN: RefCell<Vec<Option<WordCache>>> = const { RefCell::new(Vec::new()) };
        }
        SEEN.with_borrow_mut(|all| {
            all.resize_with(2 * FAMILIES, || None);
            match all.get_mut(self.0) {
                Some(seen) => run(seen.get_or_insert_with(WordCache::new)),
                None => run(&mut WordCache::new()),
            }
        })
    }
}

/// The cache of a decoder, which is of one thread.
#[cfg(not(feature = "std"))]
pub(super) struct Seen(Cell<Option<WordCache>>);

#[cfg(not(feature = "std"))]
impl Seen {
    pub(super) fn of_decoder(_family: usize, _mode: Mode) -> Seen {
        Seen(Cell::new(None))
    }

    /// Runs with it.
    pub(super) fn with<R>(&self, run: impl FnOnce(&mut WordCache) -> R) -> R {
        let mut seen = self.0.take().unwrap_or_else(WordCache::new);
        let result = run(&mut seen);
        self.0.set(Some(seen));
        result
    }
}
