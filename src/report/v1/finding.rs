//! Findings: problems and noteworthy facts, in the same shape in every document.

use super::{Confidence, Evidence, Severity};
pub use crate::finding::location::Location;
use serde::Serialize;

/// A problem or noteworthy fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Id of the rule: `catalog-missing`. `rocm-audit list rules` shows all.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// How certain the finding is.
    pub confidence: Confidence,
    /// How the finding is known.
    pub known: Evidence,
    /// What was found, as a clause.
    pub what: String,
    /// The target it is about; `null` if it is about all.
    pub target: Option<String>,
    /// Number of occurrences; `locations` lists the first ones.
    pub count: u64,
    /// The numbers behind it, in a sentence; empty if the rest says everything.
    pub detail: String,
    /// The consequence, as a clause.
    pub effect: String,
    /// How the effect is known.
    pub effect_known: Evidence,
    /// What to do about it, as a clause.
    pub advice: String,
    /// Where it occurs.
    pub locations: Vec<Location>,
}

impl Finding {
    /// The finding for the top of a document; one without a file gets the path of its part.
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
    pub fn from_found<'a>(found: impl IntoIterator<Item = &'a Finding>) -> Self {
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
