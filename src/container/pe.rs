//! Windows PE files: executables and libraries that carry device code in `.hip_fat` and wrappers in `.hipFatB`, names
//! that the linker cut to eight bytes.
//!
//! Pointers are virtual addresses; raw offsets are aligned to the file, not to pages, and raw sizes are padded, so the
//! virtual size counts. Source: Microsoft's PE format; bitsandbytes' Windows wheels.
#![deny(clippy::indexing_slicing)]

use super::DeviceSection;
use super::find::ObjectBudget;
use super::host::{self, Host};
use super::wrapper::Wrappers;
use crate::error::{ParseError, Parsed};
use std::collections::BTreeMap;

/// One section header.
struct Section<'a> {
    name: &'a [u8],
    address: u64,
    offset: u64,
    size: u64,
    characteristics: u32,
}

/// `IMAGE_SCN_CNT_INITIALIZED_DATA`.
const INITIALIZED_DATA: u32 = 0x40;

/// Reads a PE file.
///
/// # Errors
/// Where it is no PE file or its section table is cut off. A DOS program without a PE header gives nothing.
pub fn open(bytes: &[u8]) -> Parsed<Host> {
    let budget = &mut ObjectBudget::default();
    let u16_at = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u16::from_le_bytes(*b));
    let u32_at = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b));
    let header = u32_at(0x3c).unwrap_or(0) as usize;
    if bytes.get(header..header.saturating_add(4)) != Some(b"PE\0\0") {
        return Ok(Host::default());
    }
    let cut = || ParseError::new(header as u64, "the headers of the PE file are cut off");
    let count = u16_at(header + 6).ok_or_else(cut)?;
    let optional_size = usize::from(u16_at(header + 20).ok_or_else(cut)?);
    let optional = header + 24;
    // 0x20b is PE32+, whose image base has 64 bits.
    let base = match u16_at(optional) {
        Some(0x20b) => {
            bytes.get(optional + 24..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b))
        }
        _ => u64::from(u32_at(optional + 28).unwrap_or(0)),
    };
    let mut sections = Vec::new();
    for index in 0..usize::from(count) {
        let at = optional + optional_size + 40 * index;
        let raw = bytes.get(at..at + 40).ok_or_else(cut)?;
        let number =
            |i: usize| raw.get(i..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        sections.push(Section {
            name: raw.get(..8).unwrap_or_default().split(|&b| b == 0).next().unwrap_or_default(),
            address: base.wrapping_add(u64::from(number(12))),
            offset: u64::from(number(20)),
            size: u64::from(number(8)).min(u64::from(number(16))),
            characteristics: number(36),
        });
    }
    let mut host = Host { machine: u16_at(header + 4).unwrap_or(0), ..Host::default() };
    sections.sort_by_key(|s| (s.offset, s.size));
    let mut read_to = 0;
    for section in &sections {
        if section.size > 0 && section.offset < read_to {
            let what = "a section overlaps the one before it and is not read";
            host.problems.push(ParseError::new(section.offset, what));
            continue;
        }
        read_to = read_to.max(section.offset + section.size);
        let content = content(bytes, section);
        if content.len() as u64 != section.size {
            let what = format!("section {} reaches beyond the file", String::from_utf8_lossy(section.name));
            host.problems.push(ParseError::new(section.offset, what));
        }
        let data = section.characteristics & INITIALIZED_DATA != 0;
        host.add_section(section.name, device_section(section), content, data, budget);
    }
    if let Some(own) = sections.iter().find(|s| host::is_wrapper_section(s.name)) {
        let mut loaded: Vec<&Section<'_>> = sections.iter().filter(|s| s.size > 0).collect();
        loaded.sort_by_key(|s| s.address);
        let file_offset = |address: u64| {
            let behind = loaded.partition_point(|s| s.address <= address);
            let section = loaded.get(behind.checked_sub(1)?)?;
            let within = address - section.address;
            (within < section.size).then(|| section.offset + within)
        };
        let read =
            Wrappers::read(content(bytes, own), own.address, &BTreeMap::new(), &host.bundles, file_offset);
        host.wrappers = Some(read);
    }
    host.finish();
    Ok(host)
}

fn content<'a>(bytes: &'a [u8], section: &Section<'_>) -> &'a [u8] {
    let start = usize::try_from(section.offset).unwrap_or(usize::MAX).min(bytes.len());
    let end = usize::try_from(section.offset + section.size).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(start..end).unwrap_or_default()
}

fn device_section(section: &Section<'_>) -> DeviceSection {
    DeviceSection {
        name: String::from_utf8_lossy(section.name).into_owned(),
        offset: section.offset,
        size: section.size,
        align: 0,
    }
}
