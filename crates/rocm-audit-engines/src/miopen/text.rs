//! The lines of MIOpen's text databases, both find-dbs and perf-dbs: `KEY=CONTENT`.
//!
//! They are split like in `ReadonlyRamDb::Prefetch` of MIOpen 3.3.0 (`src/readonlyramdb.cpp`): lines end at
//! `\n`, empty ones are skipped, the key ends at the first `=` and is not empty. If two lines have the same
//! key, the first counts.

use super::problem::ConvolutionProblem;
use memchr::{memchr, memchr_iter};
use std::fmt;

/// A line with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Number of the line, from 1.
    pub line: u64,
    /// Offset of the line in the file.
    pub offset: u64,
    /// The text before the first `=`.
    pub key: &'a [u8],
    /// The text after it.
    pub content: &'a [u8],
}

/// A line, or an item in one, that MIOpen logs and ignores, or that no request can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// Number of the line, from 1.
    pub line: u64,
    /// Offset of the error in the file.
    pub offset: u64,
    /// What was expected at the offset.
    pub expected: &'static str,
}

impl Malformed {
    /// What was expected, without the line.
    pub(super) fn unplaced(&self) -> String {
        format!("expected {} at offset {:#x}", self.expected, self.offset)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.unplaced())
    }
}

impl std::error::Error for Malformed {}

impl<'a> Record<'a> {
    /// Where `content` begins in the file.
    pub fn content_offset(&self) -> u64 {
        self.offset + self.key.len() as u64 + 1
    }

    /// The key as text.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if it is not UTF-8.
    pub fn key_text(&self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.key).map_err(|e| Malformed {
            line: self.line,
            offset: self.offset + e.valid_up_to() as u64,
            expected: "a key in ASCII",
        })
    }

    /// The problem in a find-db's key.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if the key is outside of the grammar; no request can match such a record.
    pub fn problem(&self) -> Result<ConvolutionProblem<'a>, Malformed> {
        ConvolutionProblem::parse(self.key_text()?).map_err(|e| Malformed {
            line: self.line,
            offset: self.offset + e.at as u64,
            expected: e.expected,
        })
    }

    /// The items between `;`, each with its offset in the file. Like with `std::getline`, no item follows a
    /// final `;`.
    pub(super) fn items(&self) -> Split<'a> {
        Split { rest: self.content, offset: self.content_offset() }
    }
}

/// Iterates over [`Record::items`].
#[derive(Debug, Clone)]
pub(super) struct Split<'a> {
    rest: &'a [u8],
    offset: u64,
}

impl<'a> Iterator for Split<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let offset = self.offset;
        let (item, rest) = cut(self.rest, b';').unwrap_or((self.rest, &[]));
        self.offset += item.len() as u64 + 1;
        self.rest = rest;
        Some((offset, item))
    }
}

/// Splits at the first `byte`.
pub(super) fn cut(bytes: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr(byte, bytes)?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

/// Number of lines, like `wc -l`, but a last line without an end counts.
pub fn lines(bytes: &[u8]) -> u64 {
    let unfinished = bytes.last().is_some_and(|&b| b != b'\n');
    memchr_iter(b'\n', bytes).count() as u64 + u64::from(unfinished)
}

/// All lines of a text database in order, including repeated keys.
pub fn records(bytes: &[u8]) -> Records<'_> {
    Records { rest: bytes, line: 0, offset: 0 }
}

/// Iterates over the lines of a text database.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    rest: &'a [u8],
    line: u64,
    offset: u64,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let offset = self.offset;
            let (text, rest) = cut(self.rest, b'\n').unwrap_or((self.rest, &[]));
            self.rest = rest;
            self.line += 1;
            self.offset += text.len() as u64 + 1;
            if !text.is_empty() {
                return Some(record(text, self.line, offset));
            }
        }
    }
}

fn record(text: &[u8], line: u64, offset: u64) -> Result<Record<'_>, Malformed> {
    match cut(text, b'=') {
        Some((key, content)) if !key.is_empty() => Ok(Record { line, offset, key, content }),
        Some(_) => Err(Malformed { line, offset, expected: "a key before '='" }),
        None => Err(Malformed { line, offset, expected: "a key and '='" }),
    }
}

/// The first line with a key, found without splitting the lines before it.
///
/// If the file is mapped, the caller should announce that all of it is read, by
/// [`SourceFile::expect`](amdgpu_object::source::SourceFile::expect) with
/// [`Access::Content`](amdgpu_object::source::Access::Content).
pub fn find<'a>(bytes: &'a [u8], key: &str) -> Option<Record<'a>> {
    // A key ends at the first `=`, and a line at `\n`, so no line has such a key.
    if key.is_empty() || key.contains(['=', '\n']) {
        return None;
    }
    // Keys are made of digits and so is most of the text, so that no byte of a key is rare in it: looking
    // at each line's beginning takes a third of the time that a search for the key takes.
    let wanted = [key.as_bytes(), b"="].concat();
    let starts = std::iter::once(0).chain(memchr_iter(b'\n', bytes).map(|end| end + 1));
    let has_key = |start: usize| bytes.get(start..).is_some_and(|rest| rest.starts_with(&wanted));
    let (before, start) = starts.enumerate().find(|(_, start)| has_key(*start))?;
    at(bytes, start as u64, before as u64 + 1)
}

/// The line that begins at an offset.
pub(super) fn at(bytes: &[u8], offset: u64, line: u64) -> Option<Record<'_>> {
    let rest = bytes.get(usize::try_from(offset).ok()?..)?;
    let text = cut(rest, b'\n').map_or(rest, |(text, _)| text);
    record(text, line, offset).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"a=1;2;\n\nno key\n=2\nab=x=y\na=second\nlast=";

    #[test]
    fn lines_split_as_miopen_splits_them() {
        let got: Vec<_> = records(TEXT)
            .map(|r| r.map(|r| (r.line, r.offset, r.key, r.content)).map_err(|e| (e.line, e.offset)))
            .collect();
        assert_eq!(
            got,
            [
                Ok((1, 0, &b"a"[..], &b"1;2;"[..])),
                Err((3, 8)),
                Err((4, 15)),
                Ok((5, 18, &b"ab"[..], &b"x=y"[..])),
                Ok((6, 25, &b"a"[..], &b"second"[..])),
                Ok((7, 34, &b"last"[..], &b""[..])),
            ]
        );
        let first = records(TEXT).next().unwrap().unwrap();
        assert_eq!(first.items().collect::<Vec<_>>(), [(2, &b"1"[..]), (4, &b"2"[..])]);
    }

    #[test]
    fn finding_gives_what_reading_gives() {
        for key in ["a", "ab", "last"] {
            let read = records(TEXT).flatten().find(|r| r.key == key.as_bytes());
            assert_eq!(find(TEXT, key), read, "{key}");
            assert!(read.is_some());
        }
        for key in ["", "b", "ab=x", "no key", "\nab", "as"] {
            assert_eq!(find(TEXT, key), None, "{key:?}");
        }
    }
}
