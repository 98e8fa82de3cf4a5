//! The machine code in a code object: sections, their division by symbols, kernels.
#![deny(clippy::indexing_slicing)]

use crate::bytes::ByteSource;
use crate::bytes::elf::{Elf, Section};
use crate::codeobject::symbol::{self, NameBudget, Symbol};
use crate::error::{ParseError, ParseErrorKind, Parsed};
use object::elf as raw;
use std::collections::{HashMap, HashSet};

/// Bytes before the first instruction of a version 2 kernel: its descriptor, an `amd_kernel_code_t`.
const KERNEL_CODE_BYTES: usize = 256;

/// An executable section.
#[derive(Debug)]
pub struct TextSection<'d> {
    /// Content of the section.
    pub bytes: &'d [u8],
    /// Offset from the beginning of the code object in bytes.
    pub offset: u64,
    /// Virtual address of its first byte.
    pub address: u64,
    /// The parts between its symbols, in order and without gaps.
    pub parts: Vec<Span<'d>>,
}

/// A part between two symbols.
#[derive(Debug, Clone)]
pub struct Span<'d> {
    /// Offset of its first byte in the section.
    pub start: usize,
    /// Offset of the end in the section.
    pub end: usize,
    /// Whether all symbols at its beginning mark it as data.
    pub is_data: bool,
    /// The kernel that begins here.
    pub kernel: Option<KernelEntry<'d>>,
}

/// The beginning of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelEntry<'d> {
    /// Name of the kernel.
    pub name: &'d [u8],
    /// Size in bytes by its symbol; zero if the symbol states none.
    pub size: u64,
}

/// The executable sections of a code object, and problems with their symbols.
///
/// Symbols are those of `.symtab`, else of `.dynsym`, as `llvm-objdump` takes them.
///
/// # Errors
/// If section headers or symbols lie outside of the data.
pub fn sections<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    most: usize,
) -> Parsed<(Vec<TextSection<'d>>, Vec<ParseError>)> {
    let sections = elf.sections_up_to(most)?;
    if sections.is_empty() {
        return segments(elf);
    }
    let symbols: Vec<Symbol<'d>> = symbol::table(elf, &sections, [raw::SHT_SYMTAB.0, raw::SHT_DYNSYM.0])?
        .filter(|s| s.section != 0 && s.section < 0xff00)
        .filter(|s| s.kind != symbol::SECTION && s.kind != symbol::FILE)
        .collect();
    let kernels = kernels(&symbols, &NameBudget::for_sections(&sections));
    let mut by_section: HashMap<usize, Vec<&Symbol<'d>>> = HashMap::new();
    for s in &symbols {
        by_section.entry(usize::from(s.section)).or_default().push(s);
    }
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    let mut read_to = 0;
    let is_text = |section: &Section<'_>| {
        section.kind == raw::SHT_PROGBITS.0 && section.flags & raw::SHF_EXECINSTR.0 != 0 && section.size > 0
    };
    // Headers may be in another order than the file.
    let mut order: Vec<_> = sections.iter().enumerate().filter(|(_, section)| is_text(section)).collect();
    order.sort_by_key(|(_, section)| section.offset);
    for (index, section) in order {
        let at = elf.base().saturating_add(section.offset);
        if section.offset < read_to {
            problems.push(
                ParseError::new(
                    at,
                    "a section of machine code overlaps the one before it and is not decoded",
                )
                .of_kind(ParseErrorKind::Overlap),
            );
            continue;
        }
        let bytes = match elf.section_bytes(section) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.push(error);
                continue;
            }
        };
        read_to = section.file_range().1;
        let own = by_section.get(&(index + 1)).into_iter().flatten().copied();
        let (parts, outside) = divide(bytes, section, own, &kernels, elf.kind());
        if outside > 0 {
            let what = format!("{outside} symbols lie outside of their section of machine code");
            problems.push(ParseError::new(at, what));
        }
        let left = |part: &Span<'_>| (bytes.len() - part.start) as u64;
        let beyond = parts.iter().filter(|part| part.kernel.is_some_and(|kernel| kernel.size > left(part)));
        let beyond = beyond.count();
        if beyond > 0 {
            let what = format!("{beyond} kernels reach beyond their section of machine code");
            problems.push(ParseError::new(at, what));
        }
        texts.push(TextSection { bytes, offset: section.offset, address: section.address, parts });
    }
    Ok((texts, problems))
}

/// For a file without section headers, which loaders do not need: its executable segments, undivided.
fn segments<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>) -> Parsed<(Vec<TextSection<'d>>, Vec<ParseError>)> {
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    let mut code: Vec<_> = elf.segments()?;
    code.retain(|s| s.kind == raw::PT_LOAD.0 && s.flags & raw::PF_X.0 != 0 && s.size > 0);
    code.sort_by_key(|s| s.offset);
    let mut read_to = 0;
    for segment in &code {
        if segment.offset < read_to {
            let what = "an executable segment overlaps the one before it and is not decoded";
            let error = ParseError::new(elf.base().saturating_add(segment.offset), what);
            problems.push(error.of_kind(ParseErrorKind::Overlap));
            continue;
        }
        read_to = segment.offset.saturating_add(segment.size);
        match elf.bytes(segment.offset, segment.size, "an executable segment") {
            Ok(bytes) => {
                let parts = vec![Span { start: 0, end: bytes.len(), is_data: false, kernel: None }];
                texts.push(TextSection { bytes, offset: segment.offset, address: segment.address, parts });
            }
            Err(error) => problems.push(error),
        }
    }
    Ok((texts, problems))
}

/// Kernel names by the position of the first instruction: functions with a descriptor, and version 2 kernels.
///
/// The second value says whether labels without a type are among them.
fn kernels<'d>(symbols: &[Symbol<'d>], names: &NameBudget) -> (HashMap<(u16, u64), KernelEntry<'d>>, bool) {
    let named = |kind: u8| symbols.iter().filter(move |s| s.kind == kind);
    let described: HashSet<&[u8]> = symbols.iter().filter_map(|s| s.described_kernel(names)).collect();
    let mut kernels = HashMap::new();
    let mut add = |s: &Symbol<'d>, name: &'d [u8]| {
        let entry = kernels.entry((s.section, s.value)).or_insert(KernelEntry { name, size: s.size });
        // If one place has several names, takes the first in sorting order, since the order of symbols means
        // nothing.
        if name < entry.name {
            *entry = KernelEntry { name, size: entry.size.max(s.size) };
        }
    };
    // Compilers mark kernels as functions; hand-written assembly may not, and can have any number of labels.
    let mut left = described.len();
    for s in named(symbol::FUNC) {
        if let Some(name) = names.name(s).filter(|name| described.contains(name)) {
            left = left.saturating_sub(1);
            add(s, name);
        }
    }
    for s in named(symbol::NOTYPE).take(if left > 0 { usize::MAX } else { 0 }) {
        if let Some(name) = names.name(s).filter(|name| described.contains(name)) {
            add(s, name);
        }
    }
    named(symbol::HSA_KERNEL).for_each(|s| add(s, names.name(s).unwrap_or_default()));
    (kernels, left > 0)
}

/// Divides a section at its symbols. The second value counts symbols outside of it.
fn divide<'a, 'd: 'a>(
    bytes: &[u8],
    section: &Section<'_>,
    symbols: impl Iterator<Item = &'a Symbol<'d>>,
    (kernels, labels): &(HashMap<(u16, u64), KernelEntry<'d>>, bool),
    kind: u16,
) -> (Vec<Span<'d>>, u64) {
    let mut outside = 0;
    let mut starts = Vec::new();
    for s in symbols.filter(|s| s.is_named()) {
        let offset = symbol::offset_in(section, s.value, kind);
        let below = kind != raw::ET_REL.0 && s.value < section.address;
        match usize::try_from(offset) {
            Ok(offset) if offset < bytes.len() && !below => {
                let asked = s.kind != symbol::NOTYPE || *labels;
                let kernel = if asked { kernels.get(&(s.section, s.value)).copied() } else { None };
                let code = offset + KERNEL_CODE_BYTES;
                if s.kind == symbol::HSA_KERNEL && code < bytes.len() {
                    let size = |entry: KernelEntry<'d>| entry.size.saturating_sub(KERNEL_CODE_BYTES as u64);
                    starts.push((offset, true, None));
                    starts.push((code, false, kernel.map(|e| KernelEntry { size: size(e), ..e })));
                } else {
                    let is_data = s.kind == symbol::OBJECT || s.kind == symbol::COMMON;
                    starts.push((offset, is_data, kernel));
                }
            }
            // A symbol may mark the end.
            Ok(offset) if offset == bytes.len() && !below => {}
            _ => outside += 1,
        }
    }
    if !starts.iter().any(|(offset, ..)| *offset == 0) {
        starts.push((0, false, None));
    }
    starts.sort_unstable_by_key(|(offset, is_data, kernel)| (*offset, *is_data, kernel.is_none()));
    let mut parts: Vec<Span<'d>> = Vec::new();
    for (start, is_data, kernel) in starts {
        match parts.last_mut() {
            Some(last) if last.start == start => {
                last.is_data &= is_data;
                last.kernel = last.kernel.or(kernel);
            }
            last => {
                if let Some(last) = last {
                    last.end = start;
                }
                parts.push(Span { start, end: bytes.len(), is_data, kernel });
            }
        }
    }
    (parts, outside)
}
