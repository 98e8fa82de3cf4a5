//! Files that are holes for the most part.

use crate::limits::{SPARSE_BYTES, SPARSE_RATIO};
use std::path::Path;

/// Why a file is not read that is holes for the most part: reading them takes as long as if they were bytes.
/// File systems that compress store zeros in less, and other bytes never in so much less.
pub(super) fn fault(path: &Path, bytes: u64) -> Option<String> {
    if bytes < SPARSE_BYTES {
        return None;
    }
    let stored = stored_bytes(path)?;
    let is_sparse = stored.saturating_mul(SPARSE_RATIO) < bytes;
    is_sparse.then(|| {
        format!("{stored} of its {bytes} bytes are stored, the others are holes: the file is not read")
    })
}

/// The bytes of storage that a file takes, where the system says so.
#[cfg(unix)]
fn stored_bytes(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(std::fs::metadata(path).ok()?.blocks().saturating_mul(512))
}

#[cfg(not(unix))]
fn stored_bytes(_: &Path) -> Option<u64> {
    None
}
