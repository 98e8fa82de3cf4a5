//! 7z archives: streams, each made by a chain of coders, that hold one file or many one behind the other.
//!
//! Our own reader, so that what a header says is bounded before memory is taken for it. Source: 7-Zip's
//! `DOC/7zFormat.txt` and `DOC/Methods.txt`.
#![deny(clippy::indexing_slicing)]

mod chain;
mod header;

use super::archive::Header;
use super::names::SeenNames;
use super::read_ahead::{Send, read_ahead};
use super::spool::Metered;
use super::{Member, MemberBody, MemberKind, Opened, Package, PackageWalk, Wants, members};
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed, Unread};
use crate::limits::{MEMBER_IN_MEMORY, MEMBERS_AT_ONCE, PACKAGE_MEMBERS, SEVEN_ZIP_HEADER_BYTES};
use amdgpu_object::bytes::le::{LeBytes, range};
use header::{Files, SevenZipFile, Stream, Streams};
use std::io::{self, Read};

/// Where the bytes of all streams count from: the end of the signature header.
const BASE: u64 = 32;

/// Where the archive begins that `bytes` end with, and its files.
fn open(bytes: &[u8], package: &Package<'_>) -> Parsed<(Streams, Vec<SevenZipFile>)> {
    let cut = |at: u64, what: &str| ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd);
    let start = range(bytes, 0, BASE).ok_or_else(|| cut(0, "the 7z archive ends inside of its beginning"))?;
    let fields = LeBytes(start);
    if crc32fast::hash(start.get(12..).unwrap_or_default()) != fields.u32(8) {
        let what = "the CRC-32 of the beginning of the 7z archive is not what it says";
        return Err(ParseError::new(8, what).of_kind(ParseErrorKind::WrongHash));
    }
    let (offset, size, crc) = (fields.u64(12), fields.u64(20), fields.u32(28));
    if size == 0 {
        return Ok((Streams::default(), Vec::new()));
    }
    let at = BASE.saturating_add(offset);
    let stored = range(bytes, at, size).ok_or_else(|| {
        cut(at, "the header of the 7z archive lies beyond its end: it is cut off, or one of several volumes")
    })?;
    if crc32fast::hash(stored) != crc {
        let what = "the CRC-32 of the header of the 7z archive is not what its beginning says";
        return Err(ParseError::new(at, what).of_kind(ParseErrorKind::WrongHash));
    }
    let told = |what: Unread| ParseError::new(at, format!("the header of the 7z archive: {what}"));
    let mut header: Vec<u8> = Vec::new();
    // A header may be packed as a stream is, and what is in it again.
    for depth in 0..4 {
        let current = if depth == 0 { stored } else { header.as_slice() };
        match current.first() {
            Some(1) => {
                let Files { streams, files } = header::files(current).map_err(told)?;
                return Ok((streams, files));
            }
            Some(0x17) => {
                let streams = header::packed(current).map_err(told)?;
                let Some(stream) = streams.streams.first() else { break };
                let size = stream.size();
                if size > SEVEN_ZIP_HEADER_BYTES {
                    return Err(told(format!("{size} bytes are more than are read").into()));
                }
                package
                    .allowance
                    .take(size)
                    .map_err(|what| ParseError::new(at, what).of_kind(ParseErrorKind::InflatesTooFar))?;
                let mut inflated = Vec::new();
                let read = chain::open(bytes, &streams, stream)
                    .and_then(|stream| stream.take(size).read_to_end(&mut inflated));
                read.map_err(|error| {
                    let kind = ParseErrorKind::of_stream(&error);
                    told(format!("is broken: {error}").into()).of_kind(kind)
                })?;
                if stream.crc.is_some_and(|crc| crc != crc32fast::hash(&inflated)) {
                    let error = told("its CRC-32 is not what the archive says".into());
                    return Err(error.of_kind(ParseErrorKind::WrongHash));
                }
                header = inflated;
            }
            _ => break,
        }
    }
    Err(told("it is none that is known".into()))
}

impl Package<'_> {
    /// The members of the 7z archive in `bytes`, at `base` of the file.
    pub(super) fn seven_zip(
        &self,
        base: u64,
        bytes: &[u8],
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let (streams, files) = match open(bytes, self) {
            Ok(opened) => opened,
            Err(error) => return PackageWalk::failed(error.moved_by(base)),
        };
        let read = |send: &mut Send<'_, '_>| {
            let (batch, problems) = (Vec::new(), ParseErrors::default());
            let mut solid = Solid { package: self, wants, send, batch, held: 0, problems };
            solid.read(base, bytes, &streams, &files);
            let _ = (solid.send)(solid.batch);
            PackageWalk { problems: solid.problems, ..PackageWalk::default() }
        };
        read_ahead(read, base, 0, each)
    }
}

/// Reads the streams of an archive, and sends their files in batches.
struct Solid<'s, 'c, 'p> {
    package: &'s Package<'s>,
    wants: &'s Wants<'s>,
    send: &'s mut Send<'c, 'p>,
    batch: Vec<Member<'p>>,
    held: u64,
    problems: ParseErrors,
}

impl Solid<'_, '_, '_> {
    fn read(&mut self, base: u64, bytes: &[u8], streams: &Streams, files: &[SevenZipFile]) {
        let mut names = SeenNames::default();
        let mut with_content = files.iter().filter(|file| file.has_content);
        for file in files.iter().filter(|file| !file.has_content && file.kind != MemberKind::Folder) {
            if !self.note(&mut names, file, base) {
                return;
            }
            self.member(&file.name, 0, file.kind, &mut io::empty());
        }
        for stream in &streams.streams {
            let mut opened = match chain::open(bytes, streams, stream) {
                Ok(opened) => Ok(Metered::new(opened, self.package.allowance)),
                Err(error) => Err((error.to_string(), ParseErrorKind::of_stream(&error))),
            };
            for part in &stream.parts {
                let Some(file) = with_content.next() else {
                    let what = "a stream of the 7z archive has more files than are listed";
                    return self.problems.push(ParseError::new(base, what));
                };
                if !self.note(&mut names, file, base) {
                    return;
                }
                let stream = match &mut opened {
                    Ok(stream) => stream,
                    Err((what, kind)) => {
                        let what = format!("{}: {what}", file.name);
                        let error = ParseError::new(base, what).of_kind(*kind);
                        self.push(&file.name, part.size, 0, Opened::failed(error));
                        continue;
                    }
                };
                let mut own = ChecksummedFile {
                    stream: stream.take(part.size),
                    crc: crc32fast::Hasher::new(),
                    left: part.size,
                };
                self.member(&file.name, part.size, file.kind, &mut own);
                let passed = io::copy(&mut own, &mut io::sink());
                let fault = match passed {
                    Ok(_) if own.left > 0 => {
                        Some(("its stream ends inside of it".to_owned(), ParseErrorKind::CutEnd))
                    }
                    Ok(_) => part.crc.filter(|crc| *crc != own.crc.clone().finalize()).map(|crc| {
                        let what = format!("its CRC-32 is not {crc:08x}, as the archive says");
                        (what, ParseErrorKind::WrongHash)
                    }),
                    Err(error) => Some((error.to_string(), ParseErrorKind::of_stream(&error))),
                };
                let Some((what, kind)) = fault else { continue };
                let error = ParseError::new(base, format!("{}: {what}", file.name)).of_kind(kind);
                self.problems.push(error);
                if kind != ParseErrorKind::WrongHash {
                    opened = Err(("its stream is broken before it".to_owned(), kind));
                }
            }
        }
        if let Some(file) = with_content.next() {
            let what = format!("{}: no stream of the 7z archive has it", file.name);
            self.problems.push(ParseError::new(base, what));
        }
    }

    /// Notes a name; false if there are more members than are read.
    fn note(&mut self, names: &mut SeenNames, file: &SevenZipFile, base: u64) -> bool {
        names.note(&mut self.problems, &file.name, base);
        match self.package.allowance.take_member(&file.name) {
            Ok(()) => true,
            Err(what) => {
                self.problems.push(ParseError::new(base, what).of_kind(ParseErrorKind::TooMany));
                false
            }
        }
    }

    fn member(&mut self, name: &str, size: u64, kind: MemberKind, stream: &mut dyn Read) {
        let header = Header { name: name.to_owned(), size, ignored: 0, kind, link: None, name_fault: None };
        let opened = self.package.read_member(&header, stream, self.wants).unwrap_or_else(|(what, kind)| {
            Opened::failed(ParseError::new(0, format!("{name}: {what}")).of_kind(kind).in_unpacked())
        });
        let spilled = matches!(opened.content, super::MemberContent::File(_)) && size > MEMBER_IN_MEMORY;
        let packed = if spilled { 0 } else { size.min(MEMBER_IN_MEMORY) };
        self.push(name, size, packed, opened);
        if spilled || self.held >= MEMBERS_AT_ONCE {
            self.held = 0;
            let _ = (self.send)(std::mem::take(&mut self.batch));
        }
    }

    fn push(&mut self, name: &str, size: u64, held: u64, opened: Opened) {
        self.held += members::cost(name) + held;
        let member = self.package.member(name.to_owned(), size, 0, MemberBody::Ready(Box::new(opened)));
        self.batch.push(member);
    }
}

/// One file of a stream, with its checksum.
struct ChecksummedFile<R> {
    stream: R,
    crc: crc32fast::Hasher,
    left: u64,
}

impl<R: Read> Read for ChecksummedFile<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(out)?;
        self.crc.update(out.get(..read).unwrap_or_default());
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

/// Most files and streams that are believed.
fn believed(count: u64, what: &str) -> Result<usize, Unread> {
    match usize::try_from(count) {
        Ok(count) if count <= PACKAGE_MEMBERS => Ok(count),
        _ => Err(format!("it is said to have {count} {what}; {PACKAGE_MEMBERS} are read").into()),
    }
}

impl Stream {
    /// Bytes that it unpacks to.
    fn size(&self) -> u64 {
        self.sizes.get(self.last).copied().unwrap_or(0)
    }
}
