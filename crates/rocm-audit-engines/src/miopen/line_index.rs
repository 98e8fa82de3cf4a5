//! Where the lines of a text database begin, by their keys: for many look-ups in one database.

use super::text::{self, Record};
use memchr::memchr_iter;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read};

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
    /// The one key that was looked for; `None` where all lines are known.
    only: Option<String>,
}

/// Bytes that are read at a time: they stay in a processor's cache while they are looked through.
const BLOCK: usize = 128 << 10;

impl LineIndex {
    /// Looks for the first line of one key, block by block: for a large file that costs less than mapping it.
    ///
    /// # Errors
    /// What the system says of reading.
    pub fn of_key(mut file: impl Read, key: &str) -> io::Result<LineIndex> {
        let wanted = [key.as_bytes(), b"="].concat();
        let mut block = vec![0; BLOCK.max(2 * wanted.len())];
        let (mut offset, mut number, mut kept, mut at_start) = (0, 0, 0, true);
        loop {
            let read = file.read(block.get_mut(kept..).unwrap_or_default())?;
            let text = block.get(..kept + read).unwrap_or_default();
            let first = at_start.then_some(0);
            let mut undecided = None;
            for start in first.into_iter().chain(memchr_iter(b'\n', text).map(|end| end + 1)) {
                let line = text.get(start..).unwrap_or_default();
                // What is left of a block may be too short to tell.
                if line.len() < wanted.len() && read > 0 {
                    undecided = Some(start);
                    break;
                }
                number += 1;
                if line.starts_with(&wanted) {
                    let lines = vec![(hash_of(key.as_bytes()), offset + start as u64, number)];
                    return Ok(LineIndex { lines, only: Some(key.to_owned()) });
                }
            }
            if read == 0 {
                return Ok(LineIndex { lines: Vec::new(), only: Some(key.to_owned()) });
            }
            let (end, begin) = (text.len(), undecided.unwrap_or(text.len()));
            block.copy_within(begin..end, 0);
            (offset, kept, at_start) = (offset + begin as u64, end - begin, undecided.is_some());
        }
    }

    /// Reads all lines of a database.
    pub fn of_database(bytes: &[u8]) -> LineIndex {
        let records = text::records(bytes).flatten().filter(|record| record.key.len() >= SHORTEST_KEY);
        let mut lines: Vec<_> =
            records.map(|record| (hash_of(record.key), record.offset, record.line)).collect();
        lines.sort_unstable();
        LineIndex { lines, only: None }
    }

    /// The first line with a key, as [`text::find`] finds it, in the database that the index is of.
    pub fn find<'a>(&self, bytes: &'a [u8], key: &str) -> Option<Record<'a>> {
        let is_other = self.only.as_ref().is_some_and(|only| only != key);
        if is_other || self.only.is_none() && key.len() < SHORTEST_KEY {
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

    /// Gives so many bytes at a time.
    struct InPieces<'a>(&'a [u8], usize);

    impl Read for InPieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(into.len());
            self.0.read(&mut into[..most])
        }
    }

    #[test]
    fn one_key_is_found_wherever_blocks_end() {
        let long = "x".repeat(300);
        let text = format!("\nab=1\n\nabc={long}\n{long}ab=2\nab=3\nno line\nlast=4");
        let bytes = text.as_bytes();
        for pieces in [1, 2, 3, 7, 64, 301, 4096] {
            for wanted in ["ab", "abc", "last", "no line", "x", "as", "ab=1"] {
                let index = LineIndex::of_key(InPieces(bytes, pieces), wanted).unwrap();
                assert_eq!(index.find(bytes, wanted), text::find(bytes, wanted), "{wanted} by {pieces}");
                // Of other keys it knows nothing, and reads the text.
                assert_eq!(index.find(bytes, "abc"), text::find(bytes, "abc"));
            }
        }
        let large = format!("{}ab=found", "abcd=1234567890\n".repeat(3 * BLOCK / 16));
        let index = LineIndex::of_key(large.as_bytes(), "ab").unwrap();
        let found = index.find(large.as_bytes(), "ab").expect("a line");
        assert_eq!((found.line, found.content), (3 * BLOCK as u64 / 16 + 1, &b"found"[..]));
    }
}
