//! Hashes of code objects, to find identical ones.

use crate::bytes::le::clamped;
use xxhash_rust::xxh3::xxh3_128;

answer! {
    /// Hashes of a code object.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Digest {
        /// XXH3-128 of all its bytes.
        copy whole: u128,
        /// XXH3-128 of its `.text`, if it has one.
        copy text: Option<u128>,
    }
}

impl Digest {
    /// A digest from hashes computed before.
    pub fn new(whole: u128, text: Option<u128>) -> Self {
        Digest { whole, text }
    }

    /// Hashes the bytes of a code object; `text` is offset and size of `.text`.
    pub fn hash(bytes: &[u8], text: Option<(u64, u64)>) -> Self {
        Digest {
            whole: xxh3_128(bytes),
            text: text.map(|(offset, size)| xxh3_128(clamped(bytes, offset, size))),
        }
    }
}
