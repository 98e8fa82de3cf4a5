//! The library folders of rocBLAS and hipBLASLt: catalogs, tuned and fallback code objects, helpers.

use crate::budget::MemoryPermit;
use crate::engines::tensile::catalog::Fault;
use crate::engines::tensile::consistency::FolderOwner;
use crate::engines::tensile::consistency::content::{CatalogReadings, FileContent, FileRole, LazyContent};
use crate::engines::tensile::name::{self, Name, Role};
use crate::engines::tensile::packed;
use crate::engines::tensile::skim::Skim;
use crate::error::{ParseError, ParseErrorKind};
use crate::finding::Finding;
use crate::format::Support;
use crate::inventory::{ArtifactKind, TensileFacts};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings, device_code, library_names};
use std::sync::Arc;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "tensile",
    of_text: false,
    finds: "rocBLAS and hipBLASLt library folders: Tensile catalogs, tuned and fallback code objects per target and type",
    claims: |candidate| Name::parse(candidate.name).is_some(),
    scan,
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let Some(name) = Name::parse(candidate.name) else { return Scanned::default() };
    let mut facts = TensileFacts { type_code: name.type_code.clone(), ..TensileFacts::default() };
    let mut scanned = Scanned::default();
    let file = candidate.file;
    if name.code {
        facts.content = Some(Arc::new(LazyContent::open(file, FileRole::Code)));
        if candidate.format.support() == Support::Yes {
            scanned = device_code::read(candidate, settings, name.target.as_ref(), rows);
        } else {
            let what = format!("the name says code object, the content is {}", candidate.format.name());
            let error = ParseError::new(0, what);
            scanned.findings.push(Finding::of_bytes(candidate.shown, error));
        }
    } else if is_catalog(&name, candidate.name) {
        let owner = FolderOwner::of_library(&library_names::library_name(candidate.path));
        let read = if name.packed { packed_catalog } else { plain_catalog };
        let error = read(candidate, settings, &name, owner, &mut facts);
        scanned.findings.extend(error.map(|error| Finding::of_bytes(candidate.shown, error)));
    }
    scanned.named_target = name.target;
    scanned.kind = Some(ArtifactKind::Tensile(name.role, facts));
    scanned
}

/// Reads a catalog, and returns what is wrong with it.
fn plain_catalog(
    candidate: &Candidate<'_>,
    _: &Settings<'_>,
    name: &Name,
    owner: Option<FolderOwner>,
    facts: &mut TensileFacts,
) -> Option<ParseError> {
    let bytes = candidate.file.bytes();
    let _memory = Some(Skim::memory(bytes)).filter(|memory| *memory > 0).map(MemoryPermit::take);
    let skim = Skim::read(bytes, name.role);
    (facts.solutions, facts.of_processors) = (skim.solutions, skim.of_processors);
    if name.role != Role::Extension {
        facts.content = Some(Arc::new(LazyContent::open(candidate.file, FileRole::Catalog(owner))));
    }
    skim.fault
}

/// The same of a zlib stream, which is inflated once for all that is asked of it.
fn packed_catalog(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    name: &Name,
    owner: Option<FolderOwner>,
    facts: &mut TensileFacts,
) -> Option<ParseError> {
    let stream = candidate.file.bytes();
    let typical = (stream.len() as u64).saturating_mul(TYPICAL_RATIO);
    let memory = MemoryPermit::take(typical);
    let (read, _memory) = match packed::inflated_within(stream, typical) {
        Some(read) => (read, memory),
        None => {
            // A thread with a share does not wait for a second one.
            drop(memory);
            let memory = MemoryPermit::take(packed::most(stream));
            (packed::inflated(stream), memory)
        }
    };
    let inflated = read.and_then(|catalog| {
        let taken = settings.allowance.map_or(Ok(()), |allowance| allowance.take(catalog.len() as u64));
        let spent = |what| ParseError::new(0, what).of_kind(ParseErrorKind::InflatesTooFar);
        taken.map(|()| catalog).map_err(spent)
    });
    let (readings, fault) = match inflated {
        Ok(catalog) => {
            let skim = Skim::read(&catalog, name.role);
            (facts.solutions, facts.of_processors) = (skim.solutions, skim.of_processors);
            (CatalogReadings::read(&catalog, owner), skim.fault.map(ParseError::in_unpacked))
        }
        Err(error) => (CatalogReadings::refused(Fault::Malformed(error.clone())), Some(error)),
    };
    if name.role != Role::Extension {
        facts.content = Some(Arc::new(LazyContent::known(FileContent::Catalog(readings))));
    }
    fault
}

/// What a catalog of hipBLASLt inflates to for each byte at most, of those that were seen.
const TYPICAL_RATIO: u64 = 56;

/// Whether a file is a catalog. hipBLASLt's table of other operations is one in MessagePack alone.
fn is_catalog(name: &Name, file: &str) -> bool {
    let file = name::plain(file);
    file.ends_with(".dat") || file.ends_with(".yaml") && name.role != Role::Extension
}
