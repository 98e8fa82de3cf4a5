//! What the system says of the files that a call names, without reading them.

use sha2::{Digest, Sha256};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What two runs have in common that read the same files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub digest: [u8; 32],
    /// When the last of the files changed.
    pub last_change: Option<SystemTime>,
}

impl Fingerprint {
    /// Of the files and folders, with all in them; `None` where not all of it can be looked at. Links count
    /// with what they lead to; folders behind links in a tree are not looked into.
    pub fn from_files(inputs: &[PathBuf]) -> Option<Self> {
        let (mut hash, mut last_change) = (Sha256::new(), None);
        // Each folder's entries are taken in the order of their names.
        let mut left: Vec<PathBuf> = inputs.iter().rev().cloned().collect();
        while let Some(path) = left.pop() {
            let own = fs::symlink_metadata(&path).ok()?;
            let mut noted = state(&own);
            last_change = last_change.max(changed(&own));
            // A folder that is named may be a link. In a tree, links to folders are not followed.
            let is_named = inputs.contains(&path);
            if own.is_symlink() {
                noted.extend(fs::read_link(&path).ok()?.as_os_str().as_encoded_bytes());
                if let Ok(target) = fs::metadata(&path) {
                    noted.extend(state(&target));
                    last_change = last_change.max(changed(&target));
                }
            }
            hash.update((path.as_os_str().len() as u64).to_le_bytes());
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update((noted.len() as u64).to_le_bytes());
            hash.update(&noted);
            if own.is_dir() || is_named && path.is_dir() {
                left.extend(entries(&path)?);
            }
        }
        Some(Fingerprint { digest: hash.finalize().into(), last_change })
    }
}

/// The entries of a folder, the last name first.
fn entries(folder: &Path) -> Option<Vec<PathBuf>> {
    let all = fs::read_dir(folder).ok()?.map(|entry| Some(entry.ok()?.path()));
    let mut all = all.collect::<Option<Vec<PathBuf>>>()?;
    all.sort_unstable_by(|one, other| other.cmp(one));
    Some(all)
}

/// What the system says of this program's own file.
pub(super) fn program() -> Option<Vec<u8>> {
    fs::metadata(std::env::current_exe().ok()?).ok().map(|own| state(&own))
}

#[cfg(unix)]
fn state(own: &Metadata) -> Vec<u8> {
    use std::os::unix::fs::MetadataExt;
    let numbers = [
        own.dev(),
        own.ino(),
        u64::from(own.mode()),
        own.size(),
        own.mtime().cast_unsigned(),
        own.mtime_nsec().cast_unsigned(),
        own.ctime().cast_unsigned(),
        own.ctime_nsec().cast_unsigned(),
    ];
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(unix)]
fn changed(own: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    use std::time::Duration;
    let seconds = u64::try_from(own.ctime()).ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::new(seconds, u32::try_from(own.ctime_nsec()).ok()?))
}

#[cfg(not(unix))]
fn state(_: &Metadata) -> Vec<u8> {
    Vec::new()
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}
