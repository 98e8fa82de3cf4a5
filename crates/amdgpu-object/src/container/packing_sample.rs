//! Estimates from samples how well uncompressed bundles would compress.
//!
//! `clang --offload-compress` compresses each bundle with zstd. Compressing everything would take longer than
//! the whole audit; samples come close.
#![deny(clippy::indexing_slicing)]

use super::{Bundle, StorageKind};
use crate::bytes::le::clamped;

/// Size of a sample in bytes.
const PIECE: u64 = 256 << 10;
/// Bytes of bundles for each sample, and most samples in a file.
const ONE_FOR: u64 = 32 << 20;
const MOST: u64 = 12;

answer! {
    /// Samples of bundles, uncompressed and compressed.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct PackingSample {
        /// Uncompressed size of the samples in bytes.
        copy plain: u64,
        /// Compressed size of the samples in bytes.
        copy packed: u64,
    }
}

impl PackingSample {
    /// Samples the uncompressed bundles of a file; empty if they are small, or without the feature `zstd`.
    pub fn from_bytes(bytes: &[u8], bundles: &[Bundle]) -> Self {
        let plain: Vec<&Bundle> = bundles
            .iter()
            .filter(|bundle| bundle.storage.kind == StorageKind::Plain && bundle.span >= PIECE)
            .collect();
        let all: u64 = plain.iter().map(|bundle| bundle.span).sum();
        let pieces = (all / ONE_FOR).min(MOST);
        let mut sample = PackingSample::default();
        // At even distances in all of them: a library may have one bundle, in which code differs from place to place.
        let mut places = (0..pieces).map(|piece| all / (2 * pieces) * (2 * piece + 1)).peekable();
        let mut before = 0;
        for bundle in plain {
            while let Some(place) = places.next_if(|place| *place < before + bundle.span) {
                let start = (place - before).min(bundle.span - PIECE);
                let piece = clamped(bytes, bundle.offset.saturating_add(start), PIECE);
                if let Some(packed) = packed_size(piece) {
                    sample.plain += piece.len() as u64;
                    sample.packed += packed;
                }
            }
            before += bundle.span;
        }
        sample
    }

    /// Adds another sample.
    pub fn merge(&mut self, other: PackingSample) {
        self.plain += other.plain;
        self.packed += other.packed;
    }

    /// Estimated compressed size of `bytes` bytes; `None` without a sample.
    pub fn packed_size_of(self, bytes: u64) -> Option<u64> {
        let scaled = u128::from(bytes) * u128::from(self.packed) / u128::from(self.plain).max(1);
        (self.plain > 0).then(|| u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

#[cfg(all(feature = "zstd", not(target_family = "wasm")))]
fn packed_size(piece: &[u8]) -> Option<u64> {
    zstd::bulk::compress(piece, zstd::DEFAULT_COMPRESSION_LEVEL).ok().map(|packed| packed.len() as u64)
}

#[cfg(not(all(feature = "zstd", not(target_family = "wasm"))))]
fn packed_size(_: &[u8]) -> Option<u64> {
    None
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_scales_and_none_says_nothing() {
        let sample = PackingSample { plain: 1000, packed: 250 };
        assert_eq!(sample.packed_size_of(4000), Some(1000));
        assert_eq!(sample.packed_size_of(u64::MAX), Some(u64::MAX / 4));
        assert_eq!(PackingSample::default().packed_size_of(4000), None);
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn zeros_compress_and_small_files_are_not_sampled() {
        let bytes = vec![0u8; (ONE_FOR + PIECE) as usize];
        let bundle = |span| Bundle {
            span,
            storage: crate::container::Storage::uncompressed(StorageKind::Plain),
            ..Bundle::bare(0)
        };
        let sample = PackingSample::from_bytes(&bytes, &[bundle(ONE_FOR + PIECE)]);
        assert_eq!(sample.plain, PIECE);
        assert!(sample.packed < PIECE / 100, "{sample:?}");
        assert_eq!(PackingSample::from_bytes(&bytes, &[bundle(PIECE)]), PackingSample::default());
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn one_bundle_is_sampled_in_several_places() {
        // Numbers that do not compress in the middle, and zeros around them.
        let mut bytes = vec![0u8; (4 * ONE_FOR) as usize];
        let (middle, mut state) = (bytes.len() / 2, 0x9e37_79b9_7f4a_7c15_u64);
        for byte in &mut bytes[middle - (1 << 20)..middle + (1 << 20)] {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = state as u8;
        }
        let storage = crate::container::Storage::uncompressed(StorageKind::Plain);
        let bundle = Bundle { span: 4 * ONE_FOR, storage, ..Bundle::bare(0) };
        let sample = PackingSample::from_bytes(&bytes, &[bundle]);
        assert_eq!(sample.plain, 4 * PIECE);
        assert!(sample.packed < PIECE, "{sample:?}");
    }
}
