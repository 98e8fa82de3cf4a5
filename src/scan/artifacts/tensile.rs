//! The library folders of rocBLAS and hipBLASLt: catalogs, tuned and fallback code objects, helpers.

use crate::engines::tensile::catalog_summary::CatalogSummary;
use crate::engines::tensile::name::{Name, Role};
use crate::engines::tensile::{catalog, tensilelite};
use crate::finding::read_fault::ReadFault;
use crate::format::Support;
use crate::inventory::{ArtifactKind, TensileFacts};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings, device_code};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "tensile",
    finds: "rocBLAS and hipBLASLt library folders: Tensile catalogs, tuned and fallback code objects per target and type",
    claims: |candidate| Name::parse(candidate.name).is_some(),
    scan,
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let Some(name) = Name::parse(candidate.name) else { return Scanned::default() };
    let mut facts = TensileFacts { type_code: name.type_code, ..TensileFacts::default() };
    let mut scanned = Scanned::default();
    if name.code {
        if candidate.format.support() == Support::Yes {
            scanned = device_code::read(candidate, settings, name.target.as_ref(), rows);
        } else {
            let what = format!("the name says code object, the content is {}", candidate.format.name());
            let error = crate::error::ParseError::new(0, what);
            scanned.problems.push(ReadFault::malformed(candidate.shown, error));
        }
    } else if candidate.name.ends_with(".dat") {
        let bytes = candidate.file.bytes();
        match catalog::solutions(bytes) {
            Ok(solutions) => facts.solutions = solutions,
            Err(error) => scanned.problems.push(ReadFault::malformed(candidate.shown, error)),
        }
        let error = match name.role {
            Role::LazyCatalog => {
                CatalogSummary::read_lite(bytes).map(|outline| facts.rows = device_rows(&outline)).err()
            }
            Role::Catalog | Role::FallbackCatalog => {
                tensilelite::leads_to_a_solution(bytes).map(|leads| facts.leads = Some(leads)).err()
            }
            _ => None,
        };
        if let (Some(error), true) = (error, scanned.problems.is_empty()) {
            scanned.problems.push(ReadFault::malformed(candidate.shown, error));
        }
    }
    scanned.named_target = name.target;
    scanned.kind = Some(ArtifactKind::Tensile(name.role, facts));
    scanned
}

/// The catalogs that a first catalog leads to.
fn device_rows(outline: &CatalogSummary) -> Vec<(Option<String>, Vec<String>)> {
    let name = |at: &usize| outline.placeholders.get(*at).map(|(name, _)| name.clone());
    let row = |row: &crate::engines::tensile::catalog_summary::DeviceRow| {
        (row.processor.clone(), row.leads_to.iter().filter_map(name).collect())
    };
    outline.rows.iter().map(row).collect()
}
