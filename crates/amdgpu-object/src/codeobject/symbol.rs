//! Symbol tables of code objects.
#![deny(clippy::indexing_slicing)]

use crate::bytes::ByteSource;
use crate::bytes::elf::{Elf, Section};
use crate::bytes::le::LeBytes;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::SYMBOL_BYTES;
use core::cell::Cell;
use object::elf as raw;

/// `STT_NOTYPE`.
pub const NOTYPE: u8 = 0;
/// `STT_OBJECT`.
pub const OBJECT: u8 = 1;
/// `STT_FUNC`.
pub const FUNC: u8 = 2;
/// `STT_SECTION`.
pub const SECTION: u8 = 3;
/// `STT_FILE`.
pub const FILE: u8 = 4;
/// `STT_COMMON`.
pub const COMMON: u8 = 5;
/// `STT_AMDGPU_HSA_KERNEL`: a kernel of a version 2 code object, which begins with its descriptor.
pub const HSA_KERNEL: u8 = 10;

/// Bytes of one symbol.
const ENTRY_BYTES: usize = 24;

/// Size of a kernel descriptor in bytes.
pub(super) const DESCRIPTOR_BYTES: u64 = 64;

/// One symbol.
#[derive(Debug, Clone, Copy)]
pub struct Symbol<'a> {
    strings: &'a [u8],
    name_at: u32,
    /// `STT_*`.
    pub kind: u8,
    /// Number of its section, counted from one; zero if it is not defined here.
    pub section: u16,
    /// An address in a linked code object, an offset in the section in a relocatable one.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
}

impl<'a> Symbol<'a> {
    fn read(bytes: &[u8], strings: &'a [u8]) -> Option<Self> {
        let fields = LeBytes(bytes);
        Some(Symbol {
            strings,
            name_at: fields.get_u32(0)?,
            kind: bytes.get(4)? & 15,
            section: fields.get_u16(6)?,
            value: fields.get_u64(8)?,
            size: fields.get_u64(16)?,
        })
    }

    /// Its name; `None` if the string table does not contain it or it is longer than the limit.
    pub fn name(&self) -> Option<&'a [u8]> {
        let name = self.strings.get(self.name_at as usize..)?;
        let near = name.get(..SYMBOL_BYTES).unwrap_or(name);
        near.get(..memchr::memchr(0, near)?)
    }

    /// The kernel that it describes, if it is an object with a descriptor's size and name. Old assemblers
    /// gave it no size.
    pub fn described_kernel(&self, names: &NameBudget) -> Option<&'a [u8]> {
        let is_descriptor =
            self.kind == OBJECT && [0, DESCRIPTOR_BYTES].contains(&self.size) && self.section != 0;
        if is_descriptor { names.name(self)?.strip_suffix(b".kd") } else { None }
    }

    /// Whether it has a name, without searching for the name's end.
    pub fn is_named(&self) -> bool {
        self.strings.get(self.name_at as usize).is_some_and(|first| *first != 0)
    }
}

/// Bytes of names that may be read, whatever the size of the tables.
const NAMES_FREE: u64 = 1 << 20;

/// How often each byte of the tables may be read as part of a name. Names with equal ends can share bytes.
const NAMES_RATIO: u64 = 8;

/// What may still be read of a symbol table's names: many symbols can refer to the same long text.
#[derive(Debug)]
pub struct NameBudget(Cell<Option<u64>>);

impl NameBudget {
    /// The budget for a file with these sections.
    pub fn for_sections(sections: &[Section<'_>]) -> Self {
        let tables = [raw::SHT_SYMTAB.0, raw::SHT_DYNSYM.0, raw::SHT_STRTAB.0];
        let tables = sections.iter().filter(|section| tables.contains(&section.kind));
        let bytes = tables.fold(0u64, |sum, section| sum.saturating_add(section.size));
        NameBudget(Cell::new(Some(bytes.saturating_mul(NAMES_RATIO).saturating_add(NAMES_FREE))))
    }

    /// The name of a symbol; `None` if it has none or the budget is used up.
    pub fn name<'a>(&self, symbol: &Symbol<'a>) -> Option<&'a [u8]> {
        let left = self.0.get()?;
        let name = symbol.name();
        // Without an end, the maximum length was searched.
        let looked = name.map_or(SYMBOL_BYTES, <[u8]>::len) as u64;
        self.0.set(left.checked_sub(looked));
        name
    }

    /// Rejects the result if the budget did not suffice.
    ///
    /// # Errors
    ///
    /// In that case.
    pub fn suffices(&self, at: u64) -> Parsed<()> {
        let what = "the names of symbols take more steps than are believed of the size of their tables";
        match self.0.get() {
            Some(_) => Ok(()),
            None => Err(ParseError::new(at, what).of_kind(ParseErrorKind::WorkLimit)),
        }
    }
}

/// The symbols of the first of two tables that exists and is not empty; empty without one.
///
/// # Errors
///
/// If the table lies outside of the data.
pub fn table<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
    kinds: [u32; 2],
) -> Parsed<impl Iterator<Item = Symbol<'d>> + use<'d, R>> {
    let least = 2 * ENTRY_BYTES as u64;
    let table = kinds.iter().find_map(|kind| sections.iter().find(|s| s.kind == *kind && s.size >= least));
    let (entries, strings) = match table {
        None => (&[][..], &[][..]),
        Some(table) => match sections.get((table.link as usize).wrapping_sub(1)) {
            Some(strings) => (elf.section_bytes(table)?, elf.section_bytes(strings)?),
            None => return Err(ParseError::new(elf.base(), "the symbol table names no string table")),
        },
    };
    Ok(entries.chunks_exact(ENTRY_BYTES).filter_map(move |bytes| Symbol::read(bytes, strings)))
}

/// Offset of a symbol's value in its section, in bytes, given the type of the ELF file.
pub fn offset_in(section: &Section<'_>, value: u64, kind: u16) -> u64 {
    let start = if kind == raw::ET_REL.0 { 0 } else { section.address };
    value.saturating_sub(start)
}
