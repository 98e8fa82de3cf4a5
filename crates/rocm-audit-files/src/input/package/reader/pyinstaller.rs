//! PyInstaller's archive behind a program: a table at its end, and members compressed by zlib, each by
//! itself.
//!
//! Source: PyInstaller's documentation, "Advanced Topics: CArchive", and its `archive/readers.py`. Numbers
//! have the most significant byte first.
#![deny(clippy::indexing_slicing)]

use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::limits::PACKAGE_MEMBERS;
use amdgpu_object::bytes::le::range;
use amdgpu_object::format::overlay;
use std::io::{self, Read};

/// A member, as the table lists it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    /// Where it stands in the file.
    pub at: u64,
    pub packed: u64,
    pub size: u64,
    compressed: bool,
}

/// Bytes of the cookie: magic, sizes, version, name of Python's library.
const COOKIE: u64 = 88;
/// Bytes of an entry of the table without its name.
const ENTRY: usize = 18;

/// Reads the table.
///
/// # Errors
/// Where the cookie or the table is not there.
pub(super) fn members(bytes: &[u8]) -> Parsed<(Vec<Member>, ParseErrors)> {
    let missing = || ParseError::new(bytes.len() as u64, "PyInstaller's cookie is expected and not there");
    let at = overlay::cookie(bytes).ok_or_else(missing)?;
    let cookie = range(bytes, at, COOKIE).ok_or_else(missing)?;
    let (size, toc, toc_len) = (word(cookie, 8), word(cookie, 12), word(cookie, 16));
    let start = (at + COOKIE).checked_sub(size).ok_or_else(missing)?;
    let table = range(bytes, start.saturating_add(toc), toc_len)
        .filter(|_| toc.saturating_add(toc_len) <= size)
        .ok_or_else(|| {
            let what =
                format!("the table of PyInstaller's archive is said to be {toc:#x}+{toc_len:#x} of it");
            ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd)
        })?;
    let mut problems = ParseErrors::default();
    let mut members = Vec::new();
    let mut rest = table;
    while !rest.is_empty() {
        let place = start + toc + (table.len() - rest.len()) as u64;
        let len = usize::try_from(word(rest, 0)).unwrap_or(usize::MAX);
        let Some((entry, behind)) = rest.split_at_checked(len).filter(|_| len >= ENTRY) else {
            problems.push(ParseError::new(place, "an entry of PyInstaller's table reaches beyond it"));
            break;
        };
        rest = behind;
        if members.len() >= PACKAGE_MEMBERS {
            let what = format!("more than {PACKAGE_MEMBERS} members; the rest is not read");
            problems.push(ParseError::new(place, what).of_kind(ParseErrorKind::TooMany));
            break;
        }
        let name = entry.get(ENTRY..).unwrap_or_default().split(|b| *b == 0).next().unwrap_or_default();
        let kind = entry.get(17).copied();
        let member = Member {
            name: super::path_text(name).replace('\\', "/"),
            at: start.saturating_add(word(entry, 4)),
            packed: word(entry, 8),
            size: word(entry, 12),
            compressed: entry.get(16) == Some(&1),
        };
        // Options of the program that runs have names and no content; so have references to archives of other
        // programs. The content of a symbolic link is where it leads.
        if !matches!(kind, Some(b'o' | b'd' | b'n')) {
            members.push(member);
        }
    }
    Ok((members, problems))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let word: Option<&[u8; 4]> = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map_or(0, |word| u64::from(u32::from_be_bytes(*word)))
}

impl Member {
    /// Its content, from its beginning.
    ///
    /// # Errors
    /// Where it reaches beyond the file.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> io::Result<Box<dyn Read + Send + 'a>> {
        let packed = range(bytes, self.at, self.packed).ok_or_else(|| {
            io::Error::new(io::ErrorKind::UnexpectedEof, "its bytes reach beyond the end of the file")
        })?;
        Ok(match self.compressed {
            true => Box::new(flate2::bufread::ZlibDecoder::new(packed)),
            false => Box::new(packed),
        })
    }
}
