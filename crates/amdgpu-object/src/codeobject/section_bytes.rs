//! The bytes of a code object by class. Every byte is counted once, and the classes sum to its size.

use crate::bytes::ByteSource;
use crate::bytes::elf::{Elf, Section};
use alloc::vec::Vec;
use object::elf as raw;

/// Classes of bytes in a code object or in the file around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SectionByteClass {
    /// Machine code.
    Code,
    /// Notes: kernel metadata.
    Metadata,
    /// Constants, kernel descriptors and variables.
    Data,
    /// DWARF.
    Debug,
    /// Symbol, string, hash and relocation tables.
    Symbols,
    /// ELF headers.
    Headers,
    /// Gaps from alignment.
    Padding,
}

/// All classes, in the order of reports, with their ids and names.
pub const CLASSES: [(SectionByteClass, &str, &str); 7] = [
    (SectionByteClass::Code, "code", "code"),
    (SectionByteClass::Metadata, "kernel-metadata", "kernel metadata"),
    (SectionByteClass::Data, "data", "constants and descriptors"),
    (SectionByteClass::Debug, "debug", "debug information"),
    (SectionByteClass::Symbols, "symbols", "symbols"),
    (SectionByteClass::Headers, "elf-headers", "ELF headers"),
    (SectionByteClass::Padding, "padding", "alignment padding"),
];

impl SectionByteClass {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        CLASSES.iter().find(|(class, ..)| *class == self).map_or("", |(.., name)| name)
    }

    /// Id in documents, in kebab-case.
    pub fn id(self) -> &'static str {
        CLASSES.iter().find(|(class, ..)| *class == self).map_or("", |(_, id, _)| id)
    }

    /// The class of a section.
    pub fn from_section(section: &Section<'_>) -> SectionByteClass {
        let has = |flag: u64| section.flags & flag != 0;
        match section.kind {
            _ if section.name.starts_with(b".debug") => SectionByteClass::Debug,
            _ if has(raw::SHF_EXECINSTR.0) => SectionByteClass::Code,
            k if k == raw::SHT_NOTE.0 => SectionByteClass::Metadata,
            k if k == raw::SHT_PROGBITS.0 => SectionByteClass::Data,
            _ => SectionByteClass::Symbols,
        }
    }
}

/// Bytes by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SectionBytes([u64; CLASSES.len()]);

impl SectionBytes {
    pub(super) fn from_elf<'d, R: ByteSource<'d>>(
        elf: &Elf<'d, R>,
        sections: &[Section<'_>],
        size: u64,
    ) -> Self {
        let mut parts: Vec<(u64, u64, SectionByteClass)> = sections
            .iter()
            .map(|s| {
                let (start, end) = s.file_range();
                (start, end, SectionByteClass::from_section(s))
            })
            .collect();
        parts.push((0, 64, SectionByteClass::Headers));
        let (headers, _) = elf.header_extent();
        let (segments_at, sections_at) = (elf.program_headers_at(), elf.section_headers_at());
        let section_table = 64 * (sections.len() as u64 + 1);
        if sections_at != 0 {
            parts.push((sections_at, sections_at.saturating_add(section_table), SectionByteClass::Headers));
        }
        if segments_at != 0 {
            let segment_table = headers.saturating_sub(64).saturating_sub(section_table);
            parts.push((segments_at, segments_at.saturating_add(segment_table), SectionByteClass::Headers));
        }
        parts.sort_unstable();
        let mut bytes = SectionBytes::default();
        let mut covered = 0u64;
        for (start, end, class) in parts {
            let (start, end) = (start.clamp(covered, size), end.min(size));
            bytes.add(SectionByteClass::Padding, start - covered);
            covered = start;
            if end > covered {
                bytes.add(class, end - covered);
                covered = end;
            }
        }
        bytes.add(SectionByteClass::Padding, size.saturating_sub(covered));
        bytes
    }

    /// Adds bytes of a class.
    pub fn add(&mut self, class: SectionByteClass, bytes: u64) {
        if let Some(slot) = self.0.get_mut(class as usize) {
            *slot += bytes;
        }
    }

    /// Adds the bytes of another code object.
    pub fn merge(&mut self, other: &SectionBytes) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// Bytes of a class.
    pub fn get(&self, class: SectionByteClass) -> u64 {
        self.0.get(class as usize).copied().unwrap_or(0)
    }

    /// All classes with their names and bytes.
    pub fn iter(&self) -> impl Iterator<Item = (SectionByteClass, &'static str, u64)> + '_ {
        CLASSES.iter().map(|(class, _, name)| (*class, *name, self.get(*class)))
    }

    /// The sum over all classes, which is the size of the counted bytes.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}
