//! What can go wrong: bytes that are not what they should be.

use crate::limits::PROBLEMS_PER_FILE;
use std::fmt;

answer! {
    /// Bytes that are not what a format says they must be.
    ///
    /// The offset is absolute in the file that was opened, or, where `unpacked` is set, in the inflated bytes of a
    /// compressed bundle or package. Parsers never know paths: whoever opened the file adds it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ParseError {
        /// What kind of error it is.
        copy kind: ParseErrorKind,
        /// What was found, what was expected, as a sentence without the offset.
        text what: String,
        /// Absolute offset in bytes at which it was found.
        copy offset: u64,
        /// True where the offset counts inflated bytes, not bytes of the file.
        copy unpacked: bool,
    }
}

impl ParseErrorKind {
    /// The kind of what a decompressor, or a budget in front of it, says of a stream.
    pub fn of_stream(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => ParseErrorKind::CutEnd,
            std::io::ErrorKind::QuotaExceeded => ParseErrorKind::InflatesTooFar,
            std::io::ErrorKind::Unsupported => ParseErrorKind::UnknownMethod,
            std::io::ErrorKind::PermissionDenied => ParseErrorKind::Encrypted,
            _ => ParseErrorKind::Malformed,
        }
    }
}

/// What can be wrong with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A value that the format does not allow; all that no other kind says better.
    Malformed,
    /// Bytes end before what their headers announce.
    CutEnd,
    /// A part claims bytes of another.
    Overlap,
    /// Content of another size than its header says.
    WrongSize,
    /// Content that does not match its checksum.
    WrongHash,
    /// More inflated bytes than are believed of the input's size.
    InflatesTooFar,
    /// More parts than are read of one file.
    TooMany,
    /// More steps than are believed of the input's size.
    WorkLimit,
    /// Two members of one name.
    DoubledName,
    /// A member whose path leads out of its package.
    UnsafePath,
    /// A compression method that is not read.
    UnknownMethod,
    /// Encrypted content.
    Encrypted,
    /// Containers nested deeper than is read.
    TooDeep,
}

impl ParseError {
    /// An error at an absolute file offset, of the kind [`ParseErrorKind::Malformed`].
    #[cold]
    pub fn new(offset: u64, what: impl Into<String>) -> Self {
        ParseError { kind: ParseErrorKind::Malformed, what: what.into(), offset, unpacked: false }
    }

    /// The same error as one of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ParseErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same error in other words.
    #[must_use]
    pub fn saying(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    /// The same error in a file in which the bytes that were read begin at `base`.
    #[must_use]
    pub fn moved_by(mut self, base: u64) -> Self {
        self.offset = self.offset.saturating_add(base);
        self
    }

    /// The same error, its offset understood as one in inflated bytes.
    #[must_use]
    pub fn in_unpacked(mut self) -> Self {
        self.unpacked = true;
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.unpacked { "in the unpacked bytes, " } else { "" };
        write!(f, "{} ({place}at offset {:#x})", self.what, self.offset)
    }
}

impl std::error::Error for ParseError {}

/// The result of parsing.
pub type Parsed<T> = Result<T, ParseError>;

/// Errors of one file, as they are found: the first [`PROBLEMS_PER_FILE`] are kept, the others counted, so that a
/// hostile file cannot make them many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParseErrors {
    kept: Vec<ParseError>,
    more: u64,
}

impl ParseErrors {
    /// Keeps or counts one more.
    pub fn push(&mut self, error: ParseError) {
        if self.kept.len() < PROBLEMS_PER_FILE {
            self.kept.push(error);
        } else {
            self.more += 1;
        }
    }

    /// Keeps or counts each.
    pub fn extend(&mut self, errors: impl IntoIterator<Item = ParseError>) {
        errors.into_iter().for_each(|error| self.push(error));
    }

    /// Takes over those of a part.
    pub fn append(&mut self, other: ParseErrors) {
        other.kept.into_iter().for_each(|error| self.push(error));
        self.more += other.more;
    }

    /// The same errors, their offsets understood as ones in inflated bytes.
    #[must_use]
    pub fn in_unpacked(mut self) -> Self {
        self.kept.iter_mut().for_each(|error| error.unpacked = true);
        self
    }

    /// The same errors, each as `change` makes it.
    #[must_use]
    pub fn map(mut self, change: impl Fn(ParseError) -> ParseError) -> Self {
        self.kept = self.kept.into_iter().map(change).collect();
        self
    }

    /// Those that were kept.
    pub fn iter(&self) -> impl Iterator<Item = &ParseError> {
        self.kept.iter()
    }

    /// How many were not kept.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// True where nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

impl FromIterator<ParseError> for ParseErrors {
    fn from_iter<I: IntoIterator<Item = ParseError>>(errors: I) -> Self {
        let mut all = ParseErrors::default();
        errors.into_iter().for_each(|error| all.push(error));
        all
    }
}
