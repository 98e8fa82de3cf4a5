//! Where a member is unpacked to: memory while it is small, or fits into what all members may take together,
//! an unnamed temporary file beyond.
//!
//! The file is unlinked as soon as it exists, so nothing is left of it however the run ends, and nothing is
//! ever written beside an input. It is mapped like any other file: only the pages that are looked at count.

use crate::budget::DepthShare;
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::MEMBER_IN_MEMORY;
use amdgpu_object::locator::Locator;
use amdgpu_object::source::SourceFile;
use amdgpu_object::source::member_memory::MemberMemory;
use amdgpu_object::source::temporary::Temporary;
use std::io::{self, Read, Write};

/// Why a member was not read to its end, in a sentence.
#[derive(Debug)]
pub(super) enum Failure {
    Stream(String, ParseErrorKind),
    Disk(String),
}

impl Failure {
    pub fn what(self) -> String {
        match self {
            Failure::Stream(what, _) | Failure::Disk(what) => what,
        }
    }

    /// The kind of parse error that it makes.
    pub fn kind(&self) -> ParseErrorKind {
        match self {
            Failure::Stream(_, kind) => *kind,
            Failure::Disk(_) => ParseErrorKind::Malformed,
        }
    }
}

/// A sentence for what the system says of a temporary file.
pub(super) fn no_temporary_file(error: &io::Error) -> String {
    Temporary::failed(error)
}

/// What has been read of a member.
#[derive(Default)]
pub(super) struct Spool {
    place: SpoolPlace,
    len: u64,
    /// Of members that have a CRC-32 to compare with.
    crc: Option<crc32fast::Hasher>,
}

/// Where it is.
enum SpoolPlace {
    /// A small member, or one whose size is not known yet.
    Small(Vec<u8>),
    /// A larger one, in its share of the memory for members.
    Held(MemberMemory),
    File(Temporary),
}

impl Default for SpoolPlace {
    fn default() -> Self {
        SpoolPlace::Small(Vec::new())
    }
}

impl SpoolPlace {
    /// The memory that `len` bytes and `more` fit into.
    fn memory(&mut self, len: u64, more: u64) -> Option<&mut Vec<u8>> {
        match self {
            SpoolPlace::Small(bytes) => Some(bytes).filter(|_| len + more <= MEMBER_IN_MEMORY),
            SpoolPlace::Held(memory) if len + more <= memory.room() => Some(memory.bytes_mut()),
            _ => None,
        }
    }

    /// The file for what does not fit into memory.
    fn file(&mut self) -> io::Result<&mut Temporary> {
        let moved = match self {
            SpoolPlace::Small(bytes) => Some(&bytes[..]),
            SpoolPlace::Held(memory) => Some(memory.bytes()),
            SpoolPlace::File(_) => None,
        };
        if let Some(bytes) = moved {
            let mut file = Temporary::new()?;
            file.write_all(bytes)?;
            *self = SpoolPlace::File(file);
        }
        match self {
            SpoolPlace::File(file) => Ok(file),
            _ => Err(io::ErrorKind::Other.into()),
        }
    }
}

/// Bytes read in one step.
const STEP: usize = 256 << 10;

impl Spool {
    /// Begins with bytes that were read already. `size` is how long it is going to be, as far as is known.
    pub fn begin(head: &[u8], size: Option<u64>) -> io::Result<Self> {
        let place = match size {
            Some(size) if size > MEMBER_IN_MEMORY => match MemberMemory::reserve(size) {
                Some(memory) => SpoolPlace::Held(memory),
                None => SpoolPlace::File(Temporary::new()?),
            },
            size => SpoolPlace::Small(Vec::with_capacity(size.unwrap_or_default() as usize)),
        };
        let mut spool = Spool { place, ..Spool::default() };
        spool.push(head)?;
        Ok(spool)
    }

    /// The same where the CRC-32 of what comes is asked for.
    pub fn with_crc(self) -> Self {
        Spool { crc: Some(crc32fast::Hasher::new()), ..self }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.place.memory(self.len, bytes.len() as u64) {
            Some(memory) => memory.extend_from_slice(bytes),
            None => self.place.file()?.write_all(bytes)?,
        }
        self.crc.iter_mut().for_each(|crc| crc.update(bytes));
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Reads on to the end, `most` bytes in all. What was read before an error is kept.
    ///
    /// # Errors
    /// Where the stream is broken or the temporary file cannot be written.
    pub fn fill(&mut self, from: &mut dyn Read, most: u64) -> Result<(), Failure> {
        // Filled with zeros once, and overwritten by each step.
        let mut buffer = Vec::new();
        while self.len < most {
            let step = STEP.min(usize::try_from(most - self.len).unwrap_or(STEP));
            // Into the place where it stays, where that is memory: nothing is copied then.
            let (into, in_memory) = match self.place.memory(self.len, step as u64) {
                Some(memory) => (memory, true),
                None => (&mut buffer, false),
            };
            let begin = if in_memory { into.len() } else { 0 };
            if into.len() < begin + step {
                into.resize(begin + step, 0);
            }
            let read = loop {
                match from.read(into.get_mut(begin..begin + step).unwrap_or_default()) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            if in_memory {
                into.truncate(begin + read.as_ref().map_or(0, |read| *read));
            }
            match read {
                Ok(0) => break,
                Ok(read) if in_memory => {
                    let new = into.get(begin..).unwrap_or_default();
                    self.crc.iter_mut().for_each(|crc| crc.update(new));
                    self.len += read as u64;
                }
                Ok(read) => self
                    .push(buffer.get(..read).unwrap_or_default())
                    .map_err(|e| Failure::Disk(no_temporary_file(&e)))?,
                Err(error) => {
                    let kind = ParseErrorKind::of_stream(&error);
                    let what = format!("is broken after {} bytes: {error}", self.len);
                    return Err(Failure::Stream(what, kind));
                }
            }
        }
        Ok(())
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// CRC-32 of them; 0 where it was not asked for.
    pub fn crc(&self) -> u32 {
        self.crc.clone().map_or(0, crc32fast::Hasher::finalize)
    }

    /// The bytes as a file to read.
    ///
    /// # Errors
    /// Where the temporary file cannot be mapped.
    pub fn into_source(self, locator: Locator) -> Result<SourceFile, ParseError> {
        match self.place {
            SpoolPlace::Small(bytes) => Ok(SourceFile::in_memory(locator, bytes)),
            SpoolPlace::Held(memory) => Ok(SourceFile::held(locator, memory)),
            SpoolPlace::File(file) => SourceFile::unpacked(locator, file, self.len)
                .map_err(|e| ParseError::new(0, format!("what was unpacked cannot be mapped: {e}"))),
        }
    }
}

/// A stream that counts what is read of it and ends with an error when the allowance is used up.
pub(super) struct Metered<'a> {
    stream: Box<dyn Read + Send + 'a>,
    allowance: DepthShare<'a>,
    position: u64,
}

impl<'a> Metered<'a> {
    pub fn new(stream: Box<dyn Read + Send + 'a>, allowance: DepthShare<'a>) -> Self {
        Metered { stream, allowance, position: 0 }
    }

    /// How many bytes have been read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The stream itself, and what counts how much of it is read.
    pub fn apart(self) -> (Box<dyn Read + Send + 'a>, Meter<'a>) {
        (self.stream, Meter { allowance: self.allowance, position: self.position })
    }
}

/// What a [`Metered`] stream counts with.
pub(super) struct Meter<'a> {
    allowance: DepthShare<'a>,
    position: u64,
}

impl<'a> Meter<'a> {
    /// Goes on with the rest of the stream, however that comes now.
    pub fn with(self, stream: Box<dyn Read + Send + 'a>) -> Metered<'a> {
        Metered { stream, allowance: self.allowance, position: self.position }
    }
}

impl Read for Metered<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(out)?;
        let spent = |what| io::Error::new(io::ErrorKind::QuotaExceeded, what);
        self.allowance.take(read as u64).map_err(spent)?;
        self.position += read as u64;
        Ok(read)
    }
}
