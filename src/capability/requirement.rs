//! Requirements: targets that libraries must have, and whether they do.

use super::Capability;
use super::coverage::{Cell, Coverage, LibraryRow};
use crate::target::TargetId;

/// What is required.
#[derive(Debug, Clone, Copy)]
pub struct Required<'r> {
    /// Target IDs that each library must have.
    pub targets: &'r [TargetId],
    /// Libraries that must have them; every library with device code where none is named.
    pub libraries: &'r [String],
    /// Whether every file and every bundle must have them.
    pub per_file: bool,
}

/// Whether a library has a target.
#[derive(Debug)]
pub struct Requirement<'a> {
    /// The processor.
    pub processor: String,
    /// The library.
    pub library: String,
    /// Whether it is of the library's Tensile folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several.
    pub place: Option<&'a str>,
    /// Whether the requirement is met.
    pub is_met: bool,
    /// What is there; nothing where the library is not.
    pub coverage: Option<Coverage>,
    /// Files that have no kernel for it.
    pub lacking: Vec<&'a str>,
}

/// Libraries that are there for every GPU, or for none by name.
const NOT_ASKED: [&str; 2] = ["HSA runtime", "loose code objects"];

/// One row for each target and library. `found` must have been asked for the targets.
pub fn check<'a>(found: &Capability<'a>, required: &Required<'_>) -> Vec<Requirement<'a>> {
    let mut rows = Vec::new();
    for (place, target) in found.targets.iter().enumerate() {
        let named = |row: &&LibraryRow<'a>| match required.libraries {
            [] => !NOT_ASKED.contains(&row.part.library),
            named => named.iter().any(|name| name.eq_ignore_ascii_case(row.part.library)),
        };
        for row in found.matrix.iter().filter(named) {
            let Some(cell) = row.cells.get(place) else { continue };
            rows.push(Requirement {
                processor: target.processor.clone(),
                library: row.part.library.to_owned(),
                tensile: row.part.tensile,
                place: row.part.place,
                is_met: is_met(cell.coverage, required.per_file),
                coverage: Some(cell.coverage),
                lacking: lacking(cell),
            });
        }
        let missing = required
            .libraries
            .iter()
            .filter(|name| !found.matrix.iter().any(|row| name.eq_ignore_ascii_case(row.part.library)));
        rows.extend(missing.map(|name| Requirement {
            processor: target.processor.clone(),
            library: name.clone(),
            tensile: false,
            place: None,
            is_met: false,
            coverage: None,
            lacking: Vec::new(),
        }));
    }
    rows
}

fn lacking<'a>(cell: &Cell<'a>) -> Vec<&'a str> {
    cell.files.as_ref().map(|files| files.without.clone()).unwrap_or_default()
}

fn is_met(coverage: Coverage, per_file: bool) -> bool {
    match coverage {
        Coverage::Native | Coverage::FallbackOnly | Coverage::Generic | Coverage::RunTime => true,
        Coverage::SomeFiles | Coverage::Partial => !per_file,
        Coverage::NoKernels | Coverage::Absent => false,
    }
}
