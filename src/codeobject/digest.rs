//! Hashes of code objects, to tell which are the same.

use crate::bytes::le::clamped;
use xxhash_rust::xxh3::xxh3_128;

/// Hashes of a code object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    pub(crate) whole: u128,
    pub(crate) text: Option<u128>,
}

impl Digest {
    /// Of the bytes of a code object, whose `.text` is at this offset and of this size.
    pub fn of(bytes: &[u8], text: Option<(u64, u64)>) -> Self {
        Digest {
            whole: xxh3_128(bytes),
            text: text.map(|(offset, size)| xxh3_128(clamped(bytes, offset, size))),
        }
    }
}
