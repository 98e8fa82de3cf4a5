//! Whether a layer is the one that the image names: its SHA-256 is compared where every byte may be read.

use super::super::stream::Codec;
use super::manifest::ImageLayer;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Says what is wrong with the bytes of a layer; `None` where they are right, or where nothing says what they should be.
///
/// What `docker save` writes names layers by paths: `blobs/sha256/…` is a digest. In older ones only the configuration has
/// digests, of the layers as they are unpacked.
pub(super) fn mismatch(layer: &ImageLayer, bytes: &[u8]) -> Option<String> {
    let named = &layer.facts.digest;
    let by_name = named.strip_prefix("sha256:").or_else(|| named.strip_prefix("blobs/sha256/"));
    let unpacked = || {
        let id = layer.unpacked.as_deref()?.strip_prefix("sha256:");
        id.filter(|_| Codec::identify(bytes).is_none())
    };
    let stated = by_name.or_else(unpacked)?;
    let mut found = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(found, "{byte:02x}");
    }
    (found != stated).then(|| format!("its SHA-256 is {found}, where the image states {stated}"))
}
