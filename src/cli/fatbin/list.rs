//! `fatbin --list`: every bundle entry with its place.

use super::files::open_all;
use crate::cli::global::{self, GlobalArgs};
use crate::container::Bundle;
use crate::container::bundle::Entry;
use crate::finding::{self, Finding};
use crate::input::device_file::DeviceFile;
use crate::render::Format;
use crate::render::entries::{EntryList, PlacedEntry};
use crate::render::style::plural;
use crate::report;
use std::io::{self, Write};
use std::path::PathBuf;

/// Lists the entries of all files. Files that cannot be read are named on standard error and do not end the
/// list.
pub(super) fn write(
    files: &[PathBuf],
    global: &GlobalArgs,
    unread: &mut Vec<Finding>,
    out: &mut dyn Write,
    format: Format,
) -> io::Result<()> {
    let mut list = EntryList::begin(out, format)?;
    open_all(files, unread, |file, unread| {
        let path = file.file.locator().shown();
        let mut wrong = Finding::all_of_bytes(&path, file.container.problems());
        let mut result = Ok(());
        file.for_each_entry(|bundle: &Bundle, entry: &Entry, uri| {
            let target = file.target_of(bundle, entry);
            let wanted = global.arch.is_empty() || target.as_ref().is_some_and(|t| global.wants(t));
            if wanted && result.is_ok() {
                let listed = PlacedEntry { path: &path, bundle, entry, target: target.as_ref(), uri };
                result = list.add(&listed);
            }
        });
        result?;
        wrong.extend(file.faults_of_whole(&path));
        wrong.iter().for_each(|finding| global::complain(&finding.to_string()));
        complain(&file, &path);
        unread.extend(wrong);
        Ok(())
    })?;
    let found = report::found(&finding::merged(unread.iter().cloned()));
    if list.end(&found)? == 0 && format == Format::Table {
        let asked: Vec<_> = global.arch.iter().map(ToString::to_string).collect();
        let what = if asked.is_empty() { String::new() } else { format!(" for {}", asked.join(", ")) };
        writeln!(out, "No entry{what} in {}.", plural(files.len() as u64, "file", "files"))?;
    }
    Ok(())
}

/// Says on standard error what of a file was not looked into, and where more of its device code is.
fn complain(file: &DeviceFile, path: &str) {
    for what in file.not_examined() {
        global::complain(&format!("{path}: not examined: {what}"));
    }
    if let Some(marker) = file.container.kpack() {
        let paths = marker.search_paths().join(", ");
        global::complain(&format!("{path}: its device code was moved to kpack archives: {paths}"));
    }
}
