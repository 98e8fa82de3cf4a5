//! The files of a folder.

use anyhow::Result;
use std::path::{Path, PathBuf};

/// All files below a folder, with their paths from `root`.
///
/// # Errors
/// A folder cannot be listed.
pub fn all_files(root: &Path, folder: &Path, into: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            all_files(root, &path, into)?;
        } else if kind.is_file() {
            into.push((path.strip_prefix(root)?.to_string_lossy().into_owned(), path));
        }
    }
    Ok(())
}
