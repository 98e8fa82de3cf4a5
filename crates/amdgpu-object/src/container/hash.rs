//! The hash that the header of a compressed bundle has of its content: the first half of an MD5.

#[cfg(feature = "md5")]
use crate::bytes::le::LeBytes;
#[cfg(feature = "md5")]
use md5::Digest as _;

/// The hash of what was read so far.
pub(super) struct StreamHash {
    #[cfg(feature = "md5")]
    hash: md5::Md5,
}

impl StreamHash {
    /// Of nothing yet; `None` in a build that compares no hashes.
    pub fn new() -> Option<Self> {
        #[cfg(feature = "md5")]
        return Some(StreamHash { hash: md5::Md5::new() });
        #[cfg(not(feature = "md5"))]
        None
    }

    /// Goes on with these bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        #[cfg(feature = "md5")]
        self.hash.update(bytes);
        #[cfg(not(feature = "md5"))]
        let _ = bytes;
    }

    /// The number that a header should have.
    pub fn finish(self) -> u64 {
        #[cfg(feature = "md5")]
        return LeBytes(&self.hash.finalize()).u64(0);
        #[cfg(not(feature = "md5"))]
        0
    }

    /// The hash of bytes that are all there.
    pub fn of(bytes: &[u8]) -> Option<u64> {
        let mut hash = StreamHash::new()?;
        hash.update(bytes);
        Some(hash.finish())
    }
}
