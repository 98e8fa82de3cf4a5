//! Host ELF files: executables, shared libraries and objects with device code in separate sections.
//!
//! `.hip_fatbin` contains the bundles; `.hipFatBinSegment` contains one 24-byte wrapper for each bundle that
//! the program registers with the HIP runtime. In a shared library a wrapper's pointer often exists only as
//! the addend of a relocation.
#![deny(clippy::indexing_slicing)]

use super::find;
use super::host::{self, Host};
use super::wrapper::Wrappers;
use super::{Bundle, DeviceSection};
use crate::budget::ObjectBudget;
use crate::bytes::elf::{Elf, Section};
use crate::bytes::le::{LeBytes, clamped};
use crate::bytes::order::sort_by_place;
use crate::bytes::section_headers;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::format::overlay;
use crate::limits::{DYNAMIC_TEXT_BYTES, NEEDED_LIBRARIES, SYMBOL_BYTES};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use object::elf as raw;

/// Reads a host ELF file. `base` is the absolute offset of `bytes` in the file (not 0 in an archive).
///
/// # Errors
///
/// If the file is not 64-bit little-endian ELF or has no readable section table.
pub fn open(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Parsed<Host> {
    let elf = Elf::open(bytes, base)?;
    let (sections, lost) = match elf.sections() {
        Ok(sections) => (sections, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let mut host = Host {
        soname: dynamic_texts(&elf, &sections, SONAME).and_then(|texts| texts.into_iter().next()),
        needed: dynamic_texts(&elf, &sections, NEEDED).unwrap_or_default(),
        ..Host::default()
    };
    host.problems.extend(lost);
    host.problems.extend(section_headers::problems(&sections, base));
    // Without segments the end of the program is unknown, and so is whether something follows it.
    match elf.segments() {
        Ok(all) if !all.is_empty() && all.iter().all(|segment| segment.kind != raw::PT_LOAD.0) => {
            let what = "no program header of the file has it loaded: they were written over";
            host.problems.push(ParseError::new(base, what));
        }
        segments => host.problems.extend(segments.err()),
    }
    if sections.is_empty() && host.problems.is_empty() && elf.kind() == raw::ET_REL.0 {
        // Such a file cannot be linked.
        host.problems.push(ParseError::new(base, "an object file without section headers"));
    }
    if sections.is_empty() && elf.kind() != raw::ET_CORE.0 {
        search_segments(&elf, &mut host, budget);
    }
    let mut stripped = None;
    let mut read_to = 0;
    for section in in_file_order(&sections) {
        let named = host::is_named(section.name);
        if section.kind == raw::SHT_NOBITS.0 {
            stripped = host::is_device_section(section.name).then_some(section.name).or(stripped);
        } else if named || may_hold_device_code(section) {
            // Every byte is searched only once, however many sections refer to it.
            let (start, end) = section.file_range();
            if start < read_to {
                let what = "a section overlaps the one before it and is not read";
                host.problems
                    .push(ParseError::new(base.saturating_add(start), what).of_kind(ParseErrorKind::Overlap));
                continue;
            }
            read_to = end;
            let Some(bytes) = section_bytes(&elf, section, &mut host.problems) else { continue };
            host.add_section(section.name, DeviceSection::from_section(section, base), bytes, !named, budget);
        }
    }
    for section in sections.iter().filter(|section| is_dropped_by_linkers(section)) {
        let bytes = elf.section_bytes(section).unwrap_or_default();
        host.note_unnamed_entry(section.name, bytes, base.saturating_add(section.offset));
    }
    search_behind(bytes, base, read_to, &mut host, budget);
    if let (Some(name), None) = (stripped, &host.kpack) {
        let name = String::from_utf8_lossy(name);
        host.note_unread(format!("{name} (stripped: the code objects lie elsewhere)"));
    }
    if let Some(section) = sections.iter().find(|s| host::is_wrapper_section(s.name))
        && elf.kind() != raw::ET_REL.0
    {
        match wrappers(&elf, &sections, section, &host.bundles, &mut host.problems) {
            Ok(wrappers) => host.wrappers = Some(wrappers),
            Err(error) => host.problems.push(error),
        }
    }
    host.finish();
    Ok(host)
}

/// Searches a program's memory where no section describes it: section headers are not needed to run a
/// program.
fn search_segments<'d>(elf: &Elf<'d, &'d [u8]>, host: &mut Host, budget: &mut ObjectBudget) {
    let mut segments = elf.segments().unwrap_or_default();
    segments.retain(|segment| segment.kind == raw::PT_LOAD.0 && segment.size > 0);
    sort_by_place(&mut segments, |segment| (segment.offset, 0));
    let mut read_to = 0;
    for segment in segments {
        // Every byte is searched only once.
        let start = segment.offset.max(read_to);
        read_to = segment.offset.saturating_add(segment.size).max(read_to);
        let left = elf.rest(start).unwrap_or_default();
        let size = usize::try_from(read_to - start).unwrap_or(usize::MAX).min(left.len());
        let bytes = left.get(..size).unwrap_or_default();
        let offset = elf.base().saturating_add(start);
        let place = DeviceSection { name: "(no section)".to_owned(), offset, size: size as u64, align: 0 };
        host.add_section(b"", place, bytes, true, budget);
    }
}

/// Searches the bytes after the end of a program, which belong to no section. In an archive of objects they
/// are another member.
fn search_behind(bytes: &[u8], base: u64, read_to: u64, host: &mut Host, budget: &mut ObjectBudget) {
    let Some(end) = overlay::end(bytes).filter(|_| base == 0) else { return };
    let start = end.max(read_to);
    let rest = clamped(bytes, start, bytes.len() as u64);
    if rest.len() >= SMALLEST_BEHIND {
        let size = rest.len() as u64;
        let place = DeviceSection { name: "(behind the end)".to_owned(), offset: start, size, align: 0 };
        let before = host.bundles.len();
        host.add_section(b"", place, rest, true, budget);
        if host.bundles.len() == before {
            host.problems.extend(unknown_behind(rest, start));
        }
    }
}

/// The error for what follows a program and is neither zeros that align its end nor the signature of a kernel
/// module, which ends with these words.
fn unknown_behind(rest: &[u8], start: u64) -> Option<ParseError> {
    let size = rest.len();
    if rest.iter().all(|byte| *byte == 0) {
        let is_lost = find::is_lost(0, usize::try_from(start).ok()?, size);
        let what = format!("{size} zeros stand behind the end of the program, where an archive may be lost");
        return is_lost.then(|| ParseError::new(start, what));
    }
    let what = format!("{size} bytes stand behind the end of the program, in no form that is known");
    let is_signature = rest.ends_with(b"~Module signature appended~\n");
    (!is_signature).then(|| ParseError::new(start, what).of_kind(ParseErrorKind::UnknownMethod))
}

/// Fewest bytes after a program to search: padding is shorter.
const SMALLEST_BEHIND: usize = 64;

fn in_file_order<'a, 'd>(sections: &'a [Section<'d>]) -> Vec<&'a Section<'d>> {
    let mut order: Vec<&Section<'_>> = sections.iter().collect();
    sort_by_place(&mut order, |s| s.file_range());
    order
}

/// Whether a program could pass the section's data to a loader: allocated, in the file, not code, and not one
/// of the tables that every ELF file has.
fn may_hold_device_code(section: &Section<'_>) -> bool {
    let tables: [&[u8]; 5] =
        [b".eh_frame", b".eh_frame_hdr", b".gcc_except_table", b".rodata.cst16", b".interp"];
    section.kind == raw::SHT_PROGBITS.0
        && section.flags & raw::SHF_ALLOC.0 != 0
        && section.flags & raw::SHF_EXECINSTR.0 == 0
        && section.size >= 64
        && !host::is_wrapper_section(section.name)
        && !tables.contains(&section.name)
}

/// Whether a linker leaves a section out, and its name is none of those that are read.
fn is_dropped_by_linkers(section: &Section<'_>) -> bool {
    section.kind == raw::SHT_PROGBITS.0
        && section.flags & raw::SHF_EXCLUDE.0 != 0
        && !host::is_named(section.name)
}

fn section_bytes<'d>(
    elf: &Elf<'d, &'d [u8]>,
    section: &Section<'_>,
    problems: &mut ParseErrors,
) -> Option<&'d [u8]> {
    match elf.section_bytes(section) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            problems.push(error);
            // A truncated file still contains the beginning of its last sections.
            elf.rest(section.offset).filter(|bytes| !bytes.is_empty())
        }
    }
}

/// `DT_NEEDED` and `DT_SONAME` tags of the dynamic section.
const NEEDED: u64 = 1;
const SONAME: u64 = 14;

/// The texts of dynamic section entries with this tag, up to the limit.
pub(super) fn dynamic_texts(elf: &Elf<'_, &[u8]>, sections: &[Section<'_>], tag: u64) -> Option<Vec<String>> {
    let dynamic = sections.iter().find(|s| s.kind == raw::SHT_DYNAMIC.0)?;
    let strings = elf.section_bytes(sections.get((dynamic.link as usize).checked_sub(1)?)?).ok()?;
    let entries = elf.section_bytes(dynamic).ok()?.chunks_exact(16);
    let text = |entry: &[u8]| {
        let at = usize::try_from(LeBytes(entry).get_u64(8)?).ok()?;
        let name = strings.get(at..)?;
        let name = name.get(..SYMBOL_BYTES).unwrap_or(name).split(|&b| b == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    let tagged = entries.filter(|entry| entry.first_chunk() == Some(&tag.to_le_bytes()));
    // Texts may share bytes.
    let mut left = DYNAMIC_TEXT_BYTES;
    let fits = |text: &String| {
        left = left.saturating_sub(text.len());
        left > 0
    };
    Some(tagged.take(NEEDED_LIBRARIES).filter_map(text).take_while(fits).collect())
}

/// Reads all wrappers and compares them with the bundles found by stepping.
fn wrappers(
    elf: &Elf<'_, &[u8]>,
    sections: &[Section<'_>],
    own: &Section<'_>,
    bundles: &[Bundle],
    problems: &mut ParseErrors,
) -> Parsed<Wrappers> {
    let relocated = relocations(elf, sections, own, problems)?;
    let mut loaded: Vec<&Section<'_>> = sections.iter().filter(|s| s.flags & raw::SHF_ALLOC.0 != 0).collect();
    sort_by_place(&mut loaded, |s| (s.address, 0));
    let file_offset = |address: u64| {
        let behind = loaded.partition_point(|s| s.address <= address);
        let section = loaded.get(behind.checked_sub(1)?)?;
        let within = address - section.address;
        (within < section.size).then_some(())?;
        elf.base().checked_add(section.offset)?.checked_add(within)
    };
    Ok(Wrappers::read(elf.section_bytes(own)?, own.address, &relocated, bundles, file_offset))
}

/// Values that relocations store in `own`: relative ones (the addend) and absolute ones (symbol plus addend),
/// for the host machines that ROCm supports.
fn relocations(
    elf: &Elf<'_, &[u8]>,
    sections: &[Section<'_>],
    own: &Section<'_>,
    problems: &mut ParseErrors,
) -> Parsed<BTreeMap<u64, u64>> {
    let (relative, absolute) = match elf.machine() {
        62 => (8, 1),       // EM_X86_64: R_X86_64_RELATIVE, R_X86_64_64
        183 => (1027, 257), // EM_AARCH64: R_AARCH64_RELATIVE, R_AARCH64_ABS64
        21 => (22, 38),     // EM_PPC64: R_PPC64_RELATIVE, R_PPC64_ADDR64
        243 => (3, 2),      // EM_RISCV: R_RISCV_RELATIVE, R_RISCV_64
        _ => return Ok(BTreeMap::new()),
    };
    let range = own.address..own.address.saturating_add(own.size);
    let mut values = BTreeMap::new();
    for (section, bytes) in relocation_tables(elf, sections, problems)? {
        let symbols = sections.get((section.link as usize).wrapping_sub(1));
        for rela in bytes.chunks_exact(24) {
            let rela = LeBytes(rela);
            let (offset, info, addend) = (rela.u64(0), rela.u64(8), rela.u64(16));
            if !range.contains(&offset) {
                continue;
            }
            let kind = info & 0xffff_ffff;
            if kind == relative {
                values.insert(offset, addend);
            } else if kind == absolute
                && let Some(table) = symbols
            {
                let at = table.offset.saturating_add(24 * (info >> 32)).saturating_add(8);
                let value = LeBytes(elf.bytes(at, 8, "a symbol")?).u64(0);
                values.insert(offset, value.wrapping_add(addend));
            }
        }
    }
    Ok(values)
}

/// The relocation sections with their bytes, without overlap: every byte is read only once, however many
/// sections refer to it.
fn relocation_tables<'a, 'd>(
    elf: &Elf<'d, &'d [u8]>,
    sections: &'a [Section<'d>],
    problems: &mut ParseErrors,
) -> Parsed<Vec<(&'a Section<'d>, &'d [u8])>> {
    let mut tables = Vec::new();
    let mut read_to = 0;
    for section in in_file_order(sections).into_iter().filter(|s| s.kind == raw::SHT_RELA.0 && s.size > 0) {
        let (start, end) = section.file_range();
        if start < read_to {
            let what = "a section of relocations overlaps the one before it and is not read";
            let at = elf.base().saturating_add(start);
            problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::Overlap));
            continue;
        }
        read_to = end;
        tables.push((section, elf.section_bytes(section)?));
    }
    Ok(tables)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// A file with `count` relocation headers that all refer to the same `size` bytes from offset 64 on.
    fn headers_for_the_same_bytes(count: u16, size: u64) -> Vec<u8> {
        let mut file = vec![0u8; 64 + size as usize];
        let at = file.len() as u64;
        file.extend([0; 64]);
        for _ in 0..count {
            let words = [(4u64 << 32), 2, 0, 64, size, 0, 8, 24];
            words.iter().for_each(|word| file.extend(word.to_le_bytes()));
        }
        file[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0");
        file[40..48].copy_from_slice(&at.to_le_bytes());
        file[58..60].copy_from_slice(&64u16.to_le_bytes());
        file[60..62].copy_from_slice(&(count + 1).to_le_bytes());
        file
    }

    #[test]
    fn no_byte_of_relocations_is_read_twice() {
        let file = headers_for_the_same_bytes(10_000, 24 * 1000);
        let elf = Elf::open(&file[..], 0).unwrap();
        let sections = elf.sections().unwrap();
        assert_eq!(sections.iter().filter(|s| s.kind == raw::SHT_RELA.0).count(), 10_000);
        let mut problems = ParseErrors::default();
        let tables = relocation_tables(&elf, &sections, &mut problems).unwrap();
        let read: usize = tables.iter().map(|(_, bytes)| bytes.len()).sum();
        assert_eq!(read, 24 * 1000);
        assert_eq!(problems.iter().count() as u64 + problems.more(), 9_999);
        assert!(problems.iter().all(|problem| problem.kind == ParseErrorKind::Overlap));
    }
}
