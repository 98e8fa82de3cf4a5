//! Texts that were written a short while ago. Kernels repeat themselves: of ten instructions, nine have the
//! same bytes as one of the last some thousand, and to look a text up takes a third of the time that it takes
//! to write it.
#![deny(clippy::indexing_slicing)]

use alloc::vec;
use alloc::vec::Vec;

/// Number of places, as a power of two; 1 MiB of them stays close to a core.
const BITS: u32 = 13;

/// The longest text that is kept, in bytes.
const LONGEST: usize = 96;

/// So many texts are written before any is kept: who asks for a few shall not pay for the places.
const WRITTEN_BEFORE: u32 = 1024;

/// What a text depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// The bytes of the instruction, zeros behind it.
    pub(crate) low: u64,
    pub(crate) high: u64,
    /// Mnemonic, form and length.
    pub(crate) what: u64,
    /// The bits of the generation.
    pub(crate) generation: u32,
}

/// A text and what it was made of.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Kept {
    key: Key,
    length: u8,
    bytes: [u8; LONGEST],
}

/// Recent texts: each can be in one place only.
#[derive(Clone)]
pub(crate) struct Recent {
    kept: Vec<Kept>,
    written: u32,
}

impl Recent {
    pub(crate) const fn new() -> Recent {
        Recent { kept: Vec::new(), written: 0 }
    }

    /// The place of a text that was written before.
    #[inline(always)]
    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        let place = key.place();
        let kept = self.kept.get(place)?;
        (kept.key == *key && kept.length > 0).then_some(place)
    }

    /// The text at a place.
    #[inline]
    pub(crate) fn text(&self, place: usize) -> &str {
        let bytes = self.kept.get(place).and_then(|kept| kept.bytes.get(..usize::from(kept.length)));
        core::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Keeps a text in place of the one that its place had.
    pub(crate) fn keep(&mut self, key: Key, text: &[u8]) {
        if self.kept.is_empty() {
            self.written += 1;
            if self.written <= WRITTEN_BEFORE {
                return;
            }
            let none = Key { low: 0, high: 0, what: 0, generation: 0 };
            self.kept = vec![Kept { key: none, length: 0, bytes: [0; LONGEST] }; 1 << BITS];
        }
        if let (Some(kept), Ok(length)) = (self.kept.get_mut(key.place()), u8::try_from(text.len()))
            && let Some(to) = kept.bytes.get_mut(..text.len())
        {
            to.copy_from_slice(text);
            (kept.key, kept.length) = (key, length);
        }
    }
}

impl Key {
    #[inline(always)]
    fn place(&self) -> usize {
        let mixed = (self.low ^ self.high.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - BITS)) as usize
    }
}
