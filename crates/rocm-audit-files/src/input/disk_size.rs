//! How large files and folders are on disk.

use std::path::Path;
use walkdir::WalkDir;

/// Bytes of a file, or of all files in a folder. Links count nothing, and neither does what cannot be looked at.
pub fn bytes_on_disk(path: &Path) -> u64 {
    let entries = WalkDir::new(path).into_iter().filter_map(Result::ok);
    let entries = entries.filter(|entry| entry.file_type().is_file() || entry.depth() == 0);
    let files = entries.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file);
    files.map(|file| file.len()).sum()
}
