//! Kernels by the symbols of their code object: a descriptor named after the kernel, and the function itself.
//!
//! A linked code object exports both, so `.dynsym` contains them; a relocatable one has only `.symtab`.
#![deny(clippy::indexing_slicing)]

use super::symbol::{self, NameBudget, Symbol};
use crate::bytes::ByteSource;
use crate::bytes::elf::{Elf, Section};
use crate::error::Parsed;
#[cfg(not(feature = "std"))]
use alloc::collections::BTreeMap as HashMap;
use alloc::vec::Vec;
use core::ops::Range;
use object::elf as raw;
#[cfg(feature = "std")]
use std::collections::HashMap;

/// The symbols of one kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelSymbols<'d> {
    /// Mangled name.
    pub name: &'d [u8],
    /// The symbol of its descriptor.
    pub descriptor: Symbol<'d>,
    /// The symbol of its machine code, if a function has its name.
    pub function: Option<Symbol<'d>>,
}

/// The symbols that define kernels in a code object.
///
/// # Errors
///
/// If a symbol table lies outside of the data.
pub fn symbols<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
) -> Parsed<impl Iterator<Item = Symbol<'d>> + use<'d, R>> {
    symbol::table(elf, sections, [raw::SHT_DYNSYM.0, raw::SHT_SYMTAB.0])
}

/// The names of all kernels, in the order of the symbol table; reads nothing else.
///
/// # Errors
///
/// As [`symbols`].
pub fn names<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
) -> Parsed<impl Iterator<Item = &'d [u8]> + use<'d, R>> {
    let names = NameBudget::for_sections(sections);
    Ok(symbols(elf, sections)?.filter_map(move |symbol| symbol.described_kernel(&names)))
}

/// All kernels, in the order of their descriptors in the symbol table.
///
/// # Errors
/// As [`symbols`].
pub fn kernels<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
) -> Parsed<Vec<KernelSymbols<'d>>> {
    let names = NameBudget::for_sections(sections);
    let functions: HashMap<&[u8], Symbol<'d>> = symbols(elf, sections)?
        .filter(|symbol| symbol.section != 0 && symbol.kind == symbol::FUNC)
        .filter_map(|symbol| Some((names.name(&symbol)?, symbol)))
        .collect();
    let kernel = |descriptor: Symbol<'d>| {
        let name = descriptor.described_kernel(&names)?;
        Some(KernelSymbols { name, descriptor, function: functions.get(name).copied() })
    };
    let kernels = symbols(elf, sections)?.filter_map(kernel).collect();
    names.suffices(elf.base())?;
    Ok(kernels)
}

/// The bytes of a symbol's section, and the symbol's range in them; `None` if the symbol has none.
pub fn code_range<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
    place: &SymbolPlace,
) -> Option<(&'d [u8], Range<usize>)> {
    let section = sections.get(usize::from(place.section).checked_sub(1)?)?;
    let text = elf.section_bytes(section).ok()?;
    let start = usize::try_from(symbol::offset_in(section, place.value, elf.kind())).ok()?;
    let end = start.checked_add(usize::try_from(place.size).ok()?)?.min(text.len());
    (start < end).then_some((text, start..end))
}

/// The position of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolPlace {
    /// Number of its section, counted from one.
    pub section: u16,
    /// An address in a linked code object, an offset in the section in a relocatable one.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
}
