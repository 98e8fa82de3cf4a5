//! Defects of MIOpen's databases: records that no request can match, that were measured on another device, or
//! that MIOpen skips.

mod copies;
mod find_db;
mod names;
mod perf_db;
mod swapped;

pub use copies::Measurements;
pub use find_db::of_find_db;
pub use names::of_folder;
pub use perf_db::{of_sqlite, of_text};
pub use swapped::Orientation;

use super::text::Record;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rule::Rule;

/// Locations kept for a finding.
pub const EXAMPLES: usize = 3;

/// Longest text of an example, in bytes.
const EXAMPLE_BYTES: usize = 160;

/// A finding about one database while it is being collected.
#[derive(Debug)]
struct Defect {
    file: String,
    finding: Finding,
}

impl Defect {
    fn new(rule: &'static Rule, file: &str) -> Self {
        Defect { file: file.to_owned(), finding: Finding { count: 0, ..Finding::new(rule) } }
    }

    /// Counts one occurrence, in a line of text or a row of SQLite.
    fn add(&mut self, at: DatabasePosition, text: impl FnOnce() -> String) {
        self.finding.count += 1;
        if self.finding.locations.len() < EXAMPLES {
            let mut what = text();
            // Cuts at a character boundary within the length limit.
            let end = (0..=EXAMPLE_BYTES.min(what.len())).rev().find(|&end| what.is_char_boundary(end));
            what.truncate(end.unwrap_or(0));
            let (line, row) = match at {
                DatabasePosition::Line(line) => (Some(line), None),
                DatabasePosition::Row(row) => (None, Some(row)),
            };
            let path = self.file.clone();
            self.finding.locations.push(Location { path, line, row, what, ..Location::default() });
        }
    }

    /// The finding, if anything was counted.
    fn finish(self) -> Option<Finding> {
        (self.finding.count > 0).then_some(self.finding)
    }
}

/// A finding about a file as a whole.
fn of_file(rule: &'static Rule, file: &str, detail: String) -> Finding {
    Finding { detail, ..Finding::of_file(rule, file, "") }
}

/// A position in a database.
#[derive(Debug, Clone, Copy)]
enum DatabasePosition {
    Line(u64),
    Row(u64),
}

/// The key in the form that examples show.
fn shown(record: &Record<'_>) -> String {
    String::from_utf8_lossy(record.key.get(..EXAMPLE_BYTES).unwrap_or(record.key)).into_owned()
}
