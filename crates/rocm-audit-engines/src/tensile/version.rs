//! The version of a BLAS library, from the code of the function that states it.
//!
//! `hipblasLtGetVersion` and `rocblas_get_version_string` store their number as constants. The number behind
//! a library's name is that of its interface, which two releases can share; the stores are what a program
//! that asks is given.
#![deny(clippy::indexing_slicing)]

use amdgpu_object::bytes::elf::{Elf, Section};
use rocm_audit_files::input::folder::Folder;
use std::fmt;

/// A version of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second.
    pub minor: u32,
    /// The third.
    pub patch: u32,
}

impl Version {
    /// A version of two numbers.
    pub const fn new(major: u32, minor: u32) -> Version {
        Version { major, minor, patch: 0 }
    }

    /// The version that a text begins with: `5.2.0` of `5.2.0.70204`; none where it does not begin with two
    /// numbers.
    pub fn parse(text: &str) -> Option<Version> {
        let mut parts = text.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        Some(Version { major, minor, patch: parts.next().and_then(|part| part.parse().ok()).unwrap_or(0) })
    }

    /// The version that hipBLASLt's number stands for: 1.2.2 of 100202.
    pub fn of_number(number: u32) -> Option<Version> {
        let version = Version { major: number / 100_000, minor: number / 100 % 1000, patch: number % 100 };
        (number < 10_000_000).then_some(version)
    }

    /// hipBLASLt's number for it.
    pub fn number(self) -> u32 {
        self.major * 100_000 + self.minor * 100 + self.patch
    }

    /// The same without the third number.
    pub fn minor_release(self) -> Version {
        Version { patch: 0, ..self }
    }

    /// What `hipblasLtGetVersion` of a library gives.
    pub fn of_hipblaslt(library: &[u8]) -> Option<Version> {
        Version::of_number_in(library, b"hipblasLtGetVersion")
    }

    /// What `hipsparseLtGetVersion` of a library gives: 206 for 0.2.6.
    pub fn of_hipsparselt(library: &[u8]) -> Option<Version> {
        Version::of_number_in(library, b"hipsparseLtGetVersion")
    }

    fn of_number_in(library: &[u8], name: &[u8]) -> Option<Version> {
        let code = function(library, name)?;
        // mov dword ptr [rsi], number
        let at = memchr::memmem::find(code, b"\xc7\x06")?;
        Version::of_number(u32::from_le_bytes(array(code, at + 2)?))
    }

    /// What `rocblas_get_version_string` of a library gives.
    pub fn of_rocblas(library: &[u8]) -> Option<Version> {
        let text = stored(function(library, b"rocblas_get_version_string")?);
        Version::parse(str::from_utf8(text.split(|byte| *byte == 0).next()?).ok()?)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The file of a library in a folder, such as `libhipblaslt.so.1.2` for `libhipblaslt.so`: the longest of the
/// names, to which shorter ones are links.
pub(super) fn library_in(folder: &Folder, stem: &str) -> Option<String> {
    let names = folder.names().into_iter().filter(|name| name.starts_with(stem));
    names.max_by_key(|name| (name.len(), name.clone()))
}

/// The bytes that code stores behind its first argument, as constants of four or eight bytes.
fn stored(code: &[u8]) -> [u8; 32] {
    let mut text = [0; 32];
    let mut put = |at: usize, bytes: &[u8]| {
        let slot = text.get_mut(at..at.saturating_add(bytes.len()));
        slot.into_iter().for_each(|slot| slot.copy_from_slice(bytes));
    };
    for at in 0..code.len() {
        match code.get(at..).unwrap_or_default() {
            // mov dword ptr [rdi + place], bytes
            [0xc7, 0x47, place, bytes @ ..] => {
                bytes.get(..4).into_iter().for_each(|bytes| put(usize::from(*place), bytes));
            }
            [0xc7, 0x07, bytes @ ..] => bytes.get(..4).into_iter().for_each(|bytes| put(0, bytes)),
            // movabs rax, bytes; mov [rdi], rax
            [0x48, 0xb8, bytes @ ..] => bytes.get(..8).into_iter().for_each(|bytes| put(0, bytes)),
            _ => {}
        }
    }
    text
}

/// The most of a function that is looked at.
const FUNCTION_BYTES: u64 = 256;

/// The code of an exported function.
fn function<'d>(library: &'d [u8], name: &[u8]) -> Option<&'d [u8]> {
    const DYNSYM: u32 = 11;
    let elf = Elf::open(library, 0).ok()?;
    let sections = elf.sections().ok()?;
    let bytes = |section: &Section<'_>| {
        let (begin, end) = section.file_range();
        library.get(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
    };
    let symbols = sections.iter().find(|section| section.kind == DYNSYM)?;
    // Sections are counted without the null section.
    let names = bytes(sections.get(usize::try_from(symbols.link.checked_sub(1)?).ok()?)?)?;
    let found = bytes(symbols)?.chunks_exact(24).find(|symbol| {
        let at = array(symbol, 0).map(u32::from_le_bytes).and_then(|at| names.get(at as usize..));
        at.and_then(|text| text.strip_prefix(name)).is_some_and(|rest| rest.first() == Some(&0))
    })?;
    let (address, size) = (u64::from_le_bytes(array(found, 8)?), u64::from_le_bytes(array(found, 16)?));
    let segments = elf.segments().ok()?;
    let segment =
        segments.iter().find(|s| address >= s.address && address - s.address < s.size && s.kind == 1)?;
    let begin = usize::try_from(segment.offset.checked_add(address - segment.address)?).ok()?;
    library.get(begin..begin.checked_add(size.min(FUNCTION_BYTES) as usize)?)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_stored_piece_by_piece() {
        // rocBLAS 5.2.0: the second store overlaps the first.
        let code = b"\xb8\x04\0\0\0\x48\x83\xfe\x07\x72\x0f\xc7\x47\x03.0.\0\xc7\x075.2.\x31\xc0\xc3";
        assert!(stored(code).starts_with(b"5.2.0.\0"));
        assert!(stored(b"\x48\xb84.4.1.ab\x48\x89\x07\xc7").starts_with(b"4.4.1.ab\0"));
        assert_eq!(stored(b"\xc7\x47"), [0; 32]);
    }

    /// An ELF library that exports one function.
    fn library(name: &str, code: &[u8]) -> Vec<u8> {
        let mut file = vec![0; 0x400];
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        let numbers = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
        put(0, b"\x7fELF\x02\x01\x01");
        put(16, b"\x03\0\x3e\0\x01\0\0\0");
        put(32, &numbers(&[64, 0x300]));
        put(52, b"\x40\0\x38\0\x01\0\x40\0\x03\0\x02\0");
        // PT_LOAD, readable and executable: the file at 0x1000.
        put(64, b"\x01\0\0\0\x05\0\0\0");
        put(72, &numbers(&[0, 0x1000, 0x1000, 0x400, 0x400, 0x1000]));
        put(0x100, code);
        put(0x200, b"\0other\0");
        put(0x207, name.as_bytes());
        // Symbols: the null symbol, another one, the function.
        put(0x258, b"\x01\0\0\0\x12\0\x01\0");
        put(0x270, b"\x07\0\0\0\x12\0\x01\0");
        put(0x278, &numbers(&[0x1100, code.len() as u64]));
        // SHT_DYNSYM, whose names are section 2, and SHT_STRTAB.
        put(0x340, b"\0\0\0\0\x0b\0\0\0");
        put(0x358, &numbers(&[0x240, 72, 2, 8, 24]));
        put(0x380, b"\0\0\0\0\x03\0\0\0");
        put(0x398, &numbers(&[0x200, 64, 0, 1, 0]));
        file
    }

    #[test]
    fn the_version_is_found_in_a_library() {
        let code = b"\x48\x85\xff\x74\x09\xc7\x06\x6a\x87\x01\0\x31\xc0\xc3\xb8\x01\0\0\0\xc3";
        let own = library("hipblasLtGetVersion", code);
        assert_eq!(Version::of_hipblaslt(&own), Version::parse("1.2.2"));
        assert_eq!(Version::of_rocblas(&own), None);
        let code = b"\xc7\x47\x03.0.\0\xc7\x075.2.\x31\xc0\xc3";
        let own = library("rocblas_get_version_string", code);
        assert_eq!(Version::of_rocblas(&own), Version::parse("5.2.0"));
        // A name that only begins so is another one.
        assert_eq!(Version::of_rocblas(&library("rocblas_get_version_string_size", code)), None);
        for end in 0..own.len() {
            let _ = Version::of_rocblas(&own[..end]);
        }
    }

    #[test]
    fn versions_have_an_order() {
        let of = |text| Version::parse(text).unwrap();
        assert!(of("1.2") < of("1.2.2") && of("1.2.2") < of("1.10"));
        assert_eq!(of("5.2.0.70204-abc").to_string(), "5.2.0");
        assert_eq!(Version::parse("5"), None);
        assert_eq!(Version::of_number(100_202), Version::parse("1.2.2"));
        assert_eq!(Version::of_number(100_401).map(Version::number), Some(100_401));
        assert_eq!(Version::of_number(u32::MAX), None);
    }
}
