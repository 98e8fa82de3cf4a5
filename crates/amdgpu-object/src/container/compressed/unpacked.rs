//! The content of a compressed bundle as a stream: a reader inflates as much as it needs.
#![deny(clippy::indexing_slicing)]

use super::super::hash::StreamHash;
use super::super::{inflate, stream};
use super::Header;
use crate::budget::MemoryPermit;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;

/// The inflated content of a compressed bundle, read from its beginning. Inflates only what the caller reads,
/// and never more than the header declares.
pub struct Unpacked<'a> {
    decoder: Box<dyn stream::Read + 'a>,
    position: u64,
    size: u64,
    hash: Option<StreamHash>,
    expected_hash: Option<u64>,
    base: u64,
    _memory: MemoryPermit,
}

// Omits the stream, whose state does not help readers.
impl fmt::Debug for Unpacked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (position, size) = (self.position, self.size);
        f.debug_struct("Unpacked").field("position", &position).field("size", &size).finish_non_exhaustive()
    }
}

impl<'a> Unpacked<'a> {
    /// Opens the payload of the compressed bundle at the beginning of `bytes`. With `verify`, all bytes read
    /// are hashed, so that [`Unpacked::finish`] can compare. `memory` is the number of bytes that the caller
    /// will keep; opening waits until that much of [`UNPACKING_MEMORY`](crate::limits::UNPACKING_MEMORY) is free.
    ///
    /// # Errors
    ///
    /// If the decoder rejects the stream's beginning.
    pub fn open(bytes: &'a [u8], base: u64, header: &Header, verify: bool, memory: u64) -> Parsed<Self> {
        let payload = header.payload(bytes);
        let at = base + header.header_size;
        let decoder = inflate::stream(header.method, payload).map_err(|error| error.at(at))?;
        Ok(Unpacked {
            decoder,
            position: 0,
            size: header.unpacked,
            hash: header.hash.filter(|_| verify).and_then(|_| StreamHash::new()),
            expected_hash: header.hash,
            base: at,
            _memory: MemoryPermit::take(memory),
        })
    }

    /// How many inflated bytes have been read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Appends up to `count` further bytes to `out`; fewer only at the declared end.
    ///
    /// # Errors
    ///
    /// If the stream is broken or ends before its declared size.
    pub fn read_onto(&mut self, out: &mut Vec<u8>, count: u64) -> Parsed<()> {
        let count = count.min(self.size - self.position);
        let before = out.len();
        let read = stream::read_up_to(&mut *self.decoder, count, out);
        let read = read.map_err(|e| {
            let kind = stream::kind(&e);
            let why = if kind == ParseErrorKind::OutOfMemory { "is not read on" } else { "is broken" };
            let what = format!("the compressed stream {why} after {} inflated bytes: {e}", self.position);
            ParseError::new(self.base, what).of_kind(kind)
        })? as u64;
        if let Some(hash) = &mut self.hash {
            hash.update(out.get(before..).unwrap_or_default());
        }
        self.position += read;
        if read < count {
            let what = format!(
                "the stream ends after {} inflated bytes; its header declares {}",
                self.position, self.size
            );
            return Err(ParseError::new(self.base, what).of_kind(ParseErrorKind::WrongSize));
        }
        Ok(())
    }

    /// Skips `count` bytes; they are inflated and hashed, but not kept.
    ///
    /// # Errors
    ///
    /// As [`Unpacked::read_onto`].
    pub fn skip(&mut self, count: u64) -> Parsed<()> {
        let mut buffer = Vec::with_capacity(count.min(128 << 10) as usize);
        let mut left = count.min(self.size - self.position);
        while left > 0 {
            buffer.clear();
            let step = left.min(128 << 10);
            self.read_onto(&mut buffer, step)?;
            left -= step;
        }
        Ok(())
    }

    /// Reads to the end and compares hash and size; `None` if it was not opened to verify.
    ///
    /// # Errors
    ///
    /// If the stream is broken, or is longer than its header declares.
    pub fn finish(mut self) -> Parsed<Option<bool>> {
        if self.hash.is_none() {
            return Ok(None);
        }
        self.skip(u64::MAX)?;
        let mut one = [0u8; 1];
        if self.decoder.read(&mut one).is_ok_and(|count| count > 0) {
            let what = format!(
                "the stream goes on beyond the {} inflated bytes that its header declares",
                self.size
            );
            return Err(ParseError::new(self.base, what).of_kind(ParseErrorKind::WrongSize));
        }
        let expected = self.expected_hash;
        Ok(self.hash.take().map(|hash| Some(hash.finish()) == expected))
    }
}
