//! Windows PE files: executables and libraries with device code in `.hip_fat` and wrappers in `.hipFatB`,
//! names that the linker truncated to eight bytes.
//!
//! Pointers are virtual addresses; raw offsets are aligned to the file, not to pages, and raw sizes are
//! padded, so the virtual size counts. Source: Microsoft's PE format; bitsandbytes' Windows wheels.
#![deny(clippy::indexing_slicing)]

use super::DeviceSection;
use super::host::{self, Host};
use super::wrapper::Wrappers;
use crate::budget::ObjectBudget;
use crate::bytes::le::{LeBytes, clamped, range};
use crate::bytes::order::sort_by_place;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::format::hidden;
use crate::limits::{NEEDED_LIBRARIES, SYMBOL_BYTES};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use object::{LittleEndian as LE, ReadRef, pe as raw};

/// One section header.
struct Section<'a> {
    name: &'a [u8],
    address: u64,
    offset: u64,
    size: u64,
    characteristics: u32,
}

/// Reads a PE file.
///
/// # Errors
///
/// If it is not a PE file or its section table is truncated. A DOS program without a PE header gives nothing.
pub fn open(bytes: &[u8], budget: &mut ObjectBudget) -> Parsed<Host> {
    let header = bytes.read_at::<raw::ImageDosHeader>(0).map_or(0, |dos| u64::from(dos.nt_headers_offset()));
    if range(bytes, header, 4) != Some(b"PE\0\0") {
        return Ok(without_header(bytes, budget));
    }
    let cut = |()| {
        ParseError::new(header, "the headers of the PE file are cut off").of_kind(ParseErrorKind::CutEnd)
    };
    let mut at = header + 4;
    let file_header = bytes.read::<raw::ImageFileHeader>(&mut at).map_err(cut)?;
    let base = image_base(bytes, at);
    at += u64::from(file_header.size_of_optional_header.get(LE));
    let count = usize::from(file_header.number_of_sections.get(LE));
    let headers = bytes.read_slice_at::<raw::ImageSectionHeader>(at, count).map_err(cut)?;
    let zero = headers.iter().any(|header| object::pod::bytes_of(header).iter().all(|byte| *byte == 0));
    let mut sections: Vec<Section<'_>> =
        headers.iter().map(|header| Section::from_header(header, base)).collect();
    let needed = imported(bytes);
    let mut host = Host { needed, ..Host::default() };
    if zero {
        host.problems.push(ParseError::new(at, "a section header of the PE file holds zeros only"));
    }
    host.problems.extend(fault_of_table(&sections, image_alignment(bytes, header + 24), at));
    sort_by_place(&mut sections, |s| (s.offset, s.size));
    let mut read_to = 0;
    for section in &sections {
        if section.size > 0 && section.offset < read_to {
            let what = "a section overlaps the one before it and is not read";
            host.problems.push(ParseError::new(section.offset, what).of_kind(ParseErrorKind::Overlap));
            continue;
        }
        read_to = read_to.max(section.offset + section.size);
        let content = clamped(bytes, section.offset, section.size);
        if content.len() as u64 != section.size {
            let what = format!("section {} reaches beyond the file", String::from_utf8_lossy(section.name));
            host.problems.push(ParseError::new(section.offset, what).of_kind(ParseErrorKind::CutEnd));
        }
        let data = section.characteristics & raw::IMAGE_SCN_CNT_INITIALIZED_DATA.0 != 0;
        host.add_section(section.name, device_section(section), content, data, budget);
    }
    if let Some(own) = sections.iter().find(|s| host::is_wrapper_section(s.name)) {
        let mut loaded: Vec<&Section<'_>> = sections.iter().filter(|s| s.size > 0).collect();
        sort_by_place(&mut loaded, |s| (s.address, 0));
        let file_offset = |address: u64| {
            let behind = loaded.partition_point(|s| s.address <= address);
            let section = loaded.get(behind.checked_sub(1)?)?;
            let within = address - section.address;
            (within < section.size).then(|| section.offset + within)
        };
        let read = Wrappers::read(
            clamped(bytes, own.offset, own.size),
            own.address,
            &BTreeMap::new(),
            &host.bundles,
            file_offset,
        );
        host.wrappers = Some(read);
    }
    host.finish();
    Ok(host)
}

/// An error in the section table as a whole, with which Windows would not load the file: there must be a
/// section, and sections must follow each other in memory at multiples of the alignment.
fn fault_of_table(sections: &[Section<'_>], alignment: u64, at: u64) -> Option<ParseError> {
    let what = match sections {
        [] => "the PE file has no sections",
        _ if sections.windows(2).any(|two| matches!(two, [a, b] if a.address > b.address)) => {
            "the sections of the PE file do not follow each other in memory: their table is damaged"
        }
        [first, ..] if alignment.is_power_of_two() && !first.address.is_multiple_of(alignment) => {
            "the first section of the PE file is not aligned: their table is damaged"
        }
        _ => return None,
    };
    Some(ParseError::new(at, what))
}

/// Alignment of sections in memory, given the offset of the optional header; both forms of the header have it
/// at the same position.
fn image_alignment(bytes: &[u8], at: u64) -> u64 {
    let header = bytes.read_at::<raw::ImageOptionalHeader32>(at);
    header.map_or(0, |header| u64::from(header.section_alignment.get(LE)))
}

/// The libraries that it is linked with, including those loaded at the first call. Empty if the tables are
/// damaged, since statements on device code do not depend on them.
fn imported(bytes: &[u8]) -> Vec<String> {
    use object::read::pe::{PeFile32, PeFile64};
    let text = |name: &[u8]| String::from_utf8_lossy(name.get(..SYMBOL_BYTES).unwrap_or(name)).into_owned();
    let mut needed = Vec::new();
    macro_rules! named_in {
        ($table:expr, $name:ident) => {
            if let Ok(Some(table)) = $table
                && let Ok(mut rows) = table.descriptors()
            {
                while let (Ok(Some(row)), true) = (rows.next(), needed.len() < NEEDED_LIBRARIES) {
                    needed.extend(table.name(row.$name.get(LE)).ok().map(text));
                }
            }
        };
    }
    macro_rules! of {
        ($file:expr) => {{
            let file = $file;
            named_in!(file.import_table(), name);
            named_in!(file.delay_load_import_table(), dll_name_rva);
        }};
    }
    match PeFile64::parse(bytes) {
        Ok(file) => of!(file),
        Err(_) => {
            if let Ok(file) = PeFile32::parse(bytes) {
                of!(file);
            }
        }
    }
    needed
}

/// Opens a DOS program, or a PE file without its header; only device code can tell them apart.
fn without_header(bytes: &[u8], budget: &mut ObjectBudget) -> Host {
    let mut host = Host::default();
    let place =
        DeviceSection { name: "(no header)".to_owned(), offset: 0, size: bytes.len() as u64, align: 0 };
    host.add_section(b"", place, bytes, true, budget);
    host.finish();
    let fields = LeBytes(bytes);
    // DOS programs have their relocations before offset 64; OS/2 programs and drivers of Windows 3 and 9x
    // have other headers.
    let later = bytes.len() < 64 || fields.u16(24) >= 64;
    // DOS loads none that has no pages.
    let no_pages = fields.u16(4) == 0;
    let other = range(bytes, u64::from(fields.u32(60)), 2);
    let known = other.is_some_and(|mark| [b"NE", b"LE", b"LX", b"W3", b"W4"].iter().any(|m| *m == mark));
    let what = match hidden::mark(bytes) {
        Some((_, what)) => format!("the file has no PE header, and {what}"),
        None if !host.bundles.is_empty() || later && !known || no_pages => {
            "the file has no PE header".to_owned()
        }
        None => return host,
    };
    host.problems.push(ParseError::new(0, what));
    host
}

/// The preferred load address, given the offset of the optional header.
fn image_base(bytes: &[u8], at: u64) -> u64 {
    let wide = bytes.read_at::<raw::ImageOptionalHeader64>(at).ok();
    match wide.filter(|header| header.magic.get(LE) == raw::IMAGE_NT_OPTIONAL_HDR64_MAGIC) {
        Some(header) => header.image_base.get(LE),
        None => bytes
            .read_at::<raw::ImageOptionalHeader32>(at)
            .map_or(0, |header| u64::from(header.image_base.get(LE))),
    }
}

impl<'a> Section<'a> {
    fn from_header(header: &'a raw::ImageSectionHeader, base: u64) -> Self {
        Section {
            name: header.raw_name(),
            address: base.wrapping_add(u64::from(header.virtual_address.get(LE))),
            offset: u64::from(header.pointer_to_raw_data.get(LE)),
            size: u64::from(header.virtual_size.get(LE).min(header.size_of_raw_data.get(LE))),
            characteristics: header.characteristics.get(LE).0,
        }
    }
}

fn device_section(section: &Section<'_>) -> DeviceSection {
    DeviceSection {
        name: String::from_utf8_lossy(section.name).into_owned(),
        offset: section.offset,
        size: section.size,
        align: 0,
    }
}
