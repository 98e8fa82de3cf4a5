//! The hash of its content in the header of a compressed bundle: the first half of an MD5.

#[cfg(feature = "hash-together")]
mod lanes;
#[cfg(feature = "hash-together")]
pub mod together;

#[cfg(feature = "md5")]
use crate::bytes::le::LeBytes;
#[cfg(feature = "md5")]
use md5::Digest as _;

/// The hash of the bytes read so far.
pub(super) struct StreamHash {
    #[cfg(feature = "md5")]
    hash: md5::Md5,
}

impl StreamHash {
    /// A hash of no bytes yet; `None` in a build without hashing.
    pub fn new() -> Option<Self> {
        #[cfg(feature = "md5")]
        return Some(StreamHash { hash: md5::Md5::new() });
        #[cfg(not(feature = "md5"))]
        None
    }

    /// Adds these bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        #[cfg(feature = "md5")]
        self.hash.update(bytes);
        #[cfg(not(feature = "md5"))]
        let _ = bytes;
    }

    /// The number to compare with the header.
    pub fn finish(self) -> u64 {
        #[cfg(feature = "md5")]
        return LeBytes(&self.hash.finalize()).u64(0);
        #[cfg(not(feature = "md5"))]
        0
    }

    /// The hash of complete bytes.
    pub fn hash_bytes(bytes: &[u8]) -> Option<u64> {
        let mut hash = StreamHash::new()?;
        hash.update(bytes);
        Some(hash.finish())
    }
}
