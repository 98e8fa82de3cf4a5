//! Streams of inflated bytes: those of the standard library, and what is needed of them where it is not.

use crate::error::ParseErrorKind;
use alloc::vec::Vec;

#[cfg(feature = "std")]
pub(super) use std::io::{Error, Read};

/// A stream of bytes.
#[cfg(not(feature = "std"))]
pub(super) trait Read {
    /// Puts bytes at the beginning of `out`, and says how many; none at the end of the stream.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Error>;
}

/// Why a stream was not read on.
#[cfg(not(feature = "std"))]
#[derive(Debug)]
pub(super) struct Error {
    kind: ParseErrorKind,
    what: &'static str,
}

#[cfg(not(feature = "std"))]
impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.what)
    }
}

/// The error for bytes that end before their stream does, or that the method does not allow.
// Decoders of some sets of features do without it.
#[allow(dead_code)]
pub(super) fn error(kind: ParseErrorKind, what: &'static str) -> Error {
    #[cfg(feature = "std")]
    return match kind {
        ParseErrorKind::CutEnd => Error::new(std::io::ErrorKind::UnexpectedEof, what),
        _ => Error::new(std::io::ErrorKind::InvalidData, what),
    };
    #[cfg(not(feature = "std"))]
    Error { kind, what }
}

/// The kind of such an error in reports.
pub(super) fn kind(error: &Error) -> ParseErrorKind {
    #[cfg(feature = "std")]
    return ParseErrorKind::of_stream(error);
    #[cfg(not(feature = "std"))]
    error.kind
}

/// Appends up to `count` bytes, fewer at the end of the stream, and says how many.
#[cfg(feature = "std")]
pub(super) fn read_up_to(stream: &mut dyn Read, count: u64, out: &mut Vec<u8>) -> Result<usize, Error> {
    stream.take(count).read_to_end(out)
}

/// The same; a piece at a time, since what a header declares may not be there.
#[cfg(not(feature = "std"))]
pub(super) fn read_up_to(stream: &mut dyn Read, count: u64, out: &mut Vec<u8>) -> Result<usize, Error> {
    const PIECE: u64 = 32 << 10;
    let before = out.len();
    loop {
        let at = out.len();
        let left = count - (at - before) as u64;
        out.resize(at + left.min(PIECE) as usize, 0);
        let read = stream.read(out.get_mut(at..).unwrap_or_default());
        out.truncate(at + *read.as_ref().unwrap_or(&0));
        if read? == 0 {
            return Ok(at - before);
        }
    }
}

/// Fills `out` and returns the number of bytes written, or its length plus one if there is more.
// Decoders of some sets of features do without it.
#[allow(dead_code)]
pub(super) fn fill_from(stream: &mut dyn Read, out: &mut [u8]) -> Result<usize, Error> {
    let mut written = 0;
    while let Some(rest) = out.get_mut(written..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest)? {
            0 => return Ok(written),
            count => written += count,
        }
    }
    let mut one = [0u8; 1];
    Ok(written + stream.read(&mut one)?)
}

/// Reads and drops up to `count` bytes.
// Decoders of some sets of features do without it.
#[allow(dead_code)]
pub(super) fn skip_up_to(stream: &mut dyn Read, mut count: u64) -> Result<(), Error> {
    let mut piece = [0u8; 4096];
    while count > 0 {
        let room = count.min(piece.len() as u64) as usize;
        match stream.read(piece.get_mut(..room).unwrap_or_default())? {
            0 => break,
            read => count -= read as u64,
        }
    }
    Ok(())
}
