//! When libraries first and last named a processor: dates and commits in public histories.
//!
//! The table is written by `cargo oracle history`. It says what a repository's authors did, not what an
//! install has, and not why they did it.

use rocm_audit_files::sorted_rows::SortedRows as _;
use std::sync::LazyLock;

/// A commit in which a library's files named a processor for the first or last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The processor.
    pub processor: &'static str,
    /// The library.
    pub library: &'static str,
    /// Whether it is the first such commit; otherwise it is the last.
    pub is_first: bool,
    /// `2021-12-22`.
    pub date: &'static str,
    /// The commit.
    pub commit: &'static str,
    /// `ROCm/MIOpen`.
    pub repository: &'static str,
    /// The files that were examined.
    pub place: &'static str,
    /// First line of the commit message.
    pub subject: &'static str,
}

/// All events, by processor and library.
static EVENTS: LazyLock<Vec<Event>> =
    LazyLock::new(|| include_str!("history.tsv").lines().filter_map(Event::row).collect());

impl Event {
    fn row(line: &'static str) -> Option<Event> {
        let mut columns = line.split('\t');
        let processor = columns.next().filter(|first| !first.starts_with('#'))?;
        Some(Event {
            processor,
            library: columns.next()?,
            is_first: columns.next()? == "first",
            date: columns.next()?,
            commit: columns.next()?,
            repository: columns.next()?,
            place: columns.next()?,
            subject: columns.next()?,
        })
    }
}

/// Words in commit messages for removing something.
const TAKES_OUT: [&str; 4] = ["remove", "drop", "exclude", "delete"];

impl Event {
    /// Whether the commit message says that it removes the processor, or a feature for it.
    pub fn takes_out(&self) -> bool {
        let subject = self.subject.to_ascii_lowercase();
        !self.is_first
            && subject.contains(self.processor)
            && TAKES_OUT.iter().any(|word| subject.contains(word))
    }
}

/// The events of a processor, earliest first.
pub fn processor_events(processor: &str) -> Vec<&'static Event> {
    let mut events: Vec<&Event> = EVENTS.iter().filter(|event| event.processor == processor).collect();
    events.sort_rows_by_key(|event| event.date);
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_columns_and_a_known_processor() {
        let rows = include_str!("history.tsv").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(rows.count(), EVENTS.len());
        for event in EVENTS.iter() {
            assert!(amdgpu_object::target::Processor::by_name(event.processor).is_some(), "{event:?}");
            let is_date =
                event.date.len() == 10 && event.date.split('-').all(|part| part.parse::<u32>().is_ok());
            assert!(is_date && event.commit.len() == 12 && !event.subject.is_empty(), "{event:?}");
        }
    }

    #[test]
    fn a_processor_has_a_first_and_a_last_commit() {
        // From the public history of ROCm/Tensile: pull request 1595.
        let tensile: Vec<_> =
            processor_events("gfx900").into_iter().filter(|event| event.library == "Tensile").collect();
        assert_eq!(tensile.iter().map(|event| event.is_first).collect::<Vec<_>>(), [true, false]);
        assert_eq!((tensile[1].date, tensile[1].commit), ("2022-09-23", "41236e39cf93"));
        assert!(processor_events("gfx9999").is_empty());
        // Composable Kernel's pull request 1351 says so for gfx900 and gfx906; Tensile's adds others.
        let out = |name| {
            processor_events(name).into_iter().filter(|event| event.takes_out()).map(|event| event.library)
        };
        assert_eq!(out("gfx906").collect::<Vec<_>>(), ["Composable Kernel"]);
        assert_eq!(out("gfx1100").count(), 0);
    }
}
