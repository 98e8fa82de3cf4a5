//! MIOpen find-dbs: which solver was fastest for a problem. A line is a record.

use super::miopen;
use crate::inventory::{ArtifactKind, DatabaseForm};
use crate::scan::{Candidate, Scanned, Scanner};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "miopen-find-db",
    of_text: false,
    finds: "MIOpen find-dbs, users' own among them (*.fdb.txt, *.ufdb.txt): recorded solver times per problem",
    claims: |candidate| name(candidate.name).is_some(),
    scan: |candidate, _, _| scan(candidate),
};

fn name(name: &str) -> Option<miopen::Name> {
    miopen::parse_name(name, ".fdb.txt").or_else(|| miopen::parse_user_name(name, ".ufdb.txt"))
}

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let Some(name) = name(candidate.name) else { return Scanned::default() };
    let facts = miopen::pointer(&name, candidate.format)
        .unwrap_or_else(|| miopen::facts(&name, DatabaseForm::Text, Some(miopen::lines(candidate.file))));
    let findings = if facts.form == DatabaseForm::Text { miopen::lost(candidate) } else { None };
    let findings = findings.into_iter().collect();
    Scanned { named_target: Some(name.target), findings, ..Scanned::from_kind(ArtifactKind::FindDb(facts)) }
}
