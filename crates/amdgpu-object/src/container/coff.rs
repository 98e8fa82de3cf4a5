//! COFF objects, which Windows compilers produce before linking: device code in `.hip_fatbin` and similar
//! sections; section names longer than eight bytes are in the string table. Read with the `object` crate.
#![deny(clippy::indexing_slicing)]

use super::DeviceSection;
use super::host::Host;
use crate::budget::ObjectBudget;
use crate::bytes::order::sort_by_place;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::format::coff_header::is_big_object;
use crate::format::hidden;
use crate::limits::{ELF_HEADERS, NAME_BYTES};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use object::pe::{self as raw, ImageFileHeader, ImageSectionHeader};
use object::read::coff::CoffHeader;

/// Reads a COFF object. `base` is the absolute offset of `bytes` in the file (not 0 in an archive).
///
/// # Errors
///
/// If its section table is truncated.
pub fn open(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Parsed<Host> {
    if is_big_object(bytes) {
        read::<raw::AnonObjectHeaderBigobj>(bytes, base, budget)
    } else {
        read::<ImageFileHeader>(bytes, base, budget)
    }
}

fn read<Header: CoffHeader>(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Parsed<Host> {
    let bad = |e: object::Error| ParseError::new(base, format!("the COFF object cannot be read: {e}"));
    let mut offset = 0;
    let header = Header::parse(bytes, &mut offset).map_err(bad)?;
    let sections = header.sections(bytes, offset).map_err(bad)?;
    let mut host = Host::default();
    let strings = match header.symbols(bytes) {
        Ok(symbols) => symbols.strings(),
        Err(error) => {
            host.problems.push(bad(error));
            Default::default()
        }
    };
    let mut order: Vec<&ImageSectionHeader> = sections.iter().take(ELF_HEADERS).collect();
    sort_by_place(&mut order, |s| {
        let (offset, size) = s.coff_file_range().unwrap_or_default();
        (offset.into(), size.into())
    });
    let mut read_to = 0;
    for section in order {
        let Some((start, size)) = section.coff_file_range().map(|(o, s)| (u64::from(o), u64::from(s))) else {
            continue;
        };
        if object::pod::bytes_of(section).iter().all(|byte| *byte == 0) {
            host.problems.push(ParseError::new(base, "a section header of the COFF object holds zeros only"));
        }
        let name = section.name(strings).unwrap_or_else(|_| {
            host.problems
                .push(ParseError::new(base, "the name of a section of the COFF object is not there"));
            &section.name
        });
        let name = name.get(..NAME_BYTES).unwrap_or(name);
        let offset = base.saturating_add(start);
        if size > 0 && start < read_to {
            host.problems.push(
                ParseError::new(offset, "a section overlaps the one before it and is not read")
                    .of_kind(ParseErrorKind::Overlap),
            );
            continue;
        }
        read_to = read_to.max(start.saturating_add(size));
        let content = section.coff_data(bytes).unwrap_or_default();
        if content.len() as u64 != size {
            let what = format!("section {} reaches beyond the file", String::from_utf8_lossy(name));
            host.problems.push(ParseError::new(offset, what).of_kind(ParseErrorKind::CutEnd));
        }
        let characteristics = section.characteristics.get(object::LittleEndian);
        let align = match characteristics.0 >> 20 & 0xf {
            0 => 1,
            power => 1 << (power - 1),
        };
        let place = DeviceSection { name: String::from_utf8_lossy(name).into_owned(), offset, size, align };
        let data = characteristics.0 & raw::IMAGE_SCN_CNT_INITIALIZED_DATA.0 != 0;
        host.add_section(name, place, content, data, budget);
    }
    host.finish();
    if host.sections.is_empty() && host.bundles.is_empty() && host.problems.is_empty() {
        let what = |(at, what)| {
            ParseError::new(base + at, format!("no section holds device code, and the object {what}"))
        };
        host.problems.extend(hidden::mark(bytes).map(what));
    }
    Ok(host)
}
