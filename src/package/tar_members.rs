//! The members of tar archives: in place where the archive is not compressed, else read from its stream.
#![deny(clippy::indexing_slicing)]

use super::spool::{Metered, Spool};
use super::{Body, Content, Member, Names, Opened, Package, Walked, Wants, tar};
use crate::container::Format;
use crate::error::{ParseError, ParseErrors};
use crate::limits::{MEMBER_IN_MEMORY, MEMBERS_AT_ONCE, PACKAGE_MEMBERS};
use crate::source::{HEAD_BYTES, SourceFile};
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

impl Package<'_> {
    /// A tar that is not compressed: members stand in the file as they are.
    pub(super) fn stored_tar(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> Walked {
        let mut walked = Walked::default();
        let bytes = self.file.bytes();
        let mut at = 0usize;
        let mut members = 0;
        let mut names = Names::default();
        let mut batch = Vec::new();
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let mut stream = rest;
            let header = match tar::next(&mut stream) {
                Ok(Some(header)) => header,
                Ok(None) => break,
                Err(what) => {
                    walked.problems.push(ParseError::new(at as u64, what));
                    break;
                }
            };
            members += 1;
            if members > PACKAGE_MEMBERS {
                let what = format!("more than {PACKAGE_MEMBERS} members; the rest is not read");
                walked.problems.push(ParseError::new(at as u64, what));
                break;
            }
            let start = at + (rest.len() - stream.len());
            if header.kind != tar::Kind::Folder {
                walked.problems.note_name(&mut names, &header.name, at as u64);
            }
            let size = usize::try_from(header.size).unwrap_or(usize::MAX);
            let end = start.saturating_add(size);
            let padded = size.saturating_add(tar::padding(header.size) as usize);
            if header.kind != tar::Kind::Folder {
                let mut opened = Opened::of(match header.kind {
                    tar::Kind::File => {
                        let locator = self.file.locator().within(&header.name);
                        let part = SourceFile::part(locator, &self.file, start..end);
                        let wanted = wants(part.locator(), part.head(), Some(header.size));
                        if wanted {
                            Content::File(part)
                        } else {
                            Content::Passed(Format::identify(part.head()))
                        }
                    }
                    other => other.content(),
                });
                opened.problems = header.problem(start as u64).into_iter().collect();
                let taken = (end - at) as u64;
                batch.push(self.member(
                    header.name.clone(),
                    header.size,
                    taken,
                    Body::Ready(Box::new(opened)),
                ));
            }
            if end > bytes.len() {
                let what = format!("{}: the tar file ends {} bytes early", header.name, end - bytes.len());
                walked.problems.push(ParseError::new(start as u64, what));
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
        walked
    }

    /// Reads a tar stream of which `head` was read already, and sends its members in batches.
    pub(super) fn read_tar<'p>(
        &self,
        (head, stream): (&[u8], Metered<'_>),
        taken: &AtomicU64,
        wants: &Wants<'_>,
        send: &mpsc::SyncSender<Vec<Member<'p>>>,
        problems: &mut ParseErrors,
    ) {
        let mut stream = Tar { head, stream };
        let mut told = 0;
        let mut batch: Vec<Member<'p>> = Vec::new();
        let mut held = 0;
        let mut members = 0;
        let mut names = Names::default();
        let fault = loop {
            let at = stream.position();
            let header = match tar::next(&mut stream) {
                Ok(Some(header)) => header,
                Ok(None) => break None,
                Err(what) => break Some(ParseError::new(at, what)),
            };
            members += 1;
            if members > PACKAGE_MEMBERS {
                break Some(ParseError::new(
                    at,
                    format!("more than {PACKAGE_MEMBERS} members; the rest is not read"),
                ));
            }
            if header.kind != tar::Kind::Folder {
                problems.note_name(&mut names, &header.name, at);
            }
            let start = stream.position();
            let member = self.read_member(&header, &mut stream, wants);
            let read = stream.position() - start;
            let left = (header.size + tar::padding(header.size)).saturating_sub(read);
            let passed = std::io::copy(&mut stream.by_ref().take(left), &mut std::io::sink());
            if header.kind != tar::Kind::Folder {
                let opened = member.unwrap_or_else(|what| {
                    Opened::failed(ParseError::new(start, format!("{}: {what}", header.name)).in_unpacked())
                });
                let spilled = matches!(opened.content, Content::File(_)) && header.size > MEMBER_IN_MEMORY;
                held += if matches!(opened.content, Content::File(_)) {
                    header.size.min(MEMBER_IN_MEMORY)
                } else {
                    256
                };
                let packed = taken.load(Ordering::Relaxed) - told;
                told += packed;
                let name = header.name.clone();
                batch.push(self.member(name, header.size, packed, Body::Ready(Box::new(opened))));
                if (spilled || held >= MEMBERS_AT_ONCE) && send.send(std::mem::take(&mut batch)).is_err() {
                    return;
                }
                held = if batch.is_empty() { 0 } else { held };
            }
            match passed {
                Ok(passed) if passed < left => {
                    break Some(ParseError::new(
                        start,
                        format!("{}: the tar stream ends inside of it", header.name),
                    ));
                }
                Ok(_) => {}
                Err(error) => {
                    break Some(ParseError::new(
                        start,
                        format!("{}: the stream is broken: {error}", header.name),
                    ));
                }
            }
        };
        match fault {
            Some(error) => problems.push(error.in_unpacked()),
            // What is left is padding; reading it has the stream check its own checksum.
            None => {
                let rest = std::io::copy(&mut stream.by_ref().take(1 << 20), &mut std::io::sink());
                if let Err(error) = rest {
                    problems.push(
                        ParseError::new(
                            stream.position(),
                            format!("the stream is broken at its end: {error}"),
                        )
                        .in_unpacked(),
                    );
                }
            }
        }
        // Where nobody receives any more, nothing is lost.
        let _ = send.send(batch);
    }

    fn read_member(
        &self,
        header: &tar::Header,
        stream: &mut dyn Read,
        wants: &Wants<'_>,
    ) -> Result<Opened, String> {
        if header.kind != tar::Kind::File {
            let mut opened = Opened::of(header.kind.content());
            opened.problems = header.problem(0).into_iter().map(ParseError::in_unpacked).collect();
            return Ok(opened);
        }
        let mut head = Vec::new();
        let count = header.size.min(HEAD_BYTES as u64);
        stream.take(count).read_to_end(&mut head).map_err(|e| e.to_string())?;
        let locator = self.file.locator().within(&header.name);
        if !wants(&locator, &head, Some(header.size)) {
            return Ok(Opened::of(Content::Passed(Format::identify(&head))));
        }
        let believed = header.size.min(self.allowance.left() + head.len() as u64);
        let mut spool = Spool::begin(&head, Some(believed)).map_err(|e| e.to_string())?;
        // What is broken here is broken for the stream, and told there.
        let _ = spool.fill(stream, header.size);
        Ok(Opened::of(Content::File(spool.into_source(locator).map_err(|e| e.what)?)))
    }
}

/// Members of an uncompressed tar that are looked at together.
const BATCH_MEMBERS: usize = 256;

/// A stream of which the beginning was read already.
struct Tar<'h, 's> {
    head: &'h [u8],
    stream: Metered<'s>,
}

impl Tar<'_, '_> {
    fn position(&self) -> u64 {
        self.stream.position() - self.head.len() as u64
    }
}

impl Read for Tar<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.head.is_empty() { self.stream.read(out) } else { self.head.read(out) }
    }
}

impl tar::Kind {
    fn content(self) -> Content {
        match self {
            tar::Kind::Link | tar::Kind::Folder => Content::Link,
            tar::Kind::Device => Content::Special,
            tar::Kind::File | tar::Kind::Sparse => Content::Unread,
        }
    }
}

impl tar::Header {
    fn problem(&self, at: u64) -> Option<ParseError> {
        let what = || format!("{}: is stored as a sparse member, which is not read", self.name);
        (self.kind == tar::Kind::Sparse).then(|| ParseError::new(at, what()))
    }
}
