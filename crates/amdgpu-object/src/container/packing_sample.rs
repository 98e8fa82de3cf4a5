//! How far bundles that are not compressed would compress: an estimate from samples.
//!
//! `clang --offload-compress` compresses each bundle with zstd. Compressing all of it to say how far it goes would take
//! longer than all else; pieces from the middle of a few bundles come close (ggml 0.21 for 0.18, rocBLAS 0.19 for 0.23).
#![deny(clippy::indexing_slicing)]

use super::{Bundle, StorageKind};
use crate::bytes::le::clamped;

/// Bytes of a piece.
const PIECE: u64 = 256 << 10;
/// Bytes of bundles for which one piece is taken, and most pieces of a file.
const ONE_FOR: u64 = 32 << 20;
const MOST: u64 = 12;

answer! {
    /// Pieces of bundles, as they are and compressed.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct PackingSample {
        /// Bytes of the pieces.
        copy plain: u64,
        /// The same compressed.
        copy packed: u64,
    }
}

impl PackingSample {
    /// Of the bundles of a file that are not compressed; empty where they are small, or without the feature `zstd`.
    pub fn of(bytes: &[u8], bundles: &[Bundle]) -> Self {
        let plain: Vec<&Bundle> = bundles
            .iter()
            .filter(|bundle| bundle.storage.kind == StorageKind::Plain && bundle.span >= PIECE)
            .collect();
        let all: u64 = plain.iter().map(|bundle| bundle.span).sum();
        let pieces = (all / ONE_FOR).min(MOST) as usize;
        let mut sample = PackingSample::default();
        let step = plain.len().div_ceil(pieces.max(1)).max(1);
        for bundle in plain.into_iter().step_by(step).take(pieces) {
            let middle = bundle.offset.saturating_add((bundle.span - PIECE) / 2);
            let piece = clamped(bytes, middle, PIECE);
            if let Some(packed) = packed_size(piece) {
                sample.plain += piece.len() as u64;
                sample.packed += packed;
            }
        }
        sample
    }

    /// Adds another.
    pub fn merge(&mut self, other: PackingSample) {
        self.plain += other.plain;
        self.packed += other.packed;
    }

    /// What `bytes` bytes would come to, compressed; `None` without a sample.
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
            storage: crate::container::Storage::of(StorageKind::Plain),
            ..Bundle::bare(0)
        };
        let sample = PackingSample::of(&bytes, &[bundle(ONE_FOR + PIECE)]);
        assert_eq!(sample.plain, PIECE);
        assert!(sample.packed < PIECE / 100, "{sample:?}");
        assert_eq!(PackingSample::of(&bytes, &[bundle(PIECE)]), PackingSample::default());
    }
}
