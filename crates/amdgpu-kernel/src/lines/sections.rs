//! The DWARF sections of a code object.

use super::Bytes;
use amdgpu_object::bytes::ByteSource;
use amdgpu_object::bytes::elf::{Elf, Section};
use amdgpu_object::error::{ParseError, ParseErrorKind, Parsed};
use gimli::{EndianSlice, LittleEndian, Section as _};
use std::ops::Range;

/// Section headers that are looked at.
const SECTIONS: usize = 1 << 16;

/// `SHF_EXECINSTR`, `SHF_COMPRESSED`.
const EXECUTABLE: u64 = 4;
const COMPRESSED: u64 = 0x800;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Sections<'d> {
    all: Vec<(&'d [u8], &'d [u8], u64)>,
    pub(super) line: &'d [u8],
    /// Addresses of code.
    pub(super) code: Vec<Range<u64>>,
    pub(super) problems: Vec<ParseError>,
}

impl<'d> Sections<'d> {
    pub(super) fn find<R: ByteSource<'d>>(elf: &Elf<'d, R>) -> Parsed<Self> {
        let mut found = Sections::default();
        for section in elf.sections_up_to(SECTIONS)? {
            if section.flags & EXECUTABLE != 0 {
                found.code.push(section.address..section.address.saturating_add(section.size));
            }
            if section.name.starts_with(b".debug_") {
                found.add(elf, &section);
            }
        }
        found.line = found.bytes(b".debug_line");
        Ok(found)
    }

    fn add<R: ByteSource<'d>>(&mut self, elf: &Elf<'d, R>, section: &Section<'d>) {
        if section.flags & COMPRESSED != 0 {
            let name = String::from_utf8_lossy(section.name);
            let what = format!("section {name} is compressed, and not read");
            self.problems.push(ParseError::new(section.offset, what).of_kind(ParseErrorKind::UnknownMethod));
            return;
        }
        match elf.section_bytes(section) {
            Ok(bytes) => self.all.push((section.name, bytes, section.offset)),
            Err(error) => self.problems.push(error),
        }
    }

    fn get(&self, name: &[u8]) -> Option<&(&'d [u8], &'d [u8], u64)> {
        self.all.iter().find(|(own, ..)| *own == name)
    }

    /// The bytes of a section; empty if it is not there.
    pub(super) fn bytes(&self, name: &[u8]) -> &'d [u8] {
        self.get(name).map_or(&[], |(_, bytes, _)| bytes)
    }

    pub(super) fn dwarf(&self) -> gimli::Dwarf<Bytes<'d>> {
        let load = |id: gimli::SectionId| {
            Ok::<_, std::convert::Infallible>(EndianSlice::new(
                self.bytes(id.name().as_bytes()),
                LittleEndian,
            ))
        };
        // Loading from memory cannot fail.
        gimli::Dwarf::load(load).unwrap_or_else(|never| match never {})
    }

    /// Whether an address is one of code. Functions that the linker left out keep their lines, at address 0
    /// or at the last one.
    pub(super) fn has_code_at(&self, address: u64) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }

    /// An error of a section, at its begin: where in it is not known.
    pub(super) fn problem(&self, name: &str, error: gimli::Error) -> ParseError {
        let offset = self.get(name.as_bytes()).map_or(0, |(_, _, offset)| *offset);
        ParseError::new(offset, format!("section {name}: {error}"))
    }

    pub(super) fn too_much(&self) -> ParseError {
        let offset =
            self.get(gimli::DebugLine::<Bytes<'_>>::section_name().as_bytes()).map_or(0, |(_, _, at)| *at);
        let what = "debug information refers to more lines, functions and ranges than its size allows: the rest is not read";
        ParseError::new(offset, what).of_kind(ParseErrorKind::WorkLimit)
    }
}
