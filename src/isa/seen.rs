//! Instructions that were seen before. Kernels of one library repeat themselves: of a hundred instructions, 90 to 97 have
//! the same bits as one that was met not long ago, and need not be looked up again.

use std::cell::RefCell;

/// Instructions that are remembered, as a power of two: in at most 900 KiB, which a core's second cache has room for.
const BITS: u32 = 16;
const SLOTS: usize = 1 << BITS;

/// Decoders there can be.
const DECODERS: usize = 64;

/// The bits of an instruction that say what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    low: u64,
    high: u32,
}

impl Word {
    /// Of an instruction of a length, and where it is remembered. Of one of four bytes the first dword decides, of others
    /// two, and where `WIDE`, three.
    #[inline(always)]
    pub(super) fn of<const WIDE: bool>(w: u64, w2: u32, length: usize) -> (Word, usize) {
        let two = 0u64.wrapping_sub(length as u64 >> 3 & 1 | length as u64 >> 4) << 32;
        let high = if WIDE && length >= 12 { w2 } else { 0 };
        let low = w & (two | 0xffff_ffff);
        let mixed = (low ^ u64::from(high) << 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (Word { low, high }, (mixed >> (64 - BITS)) as usize)
    }
}

/// What was seen, each in the one slot where it can be.
pub(super) struct Seen {
    low: Box<[u64; SLOTS]>,
    high: Box<[u32; SLOTS]>,
    pub(super) numbers: Box<[u16; SLOTS]>,
}

impl Seen {
    fn new() -> Seen {
        Seen { low: zeros(), high: zeros(), numbers: zeros() }
    }

    /// Whether a word is in its slot. A word of zeros never is: an empty slot looks like it.
    #[inline(always)]
    pub(super) fn has<const WIDE: bool>(&self, word: &Word, slot: usize) -> bool {
        let same = self.low[slot & (SLOTS - 1)] == word.low && word.low != 0;
        same && (!WIDE || self.high[slot & (SLOTS - 1)] == word.high)
    }

    /// Remembers the mnemonic of a word in the place of what was in its slot.
    pub(super) fn keep(&mut self, word: &Word, slot: usize, mnemonic: u16) {
        self.low[slot & (SLOTS - 1)] = word.low;
        // Pages that are only read take no memory.
        if self.high[slot & (SLOTS - 1)] != word.high {
            self.high[slot & (SLOTS - 1)] = word.high;
        }
        self.numbers[slot & (SLOTS - 1)] = mnemonic;
    }
}

fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => Box::new([T::default(); N]),
    }
}

/// Gives what this thread has seen with a decoder.
pub(super) fn with<R>(decoder: usize, run: impl FnOnce(&mut Seen) -> R) -> R {
    thread_local! {
        static SEEN: RefCell<Vec<Option<Seen>>> = const { RefCell::new(Vec::new()) };
    }
    SEEN.with_borrow_mut(|all| {
        all.resize_with(DECODERS, || None);
        match all.get_mut(decoder) {
            Some(seen) => run(seen.get_or_insert_with(Seen::new)),
            None => run(&mut Seen::new()),
        }
    })
}
