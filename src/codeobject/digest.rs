//! Hashes of code objects, to tell which are the same.

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
        Digest { whole: xxh3_128(bytes), text: text.map(|text| xxh3_128(slice(bytes, text))) }
    }
}

pub(crate) fn slice(bytes: &[u8], (offset, size): (u64, u64)) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let end = usize::try_from(offset.saturating_add(size)).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(start..end).unwrap_or_default()
}
