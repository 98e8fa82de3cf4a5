//! The members of archives that stand one after the other: in place where the archive is not compressed, else
//! read from its stream.
#![deny(clippy::indexing_slicing)]

use super::archive::{Archive, Behind, Fault, Header, Next};
use super::names::SeenNames;
use super::read_ahead::Send;
use super::spool::{Failure, Metered, Spool, no_temporary_file};
use super::{Choice, Member, MemberBody, MemberContent, MemberKind, Opened, Package, PackageWalk, Wants};
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::limits::{MEMBER_IN_MEMORY, MEMBERS_AT_ONCE};
use amdgpu_object::format::tar_header::BLOCK;
use amdgpu_object::source::{HEAD_BYTES, SourceFile};
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the members of a stored archive end.
pub(super) enum Ended {
    /// At its own end, or at a fault that was reported.
    Here,
    /// Before something else, at this offset.
    Before(usize),
}

impl Package<'_> {
    /// An archive that is not compressed, from `at` of the file on: members stand there as they are.
    pub(super) fn stored(
        &self,
        archive: &mut dyn Archive,
        mut at: usize,
        wants: &Wants<'_>,
        walked: &mut PackageWalk,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Ended {
        let bytes = self.file.bytes();
        let mut names = SeenNames::default();
        let mut batch = Vec::new();
        let mut ended = Ended::Here;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let mut stream = rest;
            let next = archive.next(&mut stream);
            let start = at + (rest.len() - stream.len());
            let header = match next {
                Ok(Next::Member(header)) => header,
                Ok(Next::End) => {
                    walked.problems.extend(fault_behind(archive.behind(), bytes, at, start));
                    break;
                }
                Ok(Next::Other(read)) => {
                    ended = Ended::Before(start.saturating_sub(read));
                    break;
                }
                Ok(Next::Cut) if self.is_layer => break,
                Ok(Next::Cut) => {
                    let error = ParseError::new(at as u64, archive.no_end());
                    walked.problems.push(error.of_kind(ParseErrorKind::CutEnd));
                    break;
                }
                Err((what, kind)) => {
                    walked.problems.push(ParseError::new(at as u64, what).of_kind(kind));
                    break;
                }
            };
            if let Err(what) = self.allowance.take_member(&header.name) {
                walked.problems.push(ParseError::new(at as u64, what).of_kind(ParseErrorKind::TooMany));
                break;
            }
            if header.kind == MemberKind::Folder {
                walked.problems.append(header.problems(at as u64));
            } else {
                names.note(&mut walked.problems, &header.name, at as u64);
            }
            let size = usize::try_from(header.size).unwrap_or(usize::MAX);
            let end = start.saturating_add(size);
            let padded = size.saturating_add(archive.padding(header.size) as usize);
            if header.kind != MemberKind::Folder {
                let opened = self.stored_member(&header, start..end, wants);
                let taken = end.saturating_sub(at) as u64;
                let name = header.name.clone();
                batch.push(self.member(name, header.size, taken, MemberBody::Ready(Box::new(opened))));
            }
            if end > bytes.len() {
                let what = format!("{}: the archive ends {} bytes early", header.name, end - bytes.len());
                walked.problems.push(ParseError::new(start as u64, what).of_kind(ParseErrorKind::CutEnd));
                break;
            }
            at = start.saturating_add(padded);
            if batch.len() >= BATCH_MEMBERS {
                each(std::mem::take(&mut batch));
            }
        }
        if !batch.is_empty() {
            each(batch);
        }
        ended
    }

    pub(super) fn stored_member(
        &self,
        header: &Header,
        place: std::ops::Range<usize>,
        wants: &Wants<'_>,
    ) -> Opened {
        let start = place.start as u64;
        let mut opened = match header.kind {
            MemberKind::File => {
                let locator = self.file.locator().within(&header.name);
                let part = SourceFile::part(locator, &self.file, place);
                let choice = Choice::choose(part.locator(), part.head(), wants);
                match choice.claim {
                    Some(_) => Opened::from_content(choice.file(part)),
                    None => choice.passed(part.locator(), part.head(), start),
                }
            }
            other => Opened::from_content(other.content()),
        };
        opened.problems.append(header.problems(start));
        opened
    }

    /// Reads the stream of an archive, and sends its members in batches.
    pub(super) fn read_archive<'p>(
        &self,
        archive: &mut dyn Archive,
        mut stream: Ahead<'_, '_>,
        taken: &AtomicU64,
        wants: &Wants<'_>,
        send: &mut Send<'_, 'p>,
        problems: &mut ParseErrors,
    ) {
        let mut told = 0;
        let mut batch: Vec<Member<'p>> = Vec::new();
        let mut held = 0;
        let mut names = SeenNames::default();
        // Programs that make images leave out the end of a layer's tar: the image states its size.
        let mut has_end = true;
        let fault = loop {
            let at = stream.position();
            let header = match archive.next(&mut stream) {
                Ok(Next::Member(header)) => header,
                Ok(Next::End) => break None,
                Ok(Next::Other(_)) => break Some(ParseError::new(at, BEHIND)),
                Ok(Next::Cut) if self.is_layer => {
                    has_end = false;
                    break None;
                }
                Ok(Next::Cut) => {
                    break Some(ParseError::new(at, archive.no_end()).of_kind(ParseErrorKind::CutEnd));
                }
                Err((what, kind)) => break Some(ParseError::new(at, what).of_kind(kind)),
            };
            if header.kind == MemberKind::Folder {
                problems.append(header.problems(at).in_unpacked());
            } else {
                names.note(problems, &header.name, at);
            }
            if let Err(what) = self.allowance.take_member(&header.name) {
                break Some(ParseError::new(at, what).of_kind(ParseErrorKind::TooMany));
            }
            let start = stream.position();
            let member = self.read_member(&header, &mut stream, wants);
            let read = stream.position() - start;
            let left = (header.size + archive.padding(header.size)).saturating_sub(read);
            let passed = std::io::copy(&mut stream.by_ref().take(left), &mut std::io::sink());
            if header.kind != MemberKind::Folder {
                let mut opened = member.unwrap_or_else(|(what, kind)| {
                    let error = ParseError::new(start, format!("{}: {what}", header.name)).of_kind(kind);
                    Opened::failed(error.in_unpacked())
                });
                if header.kind == MemberKind::File {
                    opened.problems.append(header.problems(start).in_unpacked());
                }
                let spilled =
                    matches!(opened.content, MemberContent::File(_)) && header.size > MEMBER_IN_MEMORY;
                let content = matches!(opened.content, MemberContent::File(_));
                held += cost(&header.name) + if content { header.size.min(MEMBER_IN_MEMORY) } else { 0 };
                let packed = taken.load(Ordering::Relaxed) - told;
                told += packed;
                let name = header.name.clone();
                batch.push(self.member(name, header.size, packed, MemberBody::Ready(Box::new(opened))));
                if (spilled || held >= MEMBERS_AT_ONCE) && !send(std::mem::take(&mut batch)) {
                    return;
                }
                held = if batch.is_empty() { 0 } else { held };
            }
            if self.is_layer
                && passed.as_ref().is_ok_and(|passed| *passed < left && read + passed >= header.size)
            {
                has_end = false;
                break None;
            }
            if let Some((what, kind)) = fault_inside(passed, left) {
                break Some(ParseError::new(start, format!("{}: {what}", header.name)).of_kind(kind));
            }
        };
        let fault = fault.or_else(|| stream.fault_at_end(archive.behind()).filter(|_| has_end));
        fault.into_iter().for_each(|error| problems.push(error.in_unpacked()));
        // If the receiver is gone, nothing is lost.
        let _ = send(batch);
    }

    pub(super) fn read_member(
        &self,
        header: &Header,
        stream: &mut dyn Read,
        wants: &Wants<'_>,
    ) -> Result<Opened, Fault> {
        if header.kind != MemberKind::File {
            let mut opened = Opened::from_content(header.kind.content());
            opened.problems = header.problems(0).in_unpacked();
            return Ok(opened);
        }
        let mut head = Vec::new();
        let count = header.size.min(HEAD_BYTES as u64);
        let broken = |e: std::io::Error| (e.to_string(), ParseErrorKind::of_stream(&e));
        stream.take(count).read_to_end(&mut head).map_err(broken)?;
        let locator = self.file.locator().within(&header.name);
        let choice = Choice::choose(&locator, &head, wants);
        if choice.claim.is_none() {
            return Ok(choice.passed(&locator, &head, 0));
        }
        let believed = header.size.min(self.allowance.left() + head.len() as u64);
        let disk = |what| (what, ParseErrorKind::Malformed);
        let mut spool = Spool::begin(&head, Some(believed)).map_err(|e| disk(no_temporary_file(&e)))?;
        match spool.fill(stream, header.size) {
            // What is broken here is broken for the stream, and reported there.
            Ok(()) | Err(Failure::Stream(..)) => {}
            Err(Failure::Disk(what)) => return Err(disk(what)),
        }
        Ok(Opened::from_content(
            choice.file(spool.into_source(locator).map_err(|e| disk(e.what().to_owned()))?),
        ))
    }
}

/// Members of an uncompressed archive that are looked at together.
const BATCH_MEMBERS: usize = 256;

/// Reads to the end, which has the stream check its own checksum, and says whether there was anything but
/// zeros.
fn only_zeros(stream: &mut dyn Read) -> std::io::Result<bool> {
    let mut buffer = vec![0; 64 << 10];
    let mut zeros = true;
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(zeros);
        }
        zeros &= buffer.iter().take(read).all(|&b| b == 0);
    }
}

/// What a member takes in a batch besides its bytes: its name comes in several forms.
pub(super) fn cost(name: &str) -> u64 {
    1024 + 8 * name.len() as u64
}

/// Blocks in a record of a tar, which fills its last record with zeros: tar's own number, and what its users
/// choose.
const RECORDS: [u64; 8] = [20, 40, 64, 128, 256, 512, 1024, 2048];

/// Why a tar that ends at `end` with zeros up to `len` has lost members to zeros: there are more than fill a
/// record.
fn lost_in_zeros(end: u64, len: u64) -> Option<String> {
    if !len.is_multiple_of(BLOCK) {
        return Some(format!("the tar ends inside of a block of {BLOCK} bytes: it may be cut off"));
    }
    let zeros = len.saturating_sub(end);
    // Two blocks of zeros end it in any case.
    let fills = |record: &u64| zeros < record * BLOCK + 2 * BLOCK && len.is_multiple_of(record * BLOCK);
    let few = zeros <= 20 * BLOCK + 2 * BLOCK;
    (!few && !RECORDS.iter().any(fills))
        .then(|| format!("{zeros} zeros end the tar, more than fill a record: members may be lost"))
}

/// Bytes in a block of cpio, which fills its last block with zeros: cpio's own number, and that of its option
/// `-B`.
const CPIO_BLOCKS: [u64; 2] = [512, 5120];

/// Why a cpio archive of `len` bytes that ends with so many zeros has lost an archive behind it: there are
/// more than fill a block. Archives that stand behind each other are how images for the start of Linux are
/// made.
fn lost_in_blocks(zeros: u64, len: u64) -> Option<String> {
    // The trailer's own padding has a zero behind its name, and 3 more.
    let fills = |block: &u64| zeros < block + 4 && len.is_multiple_of(*block);
    (zeros >= 4 + 4 && !CPIO_BLOCKS.iter().any(fills)).then(|| {
        format!("{zeros} zeros end the cpio archive, more than fill a block: another behind it may be lost")
    })
}

const BEHIND: &str = "there are bytes behind the end of the archive, which are not read";

/// What is wrong behind the end of a stored archive, which `at` begins with and which ends at `end`.
fn fault_behind(behind: Behind, bytes: &[u8], at: usize, end: usize) -> Option<ParseError> {
    // The block of zeros that ends a record was read; what stands before it may be members that were skipped.
    let at = if behind == Behind::Record { end.saturating_sub(BLOCK as usize).max(at) } else { at };
    let end = if behind == Behind::Record { at } else { end };
    let rest = bytes.get(end..).unwrap_or_default();
    let first = match behind {
        Behind::Record | Behind::Block => rest.iter().position(|&b| b != 0),
        Behind::Nothing => (!rest.is_empty()).then_some(0),
    };
    let told = first.map(|behind| ParseError::new((end + behind) as u64, BEHIND));
    let lost = || match behind {
        Behind::Record => lost_in_zeros(at as u64, bytes.len() as u64),
        Behind::Block => {
            let trailer = bytes.get(at..).unwrap_or_default();
            let zeros = trailer.iter().rev().take_while(|byte| **byte == 0).count();
            lost_in_blocks(zeros as u64, bytes.len() as u64)
        }
        Behind::Nothing => None,
    };
    told.or_else(|| lost().map(|what| ParseError::new(at as u64, what)))
}

/// What is wrong with a stream inside a member; the reader had still to skip `left` of its bytes.
fn fault_inside(passed: std::io::Result<u64>, left: u64) -> Option<Fault> {
    match passed {
        Ok(passed) => (passed < left)
            .then(|| ("the stream of the archive ends inside of it".to_owned(), ParseErrorKind::CutEnd)),
        Err(error) => Some((format!("the stream is broken: {error}"), ParseErrorKind::of_stream(&error))),
    }
}

/// A stream whose beginning was read already.
pub(super) struct Ahead<'h, 's> {
    pub head: &'h [u8],
    pub stream: Metered<'s>,
}

impl Ahead<'_, '_> {
    fn position(&self) -> u64 {
        self.stream.position() - self.head.len() as u64
    }

    /// What is wrong behind the end of the archive. There is padding; reading it has the stream check its own
    /// checksum.
    fn fault_at_end(&mut self, behind: Behind) -> Option<ParseError> {
        let at = self.position();
        match only_zeros(self) {
            Ok(true) if behind != Behind::Record => {
                (self.position() > at).then(|| ParseError::new(at, BEHIND))
            }
            // The block of zeros that ended it was read before.
            Ok(true) => {
                lost_in_zeros(at.saturating_sub(BLOCK), self.position()).map(|what| ParseError::new(at, what))
            }
            Ok(false) => Some(ParseError::new(at, BEHIND)),
            Err(error) => {
                let what = format!("the stream is broken at its end: {error}");
                let kind = ParseErrorKind::of_stream(&error);
                Some(ParseError::new(self.position(), what).of_kind(kind))
            }
        }
    }
}

impl Read for Ahead<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.head.is_empty() { self.stream.read(out) } else { self.head.read(out) }
    }
}

impl MemberKind {
    pub(super) fn content(self) -> MemberContent {
        match self {
            MemberKind::Link | MemberKind::Folder => MemberContent::Link,
            MemberKind::Device => MemberContent::Special,
            MemberKind::File | MemberKind::Sparse => MemberContent::Unread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_that_fill_a_record_end_a_tar_and_more_hide_members() {
        for (end, len, lost) in [
            (1024, 2048, false),
            (1024, 10_240, false),
            (9_728, 20_480, false),
            (1024, 1 << 20, false),
            (1024, 61_440, true),
            (40_960, 40_960 + 50 * 512, true),
            (0, 1_000_000 * 512, true),
        ] {
            assert_eq!(lost_in_zeros(end, len).is_some(), lost, "{end} {len}");
        }
    }
}
