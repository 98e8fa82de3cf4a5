//! Whether two find-dbs of different processors contain the same measurements.

use super::of_file;
use crate::miopen::find_db::items;
use crate::miopen::text;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::rules::miopen as rules;
use std::collections::HashMap;

/// Fewest common records for a judgement: some problems take the same time on any device.
const COMMON: u64 = 10;

/// The records of a find-db, for comparison with others.
#[derive(Debug)]
pub struct Measurements<'a> {
    file: &'a str,
    bytes: &'a [u8],
    /// Records by key, if the key is a problem.
    records: HashMap<&'a [u8], text::Record<'a>>,
}

/// Number of common records of two files, and of those that are equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CommonRecords {
    same: u64,
    all: u64,
}

impl CommonRecords {
    /// Whether at least 99 of 100 are equal.
    fn is_copy(self) -> bool {
        self.all >= COMMON && self.same * 100 >= self.all * 99
    }
}

impl<'a> Measurements<'a> {
    /// Reads the measurements of a find-db.
    pub fn read(file: &'a str, bytes: &'a [u8]) -> Measurements<'a> {
        let mut records = HashMap::with_capacity(bytes.len() / 320);
        for record in text::records(bytes).flatten() {
            records.entry(record.key).or_insert(record);
        }
        Measurements { file, bytes, records }
    }

    /// The finding that this file contains the measurements of `other`, which belongs to another processor:
    /// the files are equal, or at least 99 % of the common records have the same solvers, times and
    /// workspaces, either directly or with height and width swapped.
    pub fn copied_from(&self, other: &Measurements<'_>) -> Option<Finding> {
        let copied =
            |count: u64, detail| Finding { count, ..of_file(&rules::COPIED_MEASUREMENTS, self.file, detail) };
        // Files without records contain no measurements.
        if self.bytes == other.bytes && !self.records.is_empty() {
            let what = format!("every byte is that of {}", other.file);
            return Some(copied(self.records.len() as u64, what));
        }
        let (as_is, swapped) = (self.common(other, false), self.common(other, true));
        // Square problems are their own mirror images, so a mirrored file is also mostly equal directly.
        let (common, how) = match swapped.same > as_is.same {
            true => (swapped, " with height and width exchanged"),
            false => (as_is, ""),
        };
        common.is_copy().then(|| copied(common.same, self.said(other, common, how)))
    }

    fn said(&self, other: &Measurements<'_>, common: CommonRecords, how: &str) -> String {
        format!(
            "{} of {} records that {} also has{how} are the same in solvers, times and workspaces",
            common.same, common.all, other.file
        )
    }

    fn common(&self, other: &Measurements<'_>, swapped: bool) -> CommonRecords {
        let mut common = CommonRecords::default();
        for (key, record) in &self.records {
            let found = if swapped {
                let Ok(problem) = record.problem() else { continue };
                let mirrored = problem.transposed();
                match mirrored == problem {
                    true => other.records.get(key),
                    false => other.records.get(mirrored.to_string().as_bytes()),
                }
            } else {
                other.records.get(key)
            };
            let Some(found) = found else { continue };
            common.all += 1;
            common.same += u64::from(found.content == record.content || same(record, found));
            if common.all == 1000 && common.same < 500 {
                // Already too different for a copy.
                break;
            }
        }
        common
    }
}

/// Whether two records have the same solvers, times and workspaces, in whichever form they are written.
fn same(a: &text::Record<'_>, b: &text::Record<'_>) -> bool {
    let read = |record: &text::Record<'_>| {
        let mut all: Vec<_> = items(record)
            .flatten()
            .map(|item| (item.solver.to_owned(), item.time_ms.to_bits(), item.workspace))
            .collect();
        all.sort();
        all
    };
    read(a) == read(b)
}
