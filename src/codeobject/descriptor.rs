//! Kernel descriptors: the 64 bytes that the command processor reads to start a kernel.
//!
//! Source: LLVM's AMDGPUUsage, "Kernel Descriptor". They are the second witness beside the metadata, and the only one
//! for code objects that have none.
#![deny(clippy::indexing_slicing)]

use crate::elf::{Elf, Section};
use crate::error::{ParseError, Parsed};
use crate::limits::SYMBOL_BYTES;
use object::ReadRef;
use object::elf as raw;
use std::collections::HashMap;

/// Size of a descriptor in bytes.
pub const SIZE: u64 = 64;

/// One kernel descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// Its symbol, `<kernel>.kd`.
    pub symbol: String,
    /// Offset from the beginning of the code object in bytes.
    pub offset: u64,
    /// Virtual address of the kernel's first instruction.
    pub entry: u64,
    /// Bytes of machine code, from the kernel's own symbol; `None` where it has none.
    pub code_size: Option<u64>,
    /// Static LDS in bytes.
    pub lds: u32,
    /// Scratch per work-item in bytes.
    pub scratch: u32,
    /// Kernel argument segment in bytes.
    pub kernarg: u32,
    /// `compute_pgm_rsrc1`, `2` and `3`.
    pub rsrc: [u32; 3],
    /// `kernel_code_properties`.
    pub properties: u16,
}

impl Descriptor {
    /// Whether the kernel runs in wavefronts of 32 (gfx10 and later).
    pub fn is_wave32(&self) -> bool {
        self.properties & (1 << 10) != 0
    }
}

/// Number of kernel descriptors by the symbol table, without touching the descriptors.
///
/// # Errors
/// Where a symbol table lies outside of the data.
pub fn count<'d, R: ReadRef<'d>>(elf: &Elf<'d, R>, sections: &[Section<'_>]) -> Parsed<u64> {
    Ok(symbols(elf, sections)?.filter(|s| s.kernel().is_some()).count() as u64)
}

/// All descriptors of a code object, in the order of its symbol table.
///
/// # Errors
/// Where a symbol table or a descriptor lies outside of the data.
pub fn read_all<'d, R: ReadRef<'d>>(data: R, base: u64) -> Parsed<Vec<Descriptor>> {
    let elf = Elf::open(data, base)?;
    let sections = elf.sections()?;
    let functions: HashMap<&[u8], u64> =
        symbols(&elf, &sections)?.filter(|s| s.kind == STT_FUNC).map(|s| (s.name, s.size)).collect();
    let mut found = Vec::new();
    for symbol in symbols(&elf, &sections)? {
        let section = sections.get(usize::from(symbol.section).wrapping_sub(1));
        let (Some(kernel), Some(section)) = (symbol.kernel(), section) else { continue };
        let offset = file_offset(section, symbol.value, elf.kind());
        let bytes = elf.bytes(offset, SIZE, "a kernel descriptor")?;
        found.push(Descriptor::read(bytes, &symbol, offset, functions.get(kernel).copied()));
    }
    Ok(found)
}

/// The symbols of `.dynsym`, or of `.symtab` where there is none: a linked code object exports its descriptors.
fn symbols<'d, R: ReadRef<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
) -> Parsed<impl Iterator<Item = Symbol<'d>> + use<'d, R>> {
    let table = [raw::SHT_DYNSYM.0, raw::SHT_SYMTAB.0]
        .iter()
        .find_map(|kind| sections.iter().find(|s| s.kind == *kind && s.size >= 48));
    let (entries, strings) = match table {
        None => (&[][..], &[][..]),
        Some(table) => match sections.get((table.link as usize).wrapping_sub(1)) {
            Some(strings) => (elf.section_bytes(table)?, elf.section_bytes(strings)?),
            None => return Err(ParseError::new(elf.base(), "the symbol table names no string table")),
        },
    };
    Ok(entries.chunks_exact(24).filter_map(move |bytes| Symbol::read(bytes, strings)))
}

const STT_OBJECT: u8 = 1;
const STT_FUNC: u8 = 2;

/// In a linked code object a symbol's value is an address, in a relocatable one an offset in its section.
fn file_offset(section: &Section<'_>, value: u64, kind: u16) -> u64 {
    let start = if kind == raw::ET_REL.0 { 0 } else { section.address };
    section.offset.saturating_add(value.saturating_sub(start))
}

struct Symbol<'a> {
    name: &'a [u8],
    kind: u8,
    section: u16,
    value: u64,
    size: u64,
}

impl<'a> Symbol<'a> {
    /// The kernel whose descriptor this symbol is.
    fn kernel(&self) -> Option<&'a [u8]> {
        self.name.strip_suffix(b".kd").filter(|_| self.kind == STT_OBJECT)
    }

    /// Reads a defined function, or an object of a descriptor's size; only their names are looked at.
    fn read(bytes: &[u8], strings: &'a [u8]) -> Option<Self> {
        let kind = bytes.get(4)? & 15;
        let section = u16::from_le_bytes(*bytes.get(6..)?.first_chunk()?);
        let size = u64::from_le_bytes(*bytes.get(16..)?.first_chunk()?);
        if section == 0 || !(kind == STT_FUNC || kind == STT_OBJECT && size == SIZE) {
            return None;
        }
        let name = strings.get(u32::from_le_bytes(*bytes.first_chunk()?) as usize..)?;
        let near = name.get(..SYMBOL_BYTES).unwrap_or(name);
        Some(Symbol {
            name: near.get(..memchr::memchr(0, near)?)?,
            kind,
            section,
            value: u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?),
            size,
        })
    }
}

impl Descriptor {
    fn read(bytes: &[u8], symbol: &Symbol<'_>, offset: u64, code_size: Option<u64>) -> Self {
        let word =
            |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        let entry = u64::from(word(16)) | u64::from(word(20)) << 32;
        Descriptor {
            symbol: String::from_utf8_lossy(symbol.name).into_owned(),
            offset,
            entry: symbol.value.wrapping_add(entry),
            code_size,
            lds: word(0),
            scratch: word(4),
            kernarg: word(8),
            rsrc: [word(48), word(52), word(44)],
            properties: word(56) as u16,
        }
    }
}
