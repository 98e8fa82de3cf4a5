//! Entries of a tree that are no files to be read, links among them, and what is lost by that.

use super::artifacts::{code_objects, firmware};
use super::{Identity, SCANNERS, claim};
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::format::{Format, Support};
use crate::input::device_file::DeviceFile;
use crate::input::package::is_package;
use crate::input::walk::{Entry, Leads, PathKind, Special};
use crate::inventory::outcome::{Alias, EntryOutcome};
use crate::source::SourceFile;

/// A symbolic link that was not followed, and what is lost by that. The driver's firmware has many, under
/// names that are evidence of their own.
pub(super) fn link(entry: &Entry, lost: Option<Finding>) -> EntryOutcome {
    let nowhere = lost.as_ref().is_some_and(|found| found.rule == &read::DANGLING_LINK);
    if nowhere || !firmware::is_firmware(&entry.locator().shown(), &entry.name()) {
        return EntryOutcome::Link(lost);
    }
    let (kind, named_target) = firmware::describe(&entry.name(), true);
    EntryOutcome::Alias(Box::new(Alias {
        scanner: firmware::SCANNER.id,
        library: "firmware",
        kind,
        named_target,
    }))
}

/// What is lost because an entry of a tree is no file that can be read; nothing of one that can.
pub(crate) fn lost(entry: &Entry) -> Option<Finding> {
    let found = |rule, what: &str| Some(Finding::of_file(rule, &entry.shown, what));
    match &entry.kind {
        PathKind::File(_)
        | PathKind::OtherName
        | PathKind::Link(Leads::Within)
        | PathKind::Special(Special::Nothing) => None,
        PathKind::Link(Leads::Nowhere) => found(&read::DANGLING_LINK, "a symbolic link leads nowhere"),
        PathKind::Link(Leads::Outside) => found(&read::LINK_NOT_FOLLOWED, &not_followed(entry)?),
        PathKind::Special(Special::Bytes) => found(&read::SPECIAL_FILE, NOT_REGULAR),
        PathKind::Unreadable(what) => found(&read::UNREADABLE_FILE, what),
        PathKind::LinkLoop(what) => found(&read::LINK_LOOP, what),
    }
}

/// Reading it may wait for ever, or take from others.
const NOT_REGULAR: &str =
    "a FIFO or device, which is not read: what comes out of it has to be written to a file first";

/// What is not read because a link out of the roots is not followed; nothing where a look at the file says
/// that it has nothing to report.
fn not_followed(entry: &Entry) -> Option<String> {
    let rest = "below none of the roots, and is not followed: name what it leads to";
    let metadata = match std::fs::metadata(&entry.path) {
        Ok(metadata) => metadata,
        Err(error) => return Some(format!("leads to what cannot be looked at ({error}), {rest}")),
    };
    if metadata.is_dir() {
        return Some(format!("leads to a folder {rest}"));
    }
    if !metadata.is_file() {
        return None;
    }
    let file = match SourceFile::open(&entry.path) {
        Ok(file) => file,
        Err(error) => return Some(format!("leads to a file that cannot be read ({error}), {rest}")),
    };
    let name = entry.name();
    let path = entry.locator().shown();
    let format = Format::recognise(&file);
    let holds = match SCANNERS.get(claim(&Identity { path: &path, name: &name, format })) {
        Some(scanner) if scanner.id == code_objects::SCANNER.id => {
            DeviceFile::from_file(file).has_device_code()
        }
        // A source is of no use without what compiles it.
        Some(scanner) if scanner.of_text => false,
        Some(_) => true,
        None => format.support() == Support::NotYet || is_package(format),
    };
    holds.then(|| format!("leads to a file with something to read, {rest}"))
}
