//! Folders, listed and copied.

use std::fs;
use std::path::{Path, PathBuf};

/// Every regular file below a folder, in path order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            all.extend(files(&path));
        } else if metadata.is_file() {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Copies a folder with its content, so that the copy can be modified; links stay links.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copy(&entry.path(), &to),
            kind if kind.is_file() => drop(fs::copy(entry.path(), to).unwrap()),
            _ => link(&fs::read_link(entry.path()).unwrap(), &to),
        }
    }
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) {
    std::os::unix::fs::symlink(target, at).unwrap();
}

#[cfg(not(unix))]
fn link(target: &Path, at: &Path) {
    fs::copy(at.parent().unwrap().join(target), at).unwrap();
}
