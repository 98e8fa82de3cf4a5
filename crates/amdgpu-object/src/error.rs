//! Errors of parsing: bytes that are not as expected.

use crate::limits::PROBLEMS_PER_FILE;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

answer! {
    /// Bytes that violate a format.
    ///
    /// The offset is absolute in the opened file or, if `unpacked` is set, in the inflated bytes of a
    /// compressed bundle or package. Parsers never know paths: the caller that opened the file adds them.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ParseError {
        /// Kind of error.
        copy kind: ParseErrorKind,
        /// What was found and what was expected, as a sentence without the offset.
        text what: String,
        /// Absolute offset of the error in bytes.
        copy offset: u64,
        /// True if the offset counts inflated bytes, not bytes of the file.
        copy unpacked: bool,
    }
}

impl ParseErrorKind {
    /// The kind for an error that a decompressor, or the budget in front of it, returns for a stream.
    #[cfg(feature = "std")]
    pub fn of_stream(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => ParseErrorKind::CutEnd,
            std::io::ErrorKind::QuotaExceeded => ParseErrorKind::InflatesTooFar,
            std::io::ErrorKind::Unsupported => ParseErrorKind::UnknownMethod,
            std::io::ErrorKind::PermissionDenied => ParseErrorKind::Encrypted,
            std::io::ErrorKind::OutOfMemory => ParseErrorKind::OutOfMemory,
            _ => ParseErrorKind::Malformed,
        }
    }
}

/// Kinds of parse errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A value that the format does not allow; used if no other kind fits better.
    Malformed,
    /// Bytes end before the size that their headers state.
    CutEnd,
    /// A part overlaps another.
    Overlap,
    /// Content with another size than its header states.
    WrongSize,
    /// Content that does not match its checksum.
    WrongHash,
    /// More inflated bytes than plausible for the input's size.
    InflatesTooFar,
    /// More parts than the limit for one file.
    TooMany,
    /// More steps than plausible for the input's size.
    WorkLimit,
    /// Two members with the same name.
    DoubledName,
    /// A member with a path that leads out of its package.
    UnsafePath,
    /// An unsupported compression method.
    UnknownMethod,
    /// Encrypted content.
    Encrypted,
    /// Containers nested beyond the limit.
    TooDeep,
    /// The machine did not give the memory for reading: nothing is known of the bytes.
    OutOfMemory,
}

impl ParseError {
    /// An error of kind [`ParseErrorKind::Malformed`] at an absolute file offset.
    #[cold]
    pub fn new(offset: u64, what: impl Into<String>) -> Self {
        ParseError { kind: ParseErrorKind::Malformed, what: what.into(), offset, unpacked: false }
    }

    /// This error with another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ParseErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// This error with another text.
    #[must_use]
    pub fn saying(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    /// This error with its offset moved, for bytes that begin at `base` in the file.
    #[must_use]
    pub fn moved_by(mut self, base: u64) -> Self {
        self.offset = self.offset.saturating_add(base);
        self
    }

    /// This error with its offset marked as one in inflated bytes.
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

impl core::error::Error for ParseError {}

/// The result of parsing.
pub type Parsed<T> = Result<T, ParseError>;

/// Errors in one file, in the order found: the first [`PROBLEMS_PER_FILE`] are kept and the others counted,
/// so that a hostile file cannot produce many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParseErrors {
    kept: Vec<ParseError>,
    more: u64,
}

impl ParseErrors {
    /// Keeps or counts one more error.
    pub fn push(&mut self, error: ParseError) {
        if self.kept.len() < PROBLEMS_PER_FILE {
            self.kept.push(error);
        } else {
            self.more += 1;
        }
    }

    /// Keeps or counts each error.
    pub fn extend(&mut self, errors: impl IntoIterator<Item = ParseError>) {
        errors.into_iter().for_each(|error| self.push(error));
    }

    /// Adds the errors of a part.
    pub fn append(&mut self, other: ParseErrors) {
        other.kept.into_iter().for_each(|error| self.push(error));
        self.more += other.more;
    }

    /// These errors with their offsets marked as ones in inflated bytes.
    #[must_use]
    pub fn in_unpacked(mut self) -> Self {
        self.kept.iter_mut().for_each(|error| error.unpacked = true);
        self
    }

    /// These errors, each changed by `change`.
    #[must_use]
    pub fn map(mut self, change: impl Fn(ParseError) -> ParseError) -> Self {
        self.kept = self.kept.into_iter().map(change).collect();
        self
    }

    /// The kept errors.
    pub fn iter(&self) -> impl Iterator<Item = &ParseError> {
        self.kept.iter()
    }

    /// Number of errors that were not kept.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// True without errors.
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
