//! The library folders of rocBLAS and hipBLASLt: catalogs, tuned and fallback code objects, helpers.

use crate::engines::tensile::consistency::Owner;
use crate::engines::tensile::consistency::content::{Kind, LazyContent};
use crate::engines::tensile::name::{Name, Role};
use crate::engines::tensile::skim::Skim;
use crate::finding::Finding;
use crate::format::Support;
use crate::inventory::{ArtifactKind, TensileFacts};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings, device_code, library_names};
use std::sync::Arc;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "tensile",
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
        facts.content = Some(Arc::new(LazyContent::of(file, Kind::Code)));
        if candidate.format.support() == Support::Yes {
            scanned = device_code::read(candidate, settings, name.target.as_ref(), rows);
        } else {
            let what = format!("the name says code object, the content is {}", candidate.format.name());
            let error = crate::error::ParseError::new(0, what);
            scanned.findings.push(Finding::of_bytes(candidate.shown, error));
        }
    } else if is_catalog(&name, candidate.name) {
        let skim = Skim::read(file.bytes(), name.role);
        (facts.solutions, facts.of_processors) = (skim.solutions, skim.of_processors);
        scanned.findings.extend(skim.fault.map(|error| Finding::of_bytes(candidate.shown, error)));
        if name.role != Role::Extension {
            let kind = Kind::Catalog(Owner::of_library(&library_names::of(candidate.path)));
            facts.content = Some(Arc::new(LazyContent::of(file, kind)));
        }
    }
    scanned.named_target = name.target;
    scanned.kind = Some(ArtifactKind::Tensile(name.role, facts));
    scanned
}

/// Whether a file is a catalog. hipBLASLt's table of other operations is one in MessagePack alone.
fn is_catalog(name: &Name, file: &str) -> bool {
    file.ends_with(".dat") || file.ends_with(".yaml") && name.role != Role::Extension
}
