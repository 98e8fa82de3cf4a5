//! Where the lines of a text database begin, by their keys: for many look-ups in one database.

use super::text::{self, Record};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Shorter keys are looked for in the text: no problem has one, and with them the lines of a file could take
/// more memory than the file.
const SHORTEST_KEY: usize = 24;

/// Look-ups from which on making an index costs less than reading the text for each.
pub const WORTH_IT: usize = 8;

/// The lines of a database, sorted.
#[derive(Debug, Clone, Default)]
pub struct LineIndex {
    /// Hash of the key, offset of the line, number of the line.
    lines: Vec<(u64, u64, u64)>,
}

impl LineIndex {
    /// Reads all lines of a database.
    pub fn of_database(bytes: &[u8]) -> LineIndex {
        let records = text::records(bytes).flatten().filter(|record| record.key.len() >= SHORTEST_KEY);
        let mut lines: Vec<_> =
            records.map(|record| (hash_of(record.key), record.offset, record.line)).collect();
        lines.sort_unstable();
        LineIndex { lines }
    }

    /// The first line with a key, as [`text::find`] finds it, in the database that the index is of.
    pub fn find<'a>(&self, bytes: &'a [u8], key: &str) -> Option<Record<'a>> {
        if key.len() < SHORTEST_KEY {
            return text::find(bytes, key);
        }
        let hash = hash_of(key.as_bytes());
        let first = self.lines.partition_point(|(other, ..)| *other < hash);
        let same = self.lines.get(first..)?.iter().take_while(|(other, ..)| *other == hash);
        let mut records = same.filter_map(|(_, offset, line)| text::at(bytes, *offset, *line));
        records.find(|record| record.key == key.as_bytes())
    }
}

fn hash_of(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_finds_what_the_text_has() {
        let key = |n: u32| format!("16-7-7-1x1-16-7-7-{n}-0x0-1x1-1x1-0-NCHW-FP32-F");
        let mut lines: Vec<String> = (0..40).map(|n| format!("{}=a:{n}", key(n))).collect();
        lines.push(format!("{}=second", key(3)));
        lines.extend(["short=1".to_owned(), String::new(), "no key, but as long as one".to_owned()]);
        let text = lines.join("\n");
        let bytes = text.as_bytes();
        let index = LineIndex::of_database(bytes);
        for wanted in
            (0..41).map(key).chain(["short", "none", "", "no key, but as long as one"].map(str::to_owned))
        {
            assert_eq!(index.find(bytes, &wanted), text::find(bytes, &wanted), "{wanted}");
        }
        assert_eq!(index.find(bytes, &key(3)).expect("a line").content, b"a:3");
        assert!(LineIndex::default().find(bytes, &key(3)).is_none());
    }
}
