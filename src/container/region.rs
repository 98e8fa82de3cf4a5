//! Finds bundles and bare code objects in a range of bytes, in order.
//!
//! Two ways: a device section is stepped through, bundle by bundle by their sizes; any other data is searched for
//! magics, each hit verified by its structure, since texts and compilers contain the magics too. Neither ever looks
//! inside what it has already recognised.
#![deny(clippy::indexing_slicing)]

use super::{Bundle, Storage, bundle, compressed};
use crate::codeobject;
use crate::elf;
use crate::error::{ParseError, Parsed};
use crate::limits::{BUNDLES, PROBLEMS_PER_FILE};
use memchr::memmem;

/// Bytes of `.hip_fatbin` and the like that are no bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Zero bytes between and after bundles.
    pub padding: u64,
    /// Bytes that are neither zero nor part of anything recognised.
    pub unknown: u64,
}

/// What a device section holds.
#[derive(Debug, Default)]
pub struct Region {
    /// Bundles in file order.
    pub bundles: Vec<Bundle>,
    /// What lies between them.
    pub gaps: Gaps,
    /// What was malformed.
    pub problems: Vec<ParseError>,
}

/// Steps through a device section. `bytes` are the section, `base` its absolute offset.
pub fn step(bytes: &[u8], base: u64) -> Region {
    let mut region = Region::default();
    let mut at = 0usize;
    // What follows a malformed header is part of the same fault and not told again.
    let mut after_fault = false;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let (skipped, zero) = to_next_magic(rest);
        if zero {
            region.gaps.padding += skipped as u64;
        } else {
            region.gaps.unknown += skipped as u64;
        }
        if !zero && !after_fault {
            let found = base + at as u64;
            problem(
                &mut region,
                ParseError::new(
                    found,
                    format!("{skipped} bytes between bundles are neither a bundle nor zero"),
                ),
            );
        }
        at += skipped;
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else { break };
        if region.bundles.len() >= BUNDLES {
            problem(
                &mut region,
                ParseError::new(
                    base + at as u64,
                    format!("more than {BUNDLES} bundles; the rest is not read"),
                ),
            );
            region.gaps.unknown += rest.len() as u64;
            break;
        }
        let span = match read_at(rest, base + at as u64) {
            Ok(found) => {
                after_fault = false;
                let span = found.span;
                region.problems.extend(found.problem.clone());
                region.bundles.push(found);
                span
            }
            Err(error) => {
                after_fault = true;
                problem(&mut region, error);
                region.gaps.unknown += 4;
                4
            }
        };
        at = at.saturating_add(usize::try_from(span).unwrap_or(usize::MAX).max(4));
    }
    region
}

fn problem(region: &mut Region, error: ParseError) {
    if region.problems.len() < PROBLEMS_PER_FILE {
        region.problems.push(error);
    }
}

/// Number of bytes before the next magic (all of them, if there is none), and whether they are all zero.
fn to_next_magic(bytes: &[u8]) -> (usize, bool) {
    let zeros = bytes.iter().position(|&b| b != 0).unwrap_or(bytes.len());
    if zeros == bytes.len() || begins_with_magic(bytes.get(zeros..).unwrap_or_default()) {
        return (zeros, true);
    }
    let rest = bytes.get(zeros..).unwrap_or_default();
    let next = magics(rest).min().unwrap_or(rest.len());
    (zeros + next, false)
}

fn begins_with_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(bundle::MAGIC)
        || bytes.starts_with(compressed::MAGIC)
        || codeobject::is_code_object(bytes)
}

/// Offsets of the first occurrence of each magic.
fn magics(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let plain = memmem::find(bytes, bundle::MAGIC);
    let limit = plain.unwrap_or(bytes.len());
    let before = bytes.get(..limit).unwrap_or_default();
    let packed = memmem::find_iter(before, compressed::MAGIC)
        .find(|&at| bytes.get(at..).is_some_and(|b| compressed::read_header(b, 0).is_ok()));
    let bare = memmem::find_iter(before, elf::MAGIC)
        .find(|&at| bytes.get(at..).is_some_and(codeobject::is_code_object));
    [plain, packed, bare].into_iter().flatten()
}

/// Searches `bytes`, data of any kind at absolute offset `base`, for bundles and code objects that hold together.
/// Text that merely names a magic gives nothing and is no problem.
pub fn search(bytes: &[u8], base: u64) -> Vec<Bundle> {
    let mut hits: Vec<usize> = memmem::find_iter(bytes, bundle::MAGIC).collect();
    hits.extend(memmem::find_iter(bytes, b"CCOB"));
    hits.extend(
        memmem::find_iter(bytes, elf::MAGIC)
            .filter(|&at| bytes.get(at..).is_some_and(codeobject::is_code_object)),
    );
    hits.sort_unstable();
    let mut found: Vec<Bundle> = Vec::new();
    let mut end = 0u64;
    for hit in hits {
        let at = base + hit as u64;
        let Some(rest) = bytes.get(hit..).filter(|_| at >= end && found.len() < BUNDLES) else { continue };
        if let Ok(bundle) =
            read_at(rest, at).map_err(drop).and_then(|b| if b.is_plausible() { Ok(b) } else { Err(()) })
        {
            end = at + bundle.span;
            found.push(bundle);
        }
    }
    found
}

/// Reads the bundle or code object that `bytes` begin with.
///
/// # Errors
/// Where its header is malformed.
pub fn read_at(bytes: &[u8], base: u64) -> Parsed<Bundle> {
    if bytes.starts_with(bundle::MAGIC) {
        let header = bundle::read_whole_header(bytes, base)?;
        let span = header.end();
        let (entries, header_size) = (header.entries, header.size);
        return Ok(Bundle {
            offset: base,
            span,
            storage: Storage::Plain,
            header_size,
            entries,
            member: None,
            problem: None,
        });
    }
    if bytes.starts_with(compressed::MAGIC) {
        let packed = compressed::read_header(bytes, base)?;
        let storage = Storage::Compressed(packed);
        let (span, header_size) = (packed.total, packed.header_size);
        let mut found =
            Bundle { offset: base, span, storage, header_size, entries: vec![], member: None, problem: None };
        match unpack_header(bytes, base, &packed) {
            Ok(header) => found.entries = header.entries,
            Err(error) => found.problem = Some(error),
        }
        return Ok(found);
    }
    let span = codeobject::extent(bytes, base)?;
    let entries = vec![bundle::Entry { id: None, offset: 0, size: span }];
    Ok(Bundle {
        offset: base,
        span,
        storage: Storage::Bare,
        header_size: 0,
        entries,
        member: None,
        problem: None,
    })
}

/// Inflates just enough of a compressed bundle to read its header table.
fn unpack_header(bytes: &[u8], base: u64, packed: &compressed::Header) -> Parsed<bundle::Header> {
    let mut stream = compressed::Unpacked::open(bytes, base, packed, false, 0)?;
    let mut head = Vec::new();
    let mut step = 4096;
    loop {
        stream.read_onto(&mut head, step)?;
        match bundle::read_header(&head, 0, packed.unpacked) {
            Ok(header) => return Ok(header),
            Err(bundle::Unread::Malformed(error)) => return Err(error.in_unpacked()),
            Err(bundle::Unread::Short) if (head.len() as u64) < packed.unpacked => step = head.len() as u64,
            Err(bundle::Unread::Short) => {
                return Err(
                    ParseError::new(0, "the header table of the bundle reaches beyond its end").in_unpacked()
                );
            }
        }
    }
}
