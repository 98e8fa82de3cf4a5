//! Asks for the manifest of an artifact.

use super::{Question, Trees};
use crate::error::AuditError;
#[cfg(any(feature = "cli", feature = "packages"))]
use crate::input::digest;
use crate::inventory::Inventory;
use crate::locator::file_name;
use crate::report;
use crate::report::v1::Manifest;
use crate::source::SourceFile;
use crate::target::TargetId;
use std::path::Path;

/// Asks what one artifact can do on each processor.
#[derive(Debug, Clone, Default)]
pub struct ManifestQuestion {
    /// The processors; all that are known, where none is named.
    pub processors: Vec<TargetId>,
}

impl Question for ManifestQuestion {
    type Document = Manifest;

    fn ask(&self, trees: &Trees<'_>) -> Result<Manifest, AuditError> {
        let [root] = trees.roots() else {
            return Err(AuditError::Usage(format!(
                "manifest: it is of one artifact, and {} are named",
                trees.roots().len()
            )));
        };
        let (inventory, digest) = read(root, trees)?;
        let (sha256, bytes) = match digest {
            Some((sha256, bytes)) => (Some(sha256), bytes),
            None => (None, size_of(root).unwrap_or(inventory.files.bytes)),
        };
        let name = file_name(&root.to_string_lossy()).to_owned();
        Ok(report::manifest(&inventory, (name, bytes, sha256), &self.processors))
    }
}

/// The digest of a file and its size in bytes.
pub(super) type Digest = Option<(String, u64)>;

/// Reads an artifact, and its digest beside that; a folder has none.
#[cfg(all(any(feature = "cli", feature = "packages"), not(target_family = "wasm")))]
fn read(root: &Path, trees: &Trees<'_>) -> Result<(Inventory, Digest), AuditError> {
    std::thread::scope(|scope| {
        let digest = scope.spawn(|| digest_of(root));
        let inventory = trees.inventory();
        let digest = digest.join().unwrap_or(Ok(None));
        Ok((inventory?, digest?))
    })
}

#[cfg(not(all(any(feature = "cli", feature = "packages"), not(target_family = "wasm"))))]
fn read(root: &Path, trees: &Trees<'_>) -> Result<(Inventory, Digest), AuditError> {
    Ok((trees.inventory()?, digest_of(root)?))
}

/// The size of a file, also of one behind an address; none of a folder.
pub(super) fn size_of(path: &Path) -> Option<u64> {
    SourceFile::open(path).ok().map(|file| file.len())
}

/// The digest of a file; none of a folder, nor of a file behind an address, for which all of it would have to be fetched.
#[cfg(any(feature = "cli", feature = "packages"))]
pub(super) fn digest_of(path: &Path) -> Result<Digest, AuditError> {
    if path.is_file() { digest::sha256(path).map(Some) } else { Ok(None) }
}

/// None: this build has no SHA-256.
#[cfg(not(any(feature = "cli", feature = "packages")))]
pub(super) fn digest_of(_: &Path) -> Result<Digest, AuditError> {
    Ok(None)
}
