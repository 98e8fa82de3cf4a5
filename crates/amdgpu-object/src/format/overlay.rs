//! Archives appended to a program or a script, which unpacks them when it runs.
//!
//! A program ends with its last section or segment; the magic after that identifies the archive. Sources:
//! PyInstaller's `archive/readers.py` (the cookie), NSIS's `fileform.h`, Inno Setup's `SetupLdr`, the
//! AppImage specification 2, and PKWARE's APPNOTE for zip, which is found from its end.

use crate::bytes::le::{LeBytes, clamped, range};
use memchr::memmem;

/// Kinds of appended archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverlayKind {
    /// A zip file, as in llamafile or a Python application.
    Zip,
    /// PyInstaller's archive.
    PyInstaller,
    /// A squashfs image, as in an AppImage.
    Squashfs,
    /// A 7z archive.
    SevenZip,
    /// An installer of NSIS.
    Nsis,
    /// An installer of Inno Setup.
    Inno,
    /// A RAR archive.
    Rar,
    /// A cabinet.
    Cabinet,
}

answer! {
    /// An archive appended to a program.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Overlay {
        /// Kind of the archive.
        copy kind: OverlayKind,
        /// Its beginning, in bytes from the beginning of the file.
        copy start: u64,
    }
}

/// The first bytes of the cookie at the end of PyInstaller's archive.
pub const PYINSTALLER_MAGIC: &[u8; 8] = b"MEI\x0c\x0b\x0a\x0b\x0e";

/// Bytes from the end of a program in which its archive is searched for: a signature may follow it, and a zip
/// file may have a comment of 65,535 bytes.
const TAIL: u64 = 66_000;

/// The same for a program with nothing after its end: PyInstaller may make its archive a section, followed
/// only by the section table.
const SHORT_TAIL: u64 = 8192;

/// Bytes after the end of a program within which an archive may begin: installers put texts and settings
/// before it.
const LEAD: u64 = 256 << 10;

/// Smallest script to search for an appended archive, in bytes.
const SCRIPT_BYTES: usize = 128;

/// Whether an archive that can be read is appended to a program.
pub(super) fn is_read(bytes: &[u8]) -> bool {
    find(bytes).is_some_and(|overlay| overlay.kind.is_read())
}

/// Whether a program is an installer whose archive cannot be read.
pub(super) fn is_installer(bytes: &[u8]) -> bool {
    find(bytes).is_some_and(|overlay| !overlay.kind.is_read())
}

/// Whether a zip file is appended to a script: a Python application.
pub(super) fn is_script(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#!") && bytes.len() >= SCRIPT_BYTES && find(bytes).is_some()
}

impl OverlayKind {
    /// Whether its members can be read.
    pub fn is_read(self) -> bool {
        matches!(
            self,
            OverlayKind::Zip | OverlayKind::PyInstaller | OverlayKind::Squashfs | OverlayKind::SevenZip
        )
    }
}

/// The archive appended to a program or script, given all its bytes; `None` for other files.
pub fn find(bytes: &[u8]) -> Option<Overlay> {
    let script = bytes.starts_with(b"#!");
    let end = end(bytes)?;
    let is_longer = end < bytes.len() as u64;
    if let Some(start) = py_installer(bytes, if is_longer { TAIL } else { SHORT_TAIL }) {
        return Some(Overlay { kind: OverlayKind::PyInstaller, start });
    }
    if !is_longer {
        return None;
    }
    if let Some(start) = zip(bytes, end) {
        return Some(Overlay { kind: OverlayKind::Zip, start });
    }
    // A truncated archive still begins there.
    let begin = if script { memchr::memchr(b'\n', clamped(bytes, 0, 256))? as u64 + 1 } else { end };
    if range(bytes, begin, 4) == Some(b"PK\x03\x04") {
        return Some(Overlay { kind: OverlayKind::Zip, start: begin });
    }
    if script { None } else { lead(bytes, end) }
}

/// The end of a program according to its headers; for a script, which has none, the end of its `#!`.
pub fn end(bytes: &[u8]) -> Option<u64> {
    match bytes.get(..4)? {
        [b'#', b'!', ..] => Some(2),
        b"\x7fELF" => elf_end(bytes),
        [b'M', b'Z', ..] => pe_end(bytes),
        _ => None,
    }
}

/// The archive that begins after the end of a program.
fn lead(bytes: &[u8], end: u64) -> Option<Overlay> {
    const MAGICS: [(&[u8], OverlayKind); 5] = [
        (b"7z\xbc\xaf\x27\x1c", OverlayKind::SevenZip),
        (b"\xef\xbe\xad\xdeNullsoftInst", OverlayKind::Nsis),
        (b"rDlPt", OverlayKind::Inno),
        (b"Rar!\x1a\x07", OverlayKind::Rar),
        (b"MSCF\0\0\0\0", OverlayKind::Cabinet),
    ];
    let begin = clamped(bytes, end, LEAD);
    // AppImages have their image at the end of the program, or at the next block.
    let image = [end, end.next_multiple_of(512), end.next_multiple_of(4096)];
    if let Some(start) = image.into_iter().find(|at| range(bytes, *at, 4) == Some(b"hsqs")) {
        return Some(Overlay { kind: OverlayKind::Squashfs, start });
    }
    let found = MAGICS.iter().filter_map(|(magic, kind)| Some((memmem::find(begin, magic)? as u64, *kind)));
    let (at, kind) = found.min_by_key(|(at, _)| *at)?;
    Some(Overlay { kind, start: end + at })
}

/// Beginning of a zip file after `end`, if the file ends with one: the first of its members.
fn zip(bytes: &[u8], end: u64) -> Option<u64> {
    let len = bytes.len() as u64;
    let from = len.saturating_sub(TAIL).max(end);
    let tail = clamped(bytes, from, TAIL);
    let fits = |at: &usize| {
        let comment = LeBytes(tail.get(*at..).unwrap_or_default()).u16(20);
        at + 22 + usize::from(comment) == tail.len()
    };
    let at = memmem::rfind_iter(tail, b"PK\x05\x06").find(fits)?;
    let record = LeBytes(tail.get(at..)?);
    let (size, start) = (u64::from(record.u32(12)), u64::from(record.u32(16)));
    let directory = (from + at as u64).checked_sub(size).filter(|at| *at >= end)?;
    (range(bytes, directory, 4)? == b"PK\x01\x02").then_some(())?;
    // Offsets count from the archive, or from the beginning of the file.
    let first = u64::from(LeBytes(range(bytes, directory, 46)?).u32(42));
    let shift = directory.checked_sub(start)?;
    let first = first + shift;
    (range(bytes, first, 4) == Some(b"PK\x03\x04")).then_some(first.min(directory))
}

/// Beginning of PyInstaller's archive, from the cookie at its end: 88 bytes, big-endian numbers.
fn py_installer(bytes: &[u8], tail: u64) -> Option<u64> {
    let cookie = cookie_within(bytes, tail)?;
    let size = u64::from(LeBytes(range(bytes, cookie, 88)?).u32(8).swap_bytes());
    (cookie + 88).checked_sub(size).filter(|start| *start > 0 && size > 88)
}

/// Position of the cookie of PyInstaller's archive.
pub fn cookie(bytes: &[u8]) -> Option<u64> {
    cookie_within(bytes, TAIL)
}

fn cookie_within(bytes: &[u8], tail: u64) -> Option<u64> {
    let from = (bytes.len() as u64).saturating_sub(tail);
    Some(from + memmem::rfind(clamped(bytes, from, tail), PYINSTALLER_MAGIC)? as u64)
}

/// End of an ELF file: the end of its headers, sections and segments. Either class, little-endian.
fn elf_end(bytes: &[u8]) -> Option<u64> {
    let wide = bytes.get(4) == Some(&2);
    if bytes.get(5) != Some(&1) {
        return None;
    }
    let fields = LeBytes(bytes);
    let number = |at: usize| if wide { fields.get_u64(at) } else { fields.get_u32(at).map(u64::from) };
    let (programs, sections) = if wide { (number(32)?, number(40)?) } else { (number(28)?, number(32)?) };
    let counts = if wide { [54, 56, 58, 60] } else { [42, 44, 46, 48] };
    let [program_size, program_count, section_size, section_count] =
        counts.map(|at| u64::from(fields.u16(at)));
    let mut end = programs.checked_add(program_size * program_count)?;
    end = end.max(sections.checked_add(section_size * section_count)?);
    for index in 0..section_count {
        let header = LeBytes(clamped(bytes, sections.saturating_add(index * section_size), 64));
        // `SHT_NULL` and `SHT_NOBITS` occupy no bytes.
        if matches!(header.u32(4), 0 | 8) {
            continue;
        }
        let (offset, size) = match wide {
            true => (header.u64(24), header.u64(32)),
            false => (u64::from(header.u32(16)), u64::from(header.u32(20))),
        };
        end = end.max(offset.saturating_add(size));
    }
    for index in 0..program_count {
        let header = LeBytes(clamped(bytes, programs.saturating_add(index * program_size), 56));
        let (offset, size) = match wide {
            true => (header.u64(8), header.u64(32)),
            false => (u64::from(header.u32(4)), u64::from(header.u32(16))),
        };
        // A segment beyond the file is damage, and does not make appended bytes part of the program.
        end =
            end.max(Some(offset.saturating_add(size)).filter(|end| *end <= bytes.len() as u64).unwrap_or(0));
    }
    Some(end)
}

/// End of a PE file: the end of its sections. A signature after them is not part of any.
fn pe_end(bytes: &[u8]) -> Option<u64> {
    let header = u64::from(LeBytes(bytes).get_u32(60)?);
    let fields = LeBytes(range(bytes, header, 24)?);
    if fields.u32(0) != u32::from_le_bytes(*b"PE\0\0") {
        return None;
    }
    let (count, optional) = (u64::from(fields.u16(6)), u64::from(fields.u16(20)));
    let table = header + 24 + optional;
    let mut end = table + 40 * count;
    for index in 0..count {
        let section = LeBytes(clamped(bytes, table + 40 * index, 40));
        if section.u32(16) > 0 {
            end = end.max(u64::from(section.u32(20)) + u64::from(section.u32(16)));
        }
    }
    Some(end)
}
