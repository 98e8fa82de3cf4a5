//! MIOpen kernel databases: pre-built kernels, in SQLite.

use super::{Candidate, Scanned, Scanner, miopen, sqlite};
use crate::inventory::ArtifactKind;

pub(super) static SCANNER: Scanner = Scanner {
    id: "miopen-kernel-db",
    finds: "MIOpen kernel databases (*.kdb): pre-built kernels",
    claims: |candidate| miopen::parse_name(candidate.name, ".kdb").is_some(),
    scan: |candidate, _, _| scan(candidate),
};

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let Some(name) = miopen::parse_name(candidate.name, ".kdb") else { return Scanned::default() };
    let mut scanned = Scanned { named_target: Some(name.target.clone()), ..Scanned::default() };
    let facts = sqlite::facts(candidate, &name, &["kern_db"], "SELECT COUNT(*) FROM kern_db", &mut scanned);
    scanned.kind = Some(ArtifactKind::KernelDb(facts));
    scanned
}
