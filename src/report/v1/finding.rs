//! What was found wrong, or worth knowing: one shape in every document.

use super::{Confidence, Evidence, Severity};
pub use crate::finding::location::Location;
use serde::Serialize;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Its rule: `catalog-missing`. `rocm-audit list rules` has them all.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// How it is known.
    pub known: Evidence,
    /// What is so, in a clause.
    pub what: String,
    /// The target that it is about; none where it is about all.
    pub target: Option<String>,
    /// How many there are, of which `locations` are the first.
    pub count: u64,
    /// The numbers behind it, in a sentence; empty where the rest says all.
    pub detail: String,
    /// What follows from it, in a clause.
    pub effect: String,
    /// How the effect is known.
    pub effect_known: Evidence,
    /// What to do about it, in a clause.
    pub advice: String,
    /// Where it shows.
    pub locations: Vec<Location>,
}

impl Finding {
    /// The same at the top of a document, where a finding that names no file is one of the part that has it.
    pub(super) fn in_part(&self, path: &str) -> Finding {
        let mut own = self.clone();
        if own.locations.iter().all(|place| place.path.is_empty()) {
            let what = own.locations.first().map(|place| place.what.clone()).unwrap_or_default();
            own.locations = vec![Location { path: path.to_owned(), what, ..Location::default() }];
        }
        own
    }
}

/// How many findings there are of each severity.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeverityCounts {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}

impl SeverityCounts {
    /// Counts findings.
    pub fn of<'a>(found: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = SeverityCounts::default();
        for finding in found {
            match finding.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Note => counts.notes += 1,
            }
        }
        counts
    }
}
