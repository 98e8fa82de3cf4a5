//! Makes the report on a library's kernels by family: how many names exist, and how many bodies can run.

use crate::engines::ggml::family::{self, FamilyTable, FamilyTally};
use crate::finding::Finding;
use crate::report::findings;
use crate::report::v1::{Evidence, FamilyCell, FamilyReport, FamilyRow, Statement};
use crate::report::v1::{Header, document};

/// The report on a library's kernels, with the findings; `library` is the file.
pub fn families(library: String, table: &FamilyTable, found: &[Finding]) -> FamilyReport {
    let row = |row: &family::FamilyRow| FamilyRow {
        family: row.family.map_or("others", |family| family.template).to_owned(),
        purpose: row.family.map_or("", |family| family.purpose).to_owned(),
        cells: row.tallies.iter().map(cell).collect(),
    };
    let text = "bodies were followed from their beginning until they showed that they can end; those that only trap are stubs, \
                whatever their names or sizes";
    FamilyReport {
        header: Header::from_document(document::SELECT_FAMILIES),
        found: findings::found(found),
        library,
        targets: table.targets.iter().map(ToString::to_string).collect(),
        rows: table.rows.iter().map(row).collect(),
        total: table.total.iter().map(cell).collect(),
        statements: vec![Statement {
            about: "decoded".to_owned(),
            text: text.to_owned(),
            evidence: Evidence::Observed,
        }],
    }
}

fn cell(tally: &FamilyTally) -> FamilyCell {
    FamilyCell { kernels: tally.all, real: tally.real, stubs: tally.stubs }
}
