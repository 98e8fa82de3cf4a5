//! MIOpen perf-dbs: tuned kernel parameters per problem, as text or as SQLite.
//!
//! The SQLite form counts as the lines that MIOpen's own converter (`sqlite2txt`) makes of it: one for each
//! problem that has at least one row. So both forms of the same database have the same number.

use super::{miopen, sqlite};
use crate::engines::miopen::perf_db::SqlitePerfDb;
use crate::inventory::{ArtifactKind, DatabaseForm};
use crate::scan::{Candidate, Scanned, Scanner};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "miopen-perf-db",
    of_text: false,
    finds: "MIOpen perf-dbs, users' own among them (*.db.txt, *.db, *.udb.txt, *.udb): tuned kernel parameters per problem",
    claims: |candidate| name(candidate.name).is_some(),
    scan: |candidate, _, _| scan(candidate),
};

fn name(name: &str) -> Option<miopen::Name> {
    miopen::parse_name(name, ".db.txt")
        .or_else(|| miopen::parse_name(name, ".db"))
        .or_else(|| miopen::parse_user_name(name, ".udb.txt"))
        .or_else(|| miopen::parse_user_name(name, ".udb"))
}

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let Some(name) = name(candidate.name) else { return Scanned::default() };
    let mut scanned = Scanned { named_target: Some(name.target.clone()), ..Scanned::default() };
    let facts = if candidate.name.ends_with(".txt") {
        miopen::pointer(&name, candidate.format)
            .unwrap_or_else(|| miopen::facts(&name, DatabaseForm::Text, Some(miopen::lines(candidate.file))))
    } else {
        let (tables, columns) = (SqlitePerfDb::TABLES, SqlitePerfDb::COLUMNS);
        let asked = sqlite::Question { tables, columns, count: SqlitePerfDb::LINES };
        sqlite::facts(candidate, &name, &asked, &mut scanned)
    };
    scanned.findings.extend(if facts.form == DatabaseForm::Text { miopen::lost(candidate) } else { None });
    scanned.kind = Some(ArtifactKind::PerfDb(facts));
    scanned
}
