//! Losses that leave no trace in the bytes: what is left is a whole file of its kind, or one of no kind at
//! all.

use super::base::Base;
use super::mutation::Broken;
use rocm_audit::container::ar_members::ArMembers;
use rocm_audit::container::{self, Bundle};
use rocm_audit::format::{Format, hidden, promise};
use std::io::Read;

/// Why no reader can tell that a part of this file is gone; `None` if a reader could.
pub fn why(base: &Base, broken: &Broken) -> Option<&'static str> {
    let how = |way: &str| broken.how.iter().any(|how| how.starts_with(way));
    if how("another name") {
        return Some("another name: what reads a file by its name does not read it");
    }
    if how("another file's end") {
        return Some("another file's end: what is left may be a file of its own");
    }
    if how("cut: 0 of") && how("bytes behind") {
        return Some("nothing of the file is left: what stands in its place is another");
    }
    let head = broken.bytes.get(..512).unwrap_or(&broken.bytes);
    let format = Format::identify(head);
    if base.format == Format::Other && is_text(&base.name) {
        return Some(
            "text: lines are gone, run together or written over by other text, and it is text still",
        );
    }
    let promises = promise::broken(&broken.name, &[0; 512]).is_some();
    if format == Format::Other
        && hidden::is_text(head)
        && promise::broken_in(&broken.name, &broken.bytes).is_none()
    {
        return Some("a text is left, under a name that texts have too: scripts of linkers, sources");
    }
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
    if base.format == Format::Archive && whole_members(base, broken) {
        return Some(
            "an archive of objects: the members that are left are whole, and neither its symbol index nor its table of names has others",
        );
    }
    if base.format == Format::Tar && whole_tar(base, broken) {
        return Some("a tar: the members that are left are whole, and nothing says how many there were");
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

/// Whether the bundles that are left are whole, and of others nothing is left, or nothing but the code object
/// that they held.
fn whole_bundles(base: &Base, broken: &Broken) -> bool {
    let moved = broken.touched.is_none();
    let cut = broken.bytes.len() < base.bytes.len();
    let end = broken.bytes.len();
    let between = base.bundles.iter().all(|(range, _)| range.end <= end || range.start >= end);
    base.bundles.len() > 1 && (cut && between || moved && broken.how.len() > 1)
        || untouched_bundles(base, broken)
}

/// Whether all of the broken file is bundles of the intact one, each as it was, and what aligns them.
fn untouched_bundles(base: &Base, broken: &Broken) -> bool {
    let found = container::open(&broken.bytes, base.format);
    let as_before = |bundle: &Bundle| {
        let range = bundle.offset() as usize..(bundle.offset() + bundle.span()) as usize;
        let bytes = broken.bytes.get(range).unwrap_or_default();
        !bytes.is_empty() && memchr::memmem::find(&base.bytes, bytes).is_some()
    };
    !found.bundles().is_empty()
        && found.problems().is_empty()
        && found.gaps().unknown() == 0
        && found.bundles().iter().all(as_before)
}

/// Whether the members that are left of an archive are members of the intact one, each as it was, and its own
/// tables, which have others where they name them, are not there or are gone.
fn whole_members(base: &Base, broken: &Broken) -> bool {
    let (Ok(before), Ok(now)) = (ArMembers::open(&base.bytes), ArMembers::open(&broken.bytes)) else {
        return false;
    };
    let before: Vec<_> = before.flatten().map(|member| (member.name, member.content)).collect();
    let tables = |bytes: &[u8]| {
        let name = bytes.get(8..24).unwrap_or_default();
        [&b"/ "[..], b"// ", b"/SYM64/ ", b"__.SYMDEF", b"#1/"].iter().any(|table| name.starts_with(table))
    };
    !tables(&broken.bytes)
        && now.into_iter().all(|member| member.is_ok_and(|m| before.contains(&(m.name, m.content))))
}

/// Whether a tar is shorter than it was, ends as one does, and has only members of the intact one, each as it
/// was.
fn whole_tar(base: &Base, broken: &Broken) -> bool {
    let shorter = broken.bytes.len() < base.bytes.len() && broken.bytes.len().is_multiple_of(512);
    let ends = broken.bytes.ends_with(&[0; 1024]);
    match (tar_members(&base.bytes), tar_members(&broken.bytes)) {
        (Some(before), Some(now)) => shorter && ends && now.iter().all(|member| before.contains(member)),
        _ => false,
    }
}

/// The members of a tar: header and content. `None` where it is broken.
fn tar_members(bytes: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut archive = tar::Archive::new(bytes);
    let mut all = Vec::new();
    for member in archive.entries().ok()? {
        let mut member = member.ok()?;
        let (header, mut content) = (member.header().as_bytes().to_vec(), Vec::new());
        member.read_to_end(&mut content).ok()?;
        all.push((header, content));
    }
    Some(all)
}
