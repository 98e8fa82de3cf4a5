//! What archives have in common whose members stand one after the other, each behind a header: tar, cpio, Nix
//! archives.
#![deny(clippy::indexing_slicing)]

use super::MemberKind;
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use std::io::{self, Read};

/// What a header says of the member behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub name: String,
    pub size: u64,
    /// Bytes that the header gives to a folder, link or device, which has none.
    pub ignored: u64,
    pub kind: MemberKind,
    /// Where a link leads, as far as the archive says that in the header.
    pub link: Option<Link>,
    /// What is wrong with its name, so that it may be another.
    pub name_fault: Option<&'static str>,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// Whether it is one more name of a file, and no path that is looked up.
    pub hard: bool,
    /// The other name: of a hard link from the archive's root on, of a symbolic one from its own folder on.
    pub to: String,
}

/// What is wrong with an archive: a sentence and its kind.
pub(super) type Fault = (String, ParseErrorKind);

pub(super) fn malformed(what: impl Into<String>) -> Fault {
    (what.into(), ParseErrorKind::Malformed)
}

pub(super) fn cut(what: impl Into<String>) -> Fault {
    (what.into(), ParseErrorKind::CutEnd)
}

/// What comes next in an archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Member(Header),
    /// What ends the archive: a block of zeros, or a trailer.
    End,
    /// The end of the bytes, without one.
    Cut,
    /// Behind a trailer: something else. So many bytes of it were read already.
    Other(usize),
}

/// What may stand behind the end of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// Zeros that fill a record of tar.
    Record,
    /// Zeros that fill a block of cpio.
    Block,
    /// Nothing.
    Nothing,
}

/// A form of archive, at one place in it.
pub(super) trait Archive: Send {
    /// Reads the header of the next member. The stream then stands at the member's first byte, of
    /// [`Header::size`] many, behind which [`Archive::padding`] follows.
    ///
    /// # Errors
    /// A [`Fault`], without a sound header.
    fn next(&mut self, stream: &mut dyn Read) -> Result<Next, Fault>;

    /// How many bytes of padding follow a member.
    fn padding(&self, size: u64) -> u64;

    /// What may stand behind the end.
    fn behind(&self) -> Behind;

    /// A sentence on an archive that ends without its own end.
    fn no_end(&self) -> &'static str;
}

/// Largest member that can be meant, in bytes.
pub(super) const MOST_BYTES: u64 = 1 << 48;

/// Fills `out` as far as there are bytes, and says how many came.
pub(super) fn read_full(stream: &mut dyn Read, out: &mut [u8]) -> Result<usize, Fault> {
    match fill(stream, out) {
        (count, Ok(_)) => Ok(count),
        (_, Err(error)) => {
            let kind = ParseErrorKind::of_stream(&error);
            Err((format!("the stream of the archive is broken: {error}"), kind))
        }
    }
}

/// Fills `out` as far as there are bytes: how many came, and whether that was the end.
pub(super) fn fill(stream: &mut dyn Read, out: &mut [u8]) -> (usize, io::Result<bool>) {
    let mut count = 0;
    while let Some(rest) = out.get_mut(count..).filter(|rest| !rest.is_empty()) {
        match stream.read(rest) {
            Ok(0) => return (count, Ok(true)),
            Ok(read) => count += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (count, Err(error)),
        }
    }
    (count, Ok(false))
}

impl Header {
    pub fn problems(&self, at: u64) -> ParseErrors {
        let mut problems = ParseErrors::default();
        if self.kind == MemberKind::Sparse {
            let what = format!("{}: is stored as a sparse member, which is not read", self.name);
            problems.push(ParseError::new(at, what));
        }
        if let Some(fault) = self.name_fault {
            problems.push(ParseError::new(at, format!("{}: {fault}", self.name)));
        }
        if self.ignored > 0 {
            let what =
                format!("{}: its header gives {} bytes to what has no content", self.name, self.ignored);
            problems.push(ParseError::new(at, what));
        }
        problems
    }
}
