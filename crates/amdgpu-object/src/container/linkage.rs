//! The exports and imports of a host ELF file: its dynamic symbols with their versions.
#![deny(clippy::indexing_slicing)]

use crate::bytes::elf::{Elf, Section};
use crate::bytes::le::LeBytes;
use crate::error::Parsed;
use crate::limits::{LINKED_SYMBOLS, SEARCH_FOLDERS, SYMBOL_BYTES};
use alloc::borrow::ToOwned;
#[cfg(not(feature = "std"))]
use alloc::collections::BTreeMap as HashMap;
use alloc::string::String;
use alloc::vec::Vec;
use object::elf as raw;
#[cfg(feature = "std")]
use std::collections::HashMap;

answer! {
    /// A dynamic symbol.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Linked<'d> {
        /// Name of the symbol.
        copy name: &'d [u8],
        /// Version of the symbol, if it has one: `ROCR_1`.
        copy version: Option<&'d [u8]>,
        /// The `DT_SONAME` of the library that must provide the version; `None` for an exported symbol.
        copy library: Option<&'d [u8]>,
        /// Whether this file defines it.
        copy is_defined: bool,
        /// Whether the loader ignores it if no library defines it.
        copy is_weak: bool,
    }
}

answer! {
    /// Where the loader searches for libraries that a host ELF file needs, in addition to its default places.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct SearchPaths {
        /// `DT_RUNPATH` if it exists, else `DT_RPATH`, split at colons: `$ORIGIN/../lib`. An empty entry, or
        /// one that begins neither with `$ORIGIN` nor with `/`, is relative to the working directory of the
        /// program.
        list folders: String,
        /// Whether they come from `DT_RPATH`, which the loader uses before `LD_LIBRARY_PATH` and also for
        /// indirectly needed libraries.
        copy is_rpath: bool,
    }
}

answer! {
    /// What the loader reads in a host ELF file.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Dynamic<'d> {
        /// Its dynamic symbols, at most [`LINKED_SYMBOLS`]; empty without any.
        list symbols: Linked<'d>,
        /// Where the loader searches for needed libraries.
        part search: SearchPaths,
    }
}

/// Reads the dynamic section.
///
/// # Errors
///
/// If the file is not 64-bit little-endian ELF or has no readable section table.
pub fn read(bytes: &[u8]) -> Parsed<Dynamic<'_>> {
    let elf = Elf::open(bytes, 0)?;
    let sections = elf.sections()?;
    Ok(Dynamic { symbols: symbols(&elf, &sections), search: search_paths(&elf, &sections) })
}

fn search_paths(elf: &Elf<'_, &[u8]>, sections: &[Section<'_>]) -> SearchPaths {
    let stated = |tag: u64| {
        let texts = super::elf::dynamic_texts(elf, sections, tag).unwrap_or_default();
        texts.iter().flat_map(|text| text.split(':')).take(SEARCH_FOLDERS).map(str::to_owned).collect()
    };
    let (runpath, rpath): (Vec<String>, Vec<String>) = (stated(RUNPATH), stated(RPATH));
    let is_rpath = runpath.is_empty() && !rpath.is_empty();
    SearchPaths { folders: if is_rpath { rpath } else { runpath }, is_rpath }
}

/// `DT_RPATH` and `DT_RUNPATH`.
const RPATH: u64 = 15;
const RUNPATH: u64 = 29;

/// Bytes of a symbol.
const SYMBOL: usize = 24;
/// The bit of a version index that hides a definition from unversioned names.
const HIDDEN: u16 = 0x8000;

fn symbols<'d>(elf: &Elf<'d, &'d [u8]>, sections: &[Section<'d>]) -> Vec<Linked<'d>> {
    let of_kind = |kind: u32| sections.iter().find(|section| section.kind == kind);
    let content = |section: &Section<'_>| elf.section_bytes(section).ok();
    let linked_to = |section: &Section<'_>| content(sections.get((section.link as usize).checked_sub(1)?)?);
    let Some(table) = of_kind(raw::SHT_DYNSYM.0) else { return Vec::new() };
    let (Some(symbols), Some(names)) = (content(table), linked_to(table)) else { return Vec::new() };
    let text = |strings: &'_ [u8], at: u32| -> Option<(usize, usize)> {
        let from = usize::try_from(at).ok()?;
        let rest = strings.get(from..)?;
        let rest = rest.get(..SYMBOL_BYTES.min(rest.len()))?;
        Some((from, from + memchr::memchr(0, rest)?))
    };
    let mut versions: HashMap<u16, (&[u8], Option<&[u8]>)> = HashMap::new();
    for (kind, asked) in [(raw::SHT_GNU_VERNEED.0, true), (raw::SHT_GNU_VERDEF.0, false)] {
        let Some(section) = of_kind(kind) else { continue };
        let (Some(rows), Some(strings)) = (content(section), linked_to(section)) else { continue };
        let name = |at: u32| text(strings, at).and_then(|(from, to)| strings.get(from..to));
        let rows = LeBytes(rows);
        let mut at = 0usize;
        for _ in 0..MOST_VERSIONS {
            // Both kinds contain version, count or flags, …; the first part of a need is its file.
            let (library, parts, first, next) = if asked {
                let library = rows.get_u32(at + 4).and_then(name);
                (library, rows.get_u16(at + 2), rows.get_u32(at + 8), rows.get_u32(at + 12))
            } else {
                (None, Some(1), rows.get_u32(at + 12), rows.get_u32(at + 16))
            };
            let (Some(parts), Some(first), Some(next)) = (parts, first, next) else { break };
            let mut part = at.saturating_add(first as usize);
            for _ in 0..parts.min(MOST_VERSIONS) {
                let (index, text, further) = if asked {
                    (rows.get_u16(part + 6), rows.get_u32(part + 8), rows.get_u32(part + 12))
                } else {
                    (rows.get_u16(at + 4), rows.get_u32(part), Some(0))
                };
                let (Some(index), Some(version), Some(further)) = (index, text.and_then(name), further)
                else {
                    break;
                };
                versions.insert(index & !HIDDEN, (version, library));
                part = part.saturating_add(further as usize);
                if further == 0 || part >= rows.0.len() {
                    break;
                }
            }
            at = at.saturating_add(next as usize);
            if next == 0 || at >= rows.0.len() {
                break;
            }
        }
    }
    let indices = of_kind(raw::SHT_GNU_VERSYM.0).and_then(content).unwrap_or_default();
    let mut all = Vec::new();
    for (number, symbol) in symbols.chunks_exact(SYMBOL).enumerate().skip(1).take(LINKED_SYMBOLS) {
        let fields = LeBytes(symbol);
        let Some(name) = text(names, fields.u32(0)).and_then(|(from, to)| names.get(from..to)) else {
            continue;
        };
        if name.is_empty() {
            continue;
        }
        let (binding, is_defined) = (symbol.get(4).copied().unwrap_or(0) >> 4, fields.u16(6) != 0);
        let index = LeBytes(indices).get_u16(2 * number).unwrap_or(0) & !HIDDEN;
        // 0 and 1 mean local and global symbols without a version.
        let version = (index > 1).then(|| versions.get(&index)).flatten();
        all.push(Linked {
            name,
            version: version.map(|(version, _)| *version),
            library: version.and_then(|(_, library)| *library).filter(|_| !is_defined),
            is_defined,
            is_weak: binding == WEAK,
        });
    }
    all
}

/// `STB_WEAK`.
const WEAK: u8 = 2;
/// Limit for versions of a library; glibc has about 60.
const MOST_VERSIONS: u16 = 1024;
