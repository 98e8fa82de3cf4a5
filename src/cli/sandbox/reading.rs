//! What a run may still read: everything but what is of other processes and of devices.
//!
//! Landlock allows folders and cannot leave out parts of them, so all that lies in `/` is allowed one by one.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What is left of `/proc` and `/dev`: the process itself, what the standard library and SQLite ask the
/// system, and devices that say nothing of others.
const KEPT: [&str; 11] = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/filesystems",
    "/proc/mounts",
    "/proc/sys",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/shm",
];

/// What is read to look up names of hosts: the system's settings, libraries that those name, and random numbers.
#[cfg(feature = "addresses")]
pub(super) const OF_HOST_NAMES: [&str; 16] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/localtime",
    "/etc/ld.so.cache",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/run/systemd/resolve",
    "/dev/random",
    "/dev/urandom",
];

/// The paths below which files may be read; `None` means everywhere: the call names `/` itself.
pub(super) fn readable() -> Option<Vec<PathBuf>> {
    let mut folders = HashMap::new();
    let words = std::env::args_os().skip(1);
    let named: Vec<PathBuf> = words.filter_map(|word| named(&word, &mut folders)).collect();
    if named.iter().any(|path| path == Path::new("/")) {
        return None;
    }
    let closed = ["/proc", "/dev"].map(Path::new);
    let is_closed = |path: &PathBuf| closed.iter().any(|closed| path.starts_with(closed));
    let tops = fs::read_dir("/").ok()?.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut readable: Vec<PathBuf> = tops.filter(|path| !is_closed(path)).collect();
    readable.extend(KEPT.map(PathBuf::from));
    readable.extend(named.into_iter().filter(is_closed));
    Some(readable)
}

/// The file or folder that a word of the call names, by itself or behind an option.
fn named(word: &OsStr, folders: &mut HashMap<PathBuf, Option<PathBuf>>) -> Option<PathBuf> {
    let behind = word.to_str().and_then(|word| word.split_once('=')).map(|(_, behind)| OsStr::new(behind));
    [Some(word), behind].into_iter().flatten().find_map(|path| place(Path::new(path), folders))
}

/// Where a path leads, if something is there. Many words of a call name files of one folder, whose place is asked
/// once.
fn place(path: &Path, folders: &mut HashMap<PathBuf, Option<PathBuf>>) -> Option<PathBuf> {
    let (Some(folder), Some(name)) =
        (path.parent().filter(|folder| *folder != Path::new("")), path.file_name())
    else {
        return fs::canonicalize(path).ok();
    };
    let folder = folders.entry(folder.to_owned()).or_insert_with(|| fs::canonicalize(folder).ok());
    // Asked without what may stand behind the name: a link with a slash behind it is followed already.
    let whole = folder.as_ref()?.join(name);
    let leads_on = fs::symlink_metadata(&whole).ok()?.file_type().is_symlink();
    if leads_on { fs::canonicalize(&whole).ok() } else { Some(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_word_is_where_the_system_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), b"").unwrap();
        std::os::unix::fs::symlink("/proc", path("link")).unwrap();
        let mut folders = HashMap::new();
        for name in ["file", "link", "link/", "link/self/..", ".", "link/../", "absent", "absent/file"] {
            let expected = fs::canonicalize(path(name)).ok();
            assert_eq!(place(&path(name), &mut folders), expected, "{name}");
        }
        assert_eq!(place(Path::new("/"), &mut folders).as_deref(), Some(Path::new("/")));
    }
}
