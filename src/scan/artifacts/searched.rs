//! Files that hold device code among data of their own, for which there is no reader: they are searched for it.

use crate::budget::ObjectBudget;
use crate::container;
use crate::error::ParseError;
use crate::finding::Finding;
use crate::finding::rules::read::CONTAINER_NOT_OPENED;
use crate::format::Format;
use crate::format::hidden::{self, is_text};
use crate::inventory::ArtifactKind;
use crate::limits::BUNDLE_ENTRIES;
use crate::scan::device_code::read;
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Identity, Scanned, Scanner, Settings};
use crate::source::SourceFile;
use std::ops::RangeInclusive;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "searched",
    finds: "device code in files of unknown form, by searching them: modules of IREE, models of MIGraphX, caches of JAX",
    claims,
    scan,
};

/// How the names of files end that hold code objects and begin like nothing that is known: MIGraphX's saved programs, IREE's
/// modules and executables, XLA's programs, and JAX's cache, whose files have no ending but a word.
const ENDS: [&str; 8] = [".mxr", ".vmfb", ".fb", ".hlo.pb", ".xla", ".hsaco-cache", "-cache", ".jax_cache"];

fn claims(candidate: &Identity<'_>) -> bool {
    candidate.format == Format::Other && ENDS.iter().any(|end| candidate.name.ends_with(end))
        || candidate.format == Format::CoreDump
}

/// Sizes in bytes of the files that are searched whatever their name.
const SEARCHED: RangeInclusive<u64> = 4 << 10..=64 << 20;

/// Whether a file of unknown form that no scanner claims has device code in it. Files on disk only: to unpack members of packages
/// for that costs more than it finds.
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

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let mut scanned = read(candidate, settings, None, rows);
    if scanned.device.is_some() {
        scanned.kind = Some(ArtifactKind::DeviceCode);
    }
    // Its own form says nothing of where the code is: where none holds together, marks of it say that there was some.
    if scanned.device.is_none()
        && candidate.format == Format::Other
        && !is_text(candidate.file.head())
        && let Some((at, what)) = hidden::mark(candidate.file.bytes())
    {
        let what = format!("the file {what}, and no code object in it holds together");
        scanned.findings.push(Finding::of_bytes(candidate.shown, ParseError::new(at, what)));
    }
    // What a process had in memory is in it as far as the system wrote it.
    if candidate.format == Format::CoreDump && scanned.device.is_some() {
        let what = "a core dump: searched for device code, and not read";
        scanned.findings.push(Finding::of_file(&CONTAINER_NOT_OPENED, candidate.shown, what));
    }
    scanned
}
