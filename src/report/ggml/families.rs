//! The kernels of a library by family: how many names are there, and how many bodies can run.

use crate::engines::ggml::family;
use crate::engines::ggml::family::{FAMILIES, Tallies, Tally};
use crate::engines::ggml::presence::Library;
use crate::report::v1::{self, Evidence, FamilyCell, FamilyReport, FamilyRow, Statement};
use crate::target::TargetId;

/// Judges every kernel of the targets that are wanted.
pub fn families(library: &Library, wants: &dyn Fn(&TargetId) -> bool) -> FamilyReport {
    let counts = family::count_all(library, wants);
    let row = |family: &str, purpose: &str, of: &dyn Fn(&Tallies) -> Tally| FamilyRow {
        family: family.to_owned(),
        purpose: purpose.to_owned(),
        cells: counts.iter().map(|(_, tallies)| cell(of(tallies))).collect(),
    };
    let mut rows: Vec<FamilyRow> = Vec::new();
    for known in &FAMILIES {
        let of = |tallies: &Tallies| tallies.get(&Some(known.template)).copied().unwrap_or_default();
        rows.push(row(known.template, known.purpose, &of));
    }
    rows.push(row("others", "", &|tallies| tallies.get(&None).copied().unwrap_or_default()));
    rows.push(row("TOTAL", "", &|tallies| {
        tallies.values().fold(Tally::default(), |sum, tally| Tally {
            all: sum.all + tally.all,
            real: sum.real + tally.real,
            stubs: sum.stubs + tally.stubs,
        })
    }));
    let text = "bodies were followed from their beginning until they showed that they can end; those that only trap are stubs, \
                whatever their names or sizes";
    FamilyReport {
        header: v1::Header::of(v1::document::SELECT_FAMILIES),
        library: library.file().file.locator().shown(),
        targets: counts.iter().map(|(target, _)| target.to_string()).collect(),
        rows,
        statements: vec![Statement {
            about: "decoded".to_owned(),
            text: text.to_owned(),
            evidence: Evidence::Observed,
            warning: false,
        }],
    }
}

fn cell(tally: Tally) -> FamilyCell {
    FamilyCell { kernels: tally.all, real: tally.real, stubs: tally.stubs }
}
