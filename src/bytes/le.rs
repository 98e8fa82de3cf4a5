//! Numbers of a little-endian record, by their offsets.

/// The bytes of a record. A number that reaches beyond them is 0: whoever reads a record makes sure that it is whole.
#[derive(Clone, Copy)]
pub(crate) struct LeBytes<'a>(pub &'a [u8]);

impl LeBytes<'_> {
    pub fn u16(self, at: usize) -> u16 {
        self.0.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u16::from_le_bytes(*b))
    }

    pub fn u32(self, at: usize) -> u32 {
        self.0.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b))
    }

    pub fn u64(self, at: usize) -> u64 {
        self.0.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b))
    }
}
