//! MIOpen perf-dbs: tuned kernel parameters per problem, as text or as SQLite.
//!
//! The SQLite form counts as the lines that MIOpen's own converter (`sqlite2txt`) makes of it: one for each problem
//! that has at least one row. So both forms of the same database have the same number.

use super::{Candidate, Scanned, Scanner, miopen, sqlite};
use crate::container::Format;
use crate::inventory::ArtifactKind;

pub(super) static SCANNER: Scanner = Scanner {
    id: "miopen-perf-db",
    finds: "MIOpen perf-dbs (*.db.txt, *.db): tuned kernel parameters per problem",
    claims: |candidate| name(candidate).is_some(),
    scan: |candidate, _, _| scan(candidate),
};

fn name(candidate: &Candidate<'_>) -> Option<miopen::Name> {
    miopen::parse_name(candidate.name, ".db.txt").or_else(|| miopen::parse_name(candidate.name, ".db"))
}

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let Some(name) = name(candidate) else { return Scanned::default() };
    let mut scanned = Scanned { named_target: Some(name.target.clone()), ..Scanned::default() };
    let facts = if let Some(pointer) = miopen::pointer(&name, candidate.format) {
        pointer
    } else if candidate.name.ends_with(".txt") {
        miopen::facts(&name, "text", Some(miopen::lines(candidate.file)))
    } else if candidate.format == Format::Sqlite {
        let records = sqlite::count(
            candidate,
            &["perf_db", "config"],
            "SELECT COUNT(DISTINCT config) FROM perf_db WHERE config IN (SELECT id FROM config)",
        );
        miopen::facts(&name, "sqlite", scanned.keep(records))
    } else {
        let what = format!("the name says SQLite database, the content is {}", candidate.format.name());
        let records = Err(crate::error::ParseError::new(0, what));
        miopen::facts(&name, "sqlite", scanned.keep_parsed(candidate, records))
    };
    scanned.kind = Some(ArtifactKind::PerfDb(facts));
    scanned
}
