//! Defects of MIOpen's databases: records that no request can match, that were measured on something else, or that
//! MIOpen skips.

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
use crate::finding::severity::Severity;

/// Examples that are kept of a defect.
pub const EXAMPLES: usize = 3;

/// Longest text of an example, in bytes.
const EXAMPLE_BYTES: usize = 160;

macro_rules! classes {
    ($($name:ident $id:literal $severity:ident $effect:literal)*) => {
        /// Kinds of defects.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Class { $($name),* }

        impl Class {
            /// All of them.
            pub const ALL: &'static [Class] = &[$(Class::$name),*];

            /// Its id.
            pub fn id(self) -> &'static str {
                match self { $(Class::$name => $id),* }
            }

            /// How much it matters.
            pub fn severity(self) -> Severity {
                match self { $(Class::$name => Severity::$severity),* }
            }

            /// What follows from it, in a sentence.
            pub fn effect(self) -> &'static str {
                match self { $(Class::$name => $effect),* }
            }
        }
    };
}

// An error: MIOpen takes a wrong answer, or finds nothing in a whole file. A warning: single records are never found or
// skipped, or a device runs with defaults. A note: only space is lost.
classes! {
    Swapped "miopen-swapped-height-width" Error
        "MIOpen writes height before width, so that a problem that is not square misses its record, or hits that of its \
         mirror image."
    Copied "miopen-copied-measurements" Error
        "The times are those of another processor, and may name solvers that do not run on this one."
    ZeroTime "miopen-zero-time" Error
        "A time of 0 sorts first, so MIOpen takes this solver without it having been measured."
    MalformedKey "miopen-malformed-key" Warning
        "No request has such a key, so the record is never found."
    LayoutOfFewerDimensions "miopen-3d-layout" Warning
        "3D requests have the layout NCDHW, so the record is never found."
    IllFormed "miopen-ill-formed-record" Warning
        "MIOpen logs an error and leaves the line or the item out."
    DuplicateKey "miopen-duplicate-key" Note
        "Of two lines with the same key only the first is read."
    NotASolver "miopen-retired-solver" Warning
        "MIOpen's registry has no convolution solver of this name; it skips the entry, even where it is the fastest."
    DeadPerfRow "miopen-dead-perf-row" Note
        "No solver asks for these parameters; they only take space."
    ImpossibleName "miopen-impossible-name" Error
        "MIOpen makes up no such name for any device, so the file is only found by a nearest search that works, which \
         text databases do not have."
    NoPerfDb "miopen-no-perf-db" Warning
        "A build that reads text perf-dbs runs this device's kernels with default parameters."
    Pointer "miopen-lfs-pointer" Error
        "The file was not fetched: MIOpen opens it and finds nothing."
}

/// How sure a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The bytes leave no other reading.
    Proven,
    /// The bytes speak for it, too few to exclude chance.
    Likely,
}

/// Where a defect shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Line of a text database, row of one in SQLite.
    pub line: Option<u64>,
    /// The key, the name or the solver that is wrong.
    pub text: String,
}

/// A defect of one database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Its kind.
    pub class: Class,
    /// The file.
    pub file: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// How many records, items or rows have it; 1 for a file as a whole.
    pub count: u64,
    /// The numbers behind it, as a sentence.
    pub detail: String,
    /// The first ones.
    pub examples: Vec<Example>,
}

impl Defect {
    fn new(class: Class, file: &str) -> Defect {
        Defect {
            class,
            file: file.to_owned(),
            certainty: Certainty::Proven,
            count: 0,
            detail: String::new(),
            examples: Vec::new(),
        }
    }

    /// A defect of the file as a whole.
    fn of_file(class: Class, file: &str, detail: String) -> Defect {
        Defect { count: 1, detail, ..Defect::new(class, file) }
    }

    fn add(&mut self, line: u64, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            let mut text = text();
            // The longest beginning that is text and not too long.
            let end = (0..=EXAMPLE_BYTES.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
            text.truncate(end.unwrap_or(0));
            self.examples.push(Example { line: Some(line), text });
        }
    }
}

/// The key as an example shows it.
fn shown(record: &Record<'_>) -> String {
    String::from_utf8_lossy(record.key.get(..EXAMPLE_BYTES).unwrap_or(record.key)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_distinct_and_effects_are_sentences() {
        let ids: HashSet<_> = Class::ALL.iter().map(|class| class.id()).collect();
        assert_eq!(ids.len(), Class::ALL.len());
        assert!(Class::ALL.iter().all(|c| c.effect().ends_with('.') && !c.effect().contains("  ")));
    }
}
