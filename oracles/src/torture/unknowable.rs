//! Losses that leave no trace in the bytes: what is left is a whole file of its kind, or one of no kind at
//! all.

use super::base::Base;
use super::mutation::Broken;
use rocm_audit::format::{Format, promise};

/// Why no reader can tell that a part of this file is gone; `None` if a reader could.
pub fn why(base: &Base, broken: &Broken) -> Option<&'static str> {
    let how = |way: &str| broken.how.iter().any(|how| how.starts_with(way));
    if how("another name") {
        return Some("another name: what reads a file by its name does not read it");
    }
    if how("another file's end") {
        return Some("another file's end: what is left may be a file of its own");
    }
    let format = Format::identify(broken.bytes.get(..512).unwrap_or(&broken.bytes));
    if base.format == Format::Other && is_text(&base.name) {
        return Some(
            "text: lines are gone, run together or written over by other text, and it is text still",
        );
    }
    let promises = promise::broken(&broken.name, &[0; 512]).is_some();
    if format != base.format && !promises {
        return Some("the magic is gone, and the name promises nothing");
    }
    if format == Format::WindowsPe && base.from.contains("kpack") {
        return Some("a program of DOS: its first bytes are all that is left of a PE file");
    }
    if is_bundles(base.format) && !base.bundles.is_empty() && whole_bundles(base, broken) {
        return Some(
            "a file of bundles: those that are left are whole, and nothing says how many there were",
        );
    }
    if base.format == Format::Cpio
        && broken.bytes.len() < base.bytes.len()
        && broken.bytes.len().is_multiple_of(512)
    {
        return Some(
            "cpio archives behind each other: those that are left are whole, and nothing says how many there were",
        );
    }
    if base.format == Format::Sqlite {
        return Some("a page of an SQLite database, which has no checksum");
    }
    if base.from.contains("stray/") {
        return Some("device code in data of a program: no section announces it");
    }
    None
}

fn is_text(name: &str) -> bool {
    [".fdb.txt", ".db.txt", ".yaml", ".h"].iter().any(|end| name.ends_with(end))
        || name.ends_with(".ufdb.txt")
}

fn is_bundles(format: Format) -> bool {
    matches!(
        format,
        Format::OffloadBundle | Format::CompressedBundle | Format::OffloadBinary | Format::CodeObject
    )
}

/// Whether all bundles that begin in the broken file as they did end in it, and others are gone with all
/// their bytes.
fn whole_bundles(base: &Base, broken: &Broken) -> bool {
    let moved = broken.touched.is_none();
    let cut = broken.bytes.len() < base.bytes.len();
    let end = broken.bytes.len();
    let between = base.bundles.iter().all(|(range, _)| range.end <= end || range.start >= end);
    base.bundles.len() > 1 && (cut && between || moved && broken.how.len() > 1)
}
