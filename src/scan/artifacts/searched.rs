//! Files that hold device code among data of their own, for which there is no reader: they are searched for
//! it.

use crate::budget::{MemoryPermit, ObjectBudget};
use crate::bytes::msgpack::Reader;
use crate::container;
use crate::engines::tensile::packed;
use crate::error::{ParseError, ParseErrorKind};
use crate::finding::Finding;
use crate::finding::rules::read::CONTAINER_NOT_OPENED;
use crate::format::Format;
use crate::format::hidden::{self, is_text};
use crate::inventory::{ArtifactKind, DeviceCode};
use crate::limits::BUNDLE_ENTRIES;
use crate::locator::Locator;
use crate::scan::device_code::{Blob, read, read_blob};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Identity, Scanned, Scanner, Settings};
use crate::source::SourceFile;
use std::ops::RangeInclusive;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "searched",
    of_text: false,
    finds: "device code in files of unknown form, by searching them: modules of IREE, models of MIGraphX, caches of JAX",
    claims,
    scan,
};

/// How the names of files end that hold code objects and begin like nothing that is known: MIGraphX's saved
/// programs, IREE's modules and executables, XLA's programs, JAX's cache, whose files have no ending but a
/// word, and Mojo's compiled packages.
const ENDS: [&str; 10] =
    [MODEL, ".vmfb", ".fb", ".hlo.pb", ".xla", ".hsaco-cache", "-cache", ".jax_cache", ".mojoc", ".mojopkg"];

fn claims(candidate: &Identity<'_>) -> bool {
    candidate.format == Format::Other && ENDS.iter().any(|end| candidate.name.ends_with(end))
        || candidate.format == Format::CoreDump
}

/// How the names of the entries of JAX's cache end. They are packed by Zstandard where that is installed,
/// else by zlib. Source: JAX, `_src/compilation_cache.py`.
const CACHED: &str = "-cache";

/// Whether bytes begin like a zlib stream: the method deflate, a window that exists, a check of both bytes.
/// Source: RFC 1950.
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [method, flags, ..] if method & 15 == 8 && method >> 4 <= 7 && (u16::from(*method) * 256 + u16::from(*flags)) % 31 == 0)
}

/// The device code of a file that is one zlib stream.
fn inflated(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let stream = candidate.file.bytes();
    let _memory = MemoryPermit::take((stream.len() as u64).saturating_mul(TYPICAL_RATIO));
    let taken = packed::inflated(stream).and_then(|all| {
        let spent = |what| ParseError::new(0, what).of_kind(ParseErrorKind::InflatesTooFar);
        settings.allowance.map_or(Ok(()), |allowance| allowance.take(all.len() as u64)).map_err(spent)?;
        Ok(all)
    });
    let all = match taken {
        Ok(all) => all,
        Err(error) => {
            return Scanned {
                findings: vec![Finding::of_bytes(candidate.shown, error)],
                ..Scanned::default()
            };
        }
    };
    let mut device = DeviceCode { format: Some(candidate.format), ..DeviceCode::default() };
    let mut scanned = Scanned::default();
    let whole = candidate.file.locator().range(0, stream.len() as u64);
    for (index, bundle) in container::searched(&all).bundles().iter().enumerate() {
        let begin = usize::try_from(bundle.offset()).unwrap_or(usize::MAX);
        let Some(code) = all.get(begin..).and_then(|rest| rest.get(..usize::try_from(bundle.span()).ok()?))
        else {
            continue;
        };
        let at = Locator { unpacked: Some((bundle.offset(), bundle.span())), ..whole.clone() };
        let part = read_blob(candidate, settings, None, &Blob { bytes: code, index, at, held: true });
        let problems = part.problems.map(|error| {
            ParseError::new(bundle.offset() + error.offset(), error.what().to_owned()).of_kind(error.kind())
        });
        device.merge(part.code);
        scanned.details.merge(part.details);
        scanned.findings.extend(Finding::all_of_bytes(candidate.shown, &problems.in_unpacked()));
        rows(part.rows);
    }
    scanned.device = (!device.targets.is_empty()).then_some(device);
    scanned
}

/// What a program of XLA usually inflates to for each byte.
const TYPICAL_RATIO: u64 = 8;

/// Sizes in bytes of the files that are searched whatever their name.
const SEARCHED: RangeInclusive<u64> = 4 << 10..=64 << 20;

/// Whether a file of unknown form that no scanner claims has device code in it. Files on disk only: to unpack
/// members of packages for that costs more than it finds.
pub(in crate::scan) fn has_code(file: &SourceFile) -> bool {
    file.locator().member.is_none()
        && SEARCHED.contains(&file.len())
        && !is_text(file.head())
        && is_found(file.bytes())
}

/// Whether a search finds anything; it ends soon after the first.
fn is_found(bytes: &[u8]) -> bool {
    let mut budget = ObjectBudget::for_size(bytes.len()).with_at_most(BUNDLE_ENTRIES as usize);
    let found = container::searched_within(bytes, &mut budget);
    budget.was_too_small() || !found.bundles().is_empty()
}

/// How the names of MIGraphX's saved programs end.
const MODEL: &str = ".mxr";

/// Why a file is not the whole program that MIGraphX saved, as its name says: one map of MessagePack, or text.
/// Source: MIGraphX, `src/file_buffer.cpp` and `src/msgpack.cpp`.
fn broken_model(candidate: &Candidate<'_>) -> Option<ParseError> {
    if !candidate.name.ends_with(MODEL) || is_text(candidate.file.head()) {
        return None;
    }
    let bytes = candidate.file.bytes();
    let is_map = matches!(bytes.first(), Some(0x80..=0x8f | 0xde | 0xdf));
    if !is_map {
        let what = "the name ends with .mxr, and the file is no program of MIGraphX, which begins as a map of MessagePack: its content is lost, or it is something else";
        return Some(ParseError::new(0, what));
    }
    let error = Reader::new(bytes, 0).skip().err()?;
    let what = format!("the name ends with .mxr, and the program of MIGraphX is not whole: {}", error.what());
    Some(ParseError::new(error.offset(), what).of_kind(error.kind()))
}

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let mut scanned = match candidate.name.ends_with(CACHED) && is_zlib(candidate.file.bytes()) {
        true => inflated(candidate, settings, rows),
        false => read(candidate, settings, None, rows),
    };
    if scanned.device.is_some() {
        scanned.kind = Some(ArtifactKind::DeviceCode);
    }
    // Its own form says nothing of where the code is: where none holds together, marks of it say that there
    // was some.
    if scanned.device.is_none()
        && candidate.format == Format::Other
        && !is_text(candidate.file.head())
        && let Some((at, what)) = hidden::mark(candidate.file.bytes())
    {
        let what = format!("the file {what}, and no code object in it holds together");
        scanned.findings.push(Finding::of_bytes(candidate.shown, ParseError::new(at, what)));
    }
    scanned.findings.extend(broken_model(candidate).map(|error| Finding::of_bytes(candidate.shown, error)));
    // What a process had in memory is in it as far as the system wrote it.
    if candidate.format == Format::CoreDump && scanned.device.is_some() {
        let what = "a core dump: searched for device code, and not read";
        scanned.findings.push(Finding::of_file(&CONTAINER_NOT_OPENED, candidate.shown, what));
    }
    scanned
}
