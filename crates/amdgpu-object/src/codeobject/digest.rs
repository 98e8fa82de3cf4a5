//! Hashes of code objects, to tell which are the same.

use crate::bytes::le::clamped;
use xxhash_rust::xxh3::xxh3_128;

answer! {
    /// Hashes of a code object.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Digest {
        /// XXH3-128 of all its bytes.
        copy whole: u128,
        /// XXH3-128 of its `.text`, where it has one.
        copy text: Option<u128>,
    }
}

impl Digest {
    /// Of hashes that were computed before.
    pub fn new(whole: u128, text: Option<u128>) -> Self {
        Digest { whole, text }
    }

    /// Of the bytes of a code object, whose `.text` is at this offset and of this size.
    pub fn of(bytes: &[u8], text: Option<(u64, u64)>) -> Self {
        Digest {
            whole: xxh3_128(bytes),
            text: text.map(|(offset, size)| xxh3_128(clamped(bytes, offset, size))),
        }
    }
}
