//! MIOpen kernel databases: pre-built kernels, in SQLite.

use super::{Candidate, Scanned, Scanner, miopen, sqlite};
use crate::container::Format;
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
    let facts = if let Some(pointer) = miopen::pointer(&name, candidate.format) {
        pointer
    } else if candidate.format == Format::Sqlite {
        let records = sqlite::count(candidate, &["kern_db"], "SELECT COUNT(*) FROM kern_db");
        miopen::facts(&name, "sqlite", scanned.keep(records))
    } else {
        let what = format!("the name says SQLite database, the content is {}", candidate.format.name());
        miopen::facts(
            &name,
            "sqlite",
            scanned.keep_parsed(candidate, Err(crate::error::ParseError::new(0, what))),
        )
    };
    scanned.kind = Some(ArtifactKind::KernelDb(facts));
    scanned
}
