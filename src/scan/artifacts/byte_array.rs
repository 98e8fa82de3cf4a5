//! Kernels that Triton compiled ahead of time: a code object as an array of bytes in a source file in C, to
//! be compiled into a program.
//!
//! `python -m triton.tools.compile` writes `NAME.HASH_SUFFIX.c` (`.cpp` for HIP) and a header beside it, with
//! `unsigned char …[SIZE] = { 0x7f, 0x45, … };`. Source: Triton 3.x, `python/triton/tools/compile.py` and
//! `tools/extra/hip/compile.cpp`.

use crate::error::{ParseError, ParseErrorKind};
use crate::finding::Finding;
use crate::format::Format;
use crate::inventory::{ArtifactKind, DeviceCode};
use crate::locator::Locator;
use crate::scan::device_code::{Blob, read_blob};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings};
use memchr::memmem;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "byte-array",
    of_text: false,
    finds: "kernels that Triton compiled ahead of time, as arrays of bytes in C",
    claims: |candidate| candidate.format == Format::Other && is_of_triton(candidate.name),
    scan,
};

/// Whether a file is named as Triton names what it compiles ahead of time: eight hexadecimal digits and `_`
/// behind a dot.
fn is_of_triton(name: &str) -> bool {
    let stem = name.strip_suffix(".cpp").or_else(|| name.strip_suffix(".c"));
    let hash = stem.and_then(|stem| stem.rsplit_once('.')).and_then(|(_, last)| last.split_once('_'));
    hash.is_some_and(|(hash, _)| hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// How an array begins that is an ELF file.
const BEGINS: &[u8] = b"0x7f, 0x45, 0x4c, 0x46";

/// Most bytes of a source file that are read: six characters stand for each byte of code.
const MOST: usize = 64 << 20;

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let bytes = candidate.file.bytes();
    let text = bytes.get(..MOST.min(bytes.len())).unwrap_or_default();
    let Some(at) = memmem::find(text, BEGINS) else { return Scanned::default() };
    let rest = text.get(at..).unwrap_or_default();
    let Some(end) = memchr::memchr(b'}', rest) else {
        let what = "the array of bytes of a code object has no end";
        let error = ParseError::new(at as u64, what).of_kind(ParseErrorKind::CutEnd);
        return Scanned { findings: vec![Finding::of_bytes(candidate.shown, error)], ..Scanned::default() };
    };
    let array = rest.get(..end).unwrap_or_default();
    let Some(code) = bytes_of(array) else {
        let error = ParseError::new(at as u64, "the array of bytes of a code object holds something else");
        return Scanned { findings: vec![Finding::of_bytes(candidate.shown, error)], ..Scanned::default() };
    };
    if !Format::identify(&code).eq(&Format::CodeObject) {
        return Scanned::default();
    }
    let whole = candidate.file.locator().range(at as u64, end as u64);
    let place = Locator { unpacked: Some((0, code.len() as u64)), ..whole };
    let part = read_blob(candidate, settings, None, &Blob { bytes: &code, index: 0, at: place, held: false });
    rows(part.rows);
    let device = DeviceCode { format: Some(Format::CodeObject), ..part.code };
    Scanned {
        device: Some(device),
        details: part.details,
        findings: Finding::all_of_bytes(candidate.shown, &part.problems.in_unpacked()),
        ..Scanned::from_kind(ArtifactKind::DeviceCode)
    }
}

/// The bytes of `0x7f, 0x45, …`.
fn bytes_of(array: &[u8]) -> Option<Vec<u8>> {
    let array = std::str::from_utf8(array).ok()?;
    let numbers = array.split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers.map(|number| u8::from_str_radix(number.strip_prefix("0x")?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_triton_gives() {
        for name in ["add_kernel.9969bdda_0123d4.c", "fwd.0a1b2c3d_0.cpp"] {
            assert!(is_of_triton(name), "{name}");
        }
        for name in ["main.c", "x.y_z.c", "a.9969bdd_0.c", "a.9969bdda.c", "a.9969bdda_0.h"] {
            assert!(!is_of_triton(name), "{name}");
        }
        assert_eq!(bytes_of(b"0x7f, 0x45,\n 0x4c, "), Some(vec![0x7f, 0x45, 0x4c]));
        assert_eq!(bytes_of(b"0x7f, x"), None);
    }
}
