//! 64-bit little-endian ELF files, as far as hosts and code objects need them: header, sections, segments.
//!
//! The raw structures come from the `object` crate; here they become plain numbers, and its errors get
//! offsets. Everything is read on demand, so a partly kept file can still answer some questions.
#![deny(clippy::indexing_slicing)]

use super::byte_source::{AsReadRef, ByteSource};
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::{CODE_OBJECT_HEADERS, ELF_HEADERS, NAME_BYTES};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _};

/// The first bytes of every ELF file.
pub const MAGIC: &[u8; 4] = b"\x7fELF";

/// An ELF file whose header was read.
#[derive(Debug, Clone, Copy)]
pub struct Elf<'d, R> {
    data: R,
    header: &'d elf::FileHeader64<LE>,
    base: u64,
}

/// A section header.
#[derive(Debug, Clone, Copy)]
pub struct Section<'d> {
    /// Its name; empty if the string table does not contain it.
    pub name: &'d [u8],
    /// `SHT_*`.
    pub kind: u32,
    /// `SHF_*`.
    pub flags: u64,
    /// Virtual address.
    pub address: u64,
    /// Offset from the beginning of the ELF file, in bytes.
    pub offset: u64,
    /// Size in bytes; in memory, for `SHT_NOBITS`.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// `sh_link`.
    pub link: u32,
}

/// A program header.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// `PT_*`.
    pub kind: u32,
    /// `PF_*`.
    pub flags: u32,
    /// Offset from the beginning of the ELF file, in bytes.
    pub offset: u64,
    /// Virtual address.
    pub address: u64,
    /// Size in the file in bytes.
    pub size: u64,
}

impl<'d, R: ByteSource<'d>> Elf<'d, R> {
    /// Reads the header of the ELF file at the beginning of `data`. `base` is its absolute offset, for
    /// messages.
    ///
    /// # Errors
    ///
    /// If it is not ELF, not 64-bit or not little-endian.
    pub fn open(data: R, base: u64) -> Parsed<Self> {
        let ident = data.range(0, 16).ok_or_else(|| {
            let what = "an ELF file ends before its 64-byte header does";
            ParseError::new(base, what).of_kind(ParseErrorKind::CutEnd)
        })?;
        if ident.get(4..6) != Some(&[2, 1]) {
            return Err(ParseError::new(base + 4, "only 64-bit little-endian ELF files are expected here"));
        }
        let header = elf::FileHeader64::<LE>::parse(AsReadRef(data))
            .map_err(|e| ParseError::new(base, format!("the ELF header is not valid: {e}")))?;
        Ok(Elf { data, header, base })
    }

    /// Absolute offset of the ELF file.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// `e_machine`.
    pub fn machine(&self) -> u16 {
        self.header.e_machine.get(LE).0
    }

    /// `e_type`.
    pub fn kind(&self) -> u16 {
        self.header.e_type.get(LE).0
    }

    /// `e_flags`.
    pub fn flags(&self) -> u32 {
        self.header.e_flags.get(LE).0
    }

    /// `EI_OSABI` and `EI_ABIVERSION`.
    pub fn abi(&self) -> (u8, u8) {
        (self.header.e_ident.os_abi.0, self.header.e_ident.abi_version)
    }

    /// Total size of header, program headers and section headers, and the end of the last of them, in bytes.
    pub fn header_extent(&self) -> (u64, u64) {
        let table = |offset: u64, entry: u16, count: u16| {
            let size = u64::from(entry) * u64::from(count);
            (if offset == 0 { 0 } else { size }, if offset == 0 { 0 } else { offset.saturating_add(size) })
        };
        let h = self.header;
        let (segments, segments_end) = table(h.e_phoff.get(LE), h.e_phentsize.get(LE), h.e_phnum.get(LE));
        let (sections, sections_end) = table(h.e_shoff.get(LE), h.e_shentsize.get(LE), h.e_shnum.get(LE));
        (64 + segments + sections, segments_end.max(sections_end).max(64))
    }

    /// Offset of the section headers from the beginning of the ELF file, in bytes; zero without section
    /// headers.
    pub fn section_headers_at(&self) -> u64 {
        self.header.e_shoff.get(LE)
    }

    /// Offset of the program headers from the beginning of the ELF file, in bytes; zero without program
    /// headers.
    pub fn program_headers_at(&self) -> u64 {
        self.header.e_phoff.get(LE)
    }

    /// The sections in file order, without the null section; empty without a table.
    ///
    /// # Errors
    ///
    /// If the table is not in the data.
    pub fn sections(&self) -> Parsed<Vec<Section<'d>>> {
        self.sections_up_to(ELF_HEADERS)
    }

    /// [`Elf::sections`], refused if there are more than `most`.
    ///
    /// # Errors
    ///
    /// If the table is not in the data, or there are too many.
    pub fn sections_up_to(&self, most: usize) -> Parsed<Vec<Section<'d>>> {
        let at = self.base.saturating_add(self.section_headers_at());
        let bad = |e: object::Error| self.table_error(at, format!("the section headers cannot be read: {e}"));
        let raw = self.header.section_headers(LE, AsReadRef(self.data)).map_err(bad)?;
        if raw.len() > most {
            return Err(ParseError::new(at, format!("{} sections; at most {most} are expected", raw.len())));
        }
        if let Some(what) = self.is_lost(raw) {
            return Err(ParseError::new(at, what));
        }
        let names = self.section_names(raw);
        let not_kept = names.is_none() && self.has_names_within(raw);
        let section = |s: &'d elf::SectionHeader64<LE>| Section {
            name: if not_kept { NAME_NOT_KEPT } else { name(names.unwrap_or_default(), s.sh_name.get(LE)) },
            kind: s.sh_type(LE).0,
            flags: s.sh_flags(LE).0,
            address: s.sh_addr(LE),
            offset: s.sh_offset(LE),
            size: s.sh_size(LE),
            align: s.sh_addralign(LE),
            link: s.sh_link(LE),
        };
        Ok(raw.iter().skip(1).map(section).collect())
    }

    /// Evidence that the section headers are not the original ones: bytes before them were lost or inserted,
    /// or they were overwritten. Only the first header may be null, and the one for names must be a string
    /// table.
    fn is_lost(&self, raw: &[elf::SectionHeader64<LE>]) -> Option<&'static str> {
        let first = raw.first()?;
        let is_null =
            first.sh_type(LE).0 == elf::SHT_NULL.0 && first.sh_addr(LE) == 0 && first.sh_offset(LE) == 0;
        let names = self.header.shstrndx(LE, AsReadRef(self.data)).ok().filter(|index| *index != 0);
        let has_names = names.is_none_or(|index| {
            raw.get(index as usize).is_some_and(|s| s.sh_type(LE).0 == elf::SHT_STRTAB.0)
        });
        let is_cut =
            raw.len() > 1 && raw.last().is_some_and(|s| object::pod::bytes_of(s).iter().all(|b| *b == 0));
        (!is_null || !has_names || is_cut)
            .then_some("the section headers are not where the header says, or were written over")
    }

    /// The error for a table of headers that is incomplete or malformed.
    fn table_error(&self, at: u64, what: String) -> ParseError {
        let error = ParseError::new(at, what);
        let is_cut = self.header_extent().1 > self.data.size();
        if is_cut { error.of_kind(ParseErrorKind::CutEnd) } else { error }
    }

    /// The string table of section names.
    fn section_names(&self, raw: &[elf::SectionHeader64<LE>]) -> Option<&'d [u8]> {
        let index = self.header.shstrndx(LE, AsReadRef(self.data)).ok()?;
        let table = raw.get(index as usize)?;
        self.data.range(table.sh_offset(LE), table.sh_size(LE))
    }

    /// Whether the section names lie within the data. If they do and still cannot be read, that part of an
    /// inflated file was not kept.
    fn has_names_within(&self, raw: &[elf::SectionHeader64<LE>]) -> bool {
        let table =
            self.header.shstrndx(LE, AsReadRef(self.data)).ok().and_then(|index| raw.get(index as usize));
        let end = table.and_then(|table| table.sh_offset(LE).checked_add(table.sh_size(LE)));
        end.is_some_and(|end| end <= self.data.size())
    }

    /// The program headers in file order.
    ///
    /// # Errors
    /// If the table is not in the data.
    pub fn segments(&self) -> Parsed<Vec<Segment>> {
        let at = self.base.saturating_add(self.program_headers_at());
        let raw = self
            .header
            .program_headers(LE, AsReadRef(self.data))
            .map_err(|e| self.table_error(at, format!("the program headers cannot be read: {e}")))?;
        let segment = |s: &elf::ProgramHeader64<LE>| Segment {
            kind: s.p_type(LE).0,
            flags: s.p_flags(LE).0,
            offset: s.p_offset(LE),
            address: s.p_vaddr(LE),
            size: s.p_filesz(LE),
        };
        if raw.len() > CODE_OBJECT_HEADERS {
            let what = format!("{} program headers; at most {CODE_OBJECT_HEADERS} are expected", raw.len());
            return Err(ParseError::new(at, what));
        }
        Ok(raw.iter().map(segment).collect())
    }

    /// Bytes of the ELF file.
    ///
    /// # Errors
    ///
    /// If the range is not in the data.
    pub fn bytes(&self, offset: u64, size: u64, what: &str) -> Parsed<&'d [u8]> {
        self.data.range(offset, size).ok_or_else(|| {
            let at = self.base.saturating_add(offset);
            ParseError::new(
                at,
                format!("{what} reaches to {:#x}, beyond what was read", at.saturating_add(size)),
            )
            .of_kind(ParseErrorKind::CutEnd)
        })
    }

    /// The bytes from an offset to the end of the data, for files that were cut short.
    pub fn rest(&self, offset: u64) -> Option<&'d [u8]> {
        let size = self.data.size().checked_sub(offset)?;
        self.data.range(offset, size)
    }

    /// The bytes of a section; empty if it occupies none in the file.
    ///
    /// # Errors
    ///
    /// If the section is not in the data.
    pub fn section_bytes(&self, section: &Section<'_>) -> Parsed<&'d [u8]> {
        if section.kind == elf::SHT_NOBITS.0 {
            return Ok(&[]);
        }
        self.data.range(section.offset, section.size).ok_or_else(|| {
            let name = String::from_utf8_lossy(section.name);
            let (at, end) = (self.base.saturating_add(section.offset), section.file_range().1);
            let what = format!(
                "section {name} reaches to {:#x}, beyond what was read",
                self.base.saturating_add(end)
            );
            ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd)
        })
    }
}

/// Replaces the name of a section if the table of names of an inflated file was not kept: the `.strtab` of a
/// code object with 500,000 symbols lies behind the kept part and is longer than that. It is text without
/// blanks, as names are.
const NAME_NOT_KEPT: &[u8] = b"(name-not-kept)";

/// A section's name, at most [`NAME_BYTES`] long, so that many sections cannot share a very long one.
fn name(names: &[u8], offset: u32) -> &[u8] {
    let rest = names.get(offset as usize..).unwrap_or_default();
    let near = rest.get(..NAME_BYTES).unwrap_or(rest);
    near.split(|&b| b == 0).next().unwrap_or_default()
}

impl Section<'_> {
    /// The part of the file that it occupies: offset and end in bytes.
    pub fn file_range(&self) -> (u64, u64) {
        let size = if self.kind == elf::SHT_NOBITS.0 { 0 } else { self.size };
        (self.offset, self.offset.saturating_add(size))
    }
}
/// The bytes of the section with a name; `None` if the bytes are no ELF file or have no such section.
pub fn named_section<'d>(bytes: &'d [u8], name: &[u8]) -> Option<&'d [u8]> {
    let elf = Elf::open(bytes, 0).ok()?;
    let sections = elf.sections().ok()?;
    let (begin, end) = sections.iter().find(|section| section.name == name)?.file_range();
    bytes.get(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
}
