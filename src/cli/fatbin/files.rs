//! The files of a call: packages are opened member by member, folders are replaced by what is in them.

use super::Args;
use crate::cli::global;
use crate::cli::is_folder_there;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::format::promise;
use crate::input::device_file::{DeviceFile, OpenedFile};
use crate::input::package::is_package;
use crate::input::walk;
use crate::scan::entry_lost::lost;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The files of the call, and the pattern of kernels. Folders are replaced by the files in them that hold
/// device code. What follows `--kernels` is a file where no other is named. What cannot be read of folders is
/// named on standard error, and added to `unread`.
pub(super) fn named(
    args: &Args,
    unread: &mut Vec<Finding>,
) -> Result<(Vec<PathBuf>, Option<String>), AuditError> {
    let mut named = args.files.clone();
    let mut pattern = args.kernels.clone();
    if named.is_empty() && pattern.is_some() {
        named.extend(pattern.take().filter(|p| !p.is_empty()).map(PathBuf::from));
        pattern = Some(String::new());
    }
    // A path behind `--kernels` is meant as that, not as a pattern that no kernel has.
    if let Some(path) = pattern.as_ref().map(PathBuf::from).filter(|path| path.exists()) {
        named.insert(0, path);
        pattern = Some(String::new());
    }
    if args.chooses_kernels() && pattern.is_none() {
        pattern = Some(String::new());
    }
    if let (true, Some(word)) = (named.is_empty(), args.isa.as_ref().filter(|word| !word.is_empty())) {
        named.push(PathBuf::from(word));
    }
    if named.is_empty() {
        return Err(AuditError::Usage("fatbin: name a file".into()));
    }
    let mut files = Vec::new();
    for path in &named {
        if is_folder_there(path)? {
            let entries = walk::walk(std::slice::from_ref(path), &walk::Options::default()).entries;
            for entry in &entries {
                if let Some(finding) = lost(entry).filter(Finding::is_damage) {
                    global::complain(&finding.to_string());
                    unread.push(finding);
                }
            }
            let is_file = |entry: &walk::Entry| matches!(entry.kind, walk::PathKind::File(_));
            let inside: Vec<PathBuf> = entries.into_iter().filter(is_file).map(|entry| entry.path).collect();
            files.par_extend(inside.into_par_iter().filter(|path| may_hold_device_code(path)));
        } else {
            files.push(path.clone());
        }
    }
    Ok((files, pattern))
}

/// Whether a file of a folder is worth reading: it holds device code, it is a package, which may, or it did
/// once.
fn may_hold_device_code(path: &Path) -> bool {
    let holds = |file: DeviceFile| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        file.has_device_code()
            || is_package(file.format)
            || promise::broken_in(&name, file.file.bytes()).is_some()
    };
    // Of what cannot be opened it is not known, and is said when it is tried again.
    DeviceFile::open(path).map_or(true, holds)
}

/// Files that are opened at a time, on all cores, while those before them are looked at.
const TOGETHER: usize = 32;

/// Files from which on starting threads costs less than it saves.
const WORTH_THREADS: usize = 8;

/// Opens each of the files, packages member by member, until `each` fails. Files and packages that cannot be
/// read are named on standard error, and added to `unread`.
pub(super) fn open_all(
    files: &[PathBuf],
    unread: &mut Vec<Finding>,
    mut each: impl FnMut(DeviceFile, &mut Vec<Finding>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let open = |some: &[PathBuf]| -> Vec<_> {
        match some.len() < WORTH_THREADS {
            true => some.iter().map(|path| OpenedFile::open(path)).collect(),
            false => some.par_iter().map(|path| OpenedFile::open(path)).collect(),
        }
    };
    let mut look = |some: &[PathBuf], opened: Vec<_>| {
        some.iter().zip(opened).try_for_each(|(path, opened)| in_one(path, opened, unread, &mut each))
    };
    let mut chunks = files.chunks(TOGETHER);
    let Some(mut some) = chunks.next() else { return Ok(()) };
    let mut opened = open(some);
    for next in chunks {
        let mut ahead = Vec::new();
        if rayon::current_num_threads() == 1 {
            look(some, opened)?;
            ahead = open(next);
        } else {
            // What is looked at is written by this thread, in order.
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| ahead = open(next));
                look(some, opened)
            })?;
        }
        (some, opened) = (next, ahead);
    }
    look(some, opened)
}

/// Calls back for a file that was opened, or for each member of a package.
fn in_one(
    path: &Path,
    opened: Result<OpenedFile, AuditError>,
    unread: &mut Vec<Finding>,
    each: &mut impl FnMut(DeviceFile, &mut Vec<Finding>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let (mut inside, mut wrong, mut result) = (Vec::new(), Vec::new(), Ok(()));
    match opened {
        Ok(opened) => {
            let mut look = |open: DeviceFile| {
                if result.is_ok() {
                    result = each(open, &mut inside);
                }
            };
            opened.each(&mut look, &mut |finding| wrong.push(finding));
        }
        Err(error) => {
            global::complain(&error.to_string());
            inside.push(Finding::of_file(&read::UNREADABLE_FILE, &path.to_string_lossy(), error.to_string()));
        }
    }
    wrong.iter().for_each(|finding| global::complain(&finding.to_string()));
    unread.extend(wrong.into_iter().chain(inside));
    result
}
