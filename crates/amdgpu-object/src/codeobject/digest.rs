//! Hashes of code objects, to tell which are the same.

use crate::bytes::le::clamped;
use xxhash_rust::xxh3::xxh3_128;

/// Hashes of a code object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    /// XXH3-128 of all its bytes.
    pub whole: u128,
    /// XXH3-128 of its `.text`, where it has one.
    pub text: Option<u128>,
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
