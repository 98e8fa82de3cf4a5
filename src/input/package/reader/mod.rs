//! Reads the members of packages, in the order they have there.
//!
//! A zip member is unpacked when it is opened, so that a batch can be opened on all cores; a tar stream is read ahead by
//! a thread of its own while the batch before is looked at.

mod archive;
mod cpio;
mod first_error;
mod identity;
pub(super) mod image;
mod members;
mod names;
mod nar;
mod program;
mod pyinstaller;
mod rpm;
mod sevenz;
mod spool;
mod squashfs;
mod stream;
mod tar;
mod zip;

use super::{Content, Head, MemberFile, Opened, Walked, Wants};
use crate::budget::Share;
use crate::container::ar_members::ArMembers;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::format::{Format, promise};
use crate::limits::{
    MEMBER_IN_MEMORY, MEMBER_PATH_BYTES, MEMBERS_AT_ONCE, PACKAGE_MEMBERS, XZ_MEMORY, ZSTD_SMALL_WINDOW_LOG,
};
use crate::locator::Locator;
use crate::source::{HEAD_BYTES, SourceFile};
use archive::Archive;
use members::{Ahead, Ended};
use names::note_path;
use spool::{Metered, Spool, no_temporary_file};
use std::collections::HashSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc;
use stream::{Codec, Packed, Window};

/// What was decided of a member by its first bytes.
struct Choice {
    format: Format,
    claim: Option<usize>,
}

impl Choice {
    fn of(locator: &Locator, head: &[u8], wants: &Wants<'_>) -> Self {
        let format = Format::identify(head);
        Choice { format, claim: wants(&Head { locator, format, bytes: head }) }
    }

    /// A member that nobody wants, with what its name promises and it is not. `at` is its place in the package.
    fn passed(&self, locator: &Locator, head: &[u8], at: u64) -> Opened {
        let mut opened = Opened::of(Content::Passed(self.format));
        let name = locator.shown();
        let name = name.rsplit('/').next().unwrap_or(&name);
        let told = |what| ParseError::new(at, format!("{name}: {what}"));
        opened.problems.extend(promise::broken(name, head).map(told));
        opened
    }

    /// The content that was unpacked.
    fn file(&self, file: SourceFile) -> Content {
        Content::File(MemberFile { file, format: self.format, claim: self.claim, settled: false })
    }
}

/// A file that holds files.
#[derive(Debug)]
pub struct Package<'a> {
    file: Arc<SourceFile>,
    format: Format,
    allowance: Share<'a>,
    /// Who has put its members there: a layer of an image.
    owner: Option<Arc<str>>,
    /// Whether it is a layer of an image: several are read one after the other, in the memory of a small one.
    is_layer: bool,
}

/// One member of a package.
#[derive(Debug)]
pub struct Member<'p> {
    /// Its place.
    pub locator: Locator,
    /// Its path in the package.
    pub name: String,
    /// Size in bytes, unpacked.
    pub size: u64,
    /// Bytes of the package that it takes, as far as is known.
    pub packed: u64,
    /// Who has put it there: a layer of an image.
    pub owner: Option<Arc<str>>,
    body: Body<'p>,
}

#[derive(Debug)]
enum Body<'p> {
    Zip(&'p Package<'p>, zip::Member),
    /// Opened from its beginning, where it is wanted.
    Stream(&'p Package<'p>, program::Source<'p>),
    Disk(PathBuf),
    Ready(Box<Opened>),
}

/// What a header says that a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
    Device,
    /// GNU's sparse format, whose content is not one piece.
    Sparse,
}

impl Opened {
    fn of(content: Content) -> Self {
        Opened { content, problems: ParseErrors::default() }
    }

    fn failed(error: ParseError) -> Self {
        let mut opened = Opened::of(Content::Unread);
        opened.problems.push(error);
        opened
    }
}

impl Walked {
    fn failed(error: ParseError) -> Self {
        let mut walked = Walked::default();
        walked.problems.push(error);
        walked
    }
}

impl<'a> Package<'a> {
    /// A package of a format for which [`is_package`](super::is_package) holds. Everything that is unpacked counts against `allowance`.
    pub fn new(file: Arc<SourceFile>, format: Format, allowance: Share<'a>) -> Self {
        Package { file, format, allowance, owner: None, is_layer: false }
    }

    /// Memory in bytes that inflating its stream takes. Zip members are unpacked one by one.
    pub fn memory(format: Format, file: &SourceFile) -> u64 {
        // A zip file is not read for that: it may be a source of which each byte costs.
        if format == Format::Zip {
            return 0;
        }
        let bytes = file.bytes();
        let stream = match format {
            Format::Tar if image::begins_like_image(bytes) => return 1 << ZSTD_SMALL_WINDOW_LOG,
            Format::ScriptWithArchive | Format::ThinArchive | Format::Tar | Format::Nar => return 0,
            Format::Deb => deb_data(bytes).map_or(&[][..], |(_, data)| data),
            Format::Rpm => rpm::open(bytes).map_or(&[][..], |rpm| rpm.payload),
            Format::SevenZip => return XZ_MEMORY.0,
            Format::OciLayout | Format::ImageDirectory => return 1 << ZSTD_SMALL_WINDOW_LOG,
            _ => bytes,
        };
        Codec::identify(stream).map_or(0, |codec| codec.memory(stream))
    }

    /// Hands on all members in batches, in order.
    pub fn for_each_batch(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> Walked {
        if matches!(self.format, Format::Zip | Format::ScriptWithArchive) {
            return self.zip(each);
        }
        let bytes = self.file.bytes();
        match self.format {
            Format::ThinArchive => self.thin_archive(each),
            Format::Tar => match self.image_in_tar(wants, each) {
                Some(walked) => walked,
                None => self.stored_whole(&mut tar::Tar, wants, each),
            },
            Format::OciLayout | Format::ImageDirectory => self.image_in_folder(wants, each),
            Format::Nar => self.stored_whole(&mut nar::Nar::default(), wants, each),
            Format::Cpio => self.cpio(wants, each),
            Format::SevenZip => self.seven_zip(0, bytes, wants, each),
            Format::Squashfs => self.squashfs(0, bytes, each),
            Format::Singularity => self.singularity(each),
            Format::ProgramWithArchive => self.program(wants, each),
            Format::Rpm => match rpm::open(bytes) {
                Ok(rpm) => {
                    let mut cpio = cpio::Cpio::of_rpm(rpm.files);
                    let codec = Codec::identify(rpm.payload).unwrap_or(Codec::Stored);
                    let walked = self.stream(rpm.at, rpm.payload, Some(codec), &mut cpio, wants, each);
                    Walked { identity: rpm.identity, ..walked }
                }
                Err(error) => Walked::failed(error),
            },
            Format::Deb => match deb_data(bytes) {
                Ok((at, data)) => {
                    let codec = Codec::identify(data).unwrap_or(Codec::Stored);
                    let walked = self.stream(at, data, Some(codec), &mut tar::Tar, wants, each);
                    Walked { identity: identity::of_deb(bytes), ..walked }
                }
                Err(error) => Walked::failed(error),
            },
            _ => self.compressed(0, bytes, wants, each),
        }
    }

    /// An archive that is not compressed and fills the file.
    fn stored_whole(
        &self,
        archive: &mut dyn Archive,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        let mut walked = Walked::default();
        self.stored(archive, 0, wants, &mut walked, each);
        walked
    }

    /// cpio archives one behind the other, as images for the start of Linux are: the last ones are compressed.
    fn cpio(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> Walked {
        let mut walked = Walked::default();
        let Ended::Before(at) = self.stored(&mut cpio::Cpio::default(), 0, wants, &mut walked, each) else {
            return walked;
        };
        let rest = self.file.bytes().get(at..).unwrap_or_default();
        let Some(codec) = Codec::identify(rest) else {
            let what = "behind the end of the cpio archive stands neither another nor a compressed one";
            walked.problems.push(ParseError::new(at as u64, what));
            return walked;
        };
        let behind = self.stream(at as u64, rest, Some(codec), &mut cpio::Cpio::default(), wants, each);
        walked.problems.append(behind.problems);
        walked
    }

    fn member<'p>(&self, name: String, size: u64, packed: u64, body: Body<'p>) -> Member<'p> {
        let owner = self.owner.clone();
        Member { locator: self.file.locator().within(&name), name, size, packed, owner, body }
    }

    fn zip(&self, each: &mut dyn FnMut(Vec<Member<'_>>)) -> Walked {
        let (members, mut problems) = match zip::members(&self.file) {
            Ok(found) => found,
            Err(error) => return Walked::failed(error),
        };
        let identity = identity::of_wheel(&members);
        let mut batch = Vec::new();
        let mut held = 0;
        for member in members {
            note_path(&mut problems, &member.name, member.header);
            if member.kind == Kind::Folder {
                continue;
            }
            if let Err(what) = self.allowance.take_member(&member.name) {
                problems.push(ParseError::new(member.header, what).of_kind(ParseErrorKind::TooMany));
                break;
            }
            held += members::cost(&member.name) + member.size.min(MEMBER_IN_MEMORY);
            let (name, size, packed) = (member.name.clone(), member.size, member.packed);
            batch.push(self.member(name, size, packed, Body::Zip(self, member)));
            if held >= MEMBERS_AT_ONCE {
                held = 0;
                each(std::mem::take(&mut batch));
            }
        }
        if !batch.is_empty() {
            each(batch);
        }
        Walked { problems, identity, ..Walked::default() }
    }

    /// The members of a thin archive are files beside it.
    fn thin_archive(&self, each: &mut dyn FnMut(Vec<Member<'_>>)) -> Walked {
        let mut walked = Walked::default();
        let members = match ArMembers::open(self.file.bytes()) {
            Ok(members) => members,
            Err(error) => return Walked::failed(error),
        };
        let folder = self.file.path().parent().map(PathBuf::from).unwrap_or_default();
        let nested = self.file.locator().member.is_some();
        let mut seen = HashSet::new();
        let mut batch = Vec::new();
        for member in members.take(PACKAGE_MEMBERS) {
            match member {
                Ok(member) => {
                    let name = path_text(member.name);
                    let wrong = if nested {
                        let what = "is a file beside its thin archive, which is not in the package";
                        Some((what, ParseErrorKind::Malformed))
                    } else if names::leads_out(&name) {
                        let what = "lies outside of the folder of its thin archive";
                        Some((what, ParseErrorKind::UnsafePath))
                    } else {
                        let what = "is named twice in the thin archive";
                        (!seen.insert(name.clone())).then_some((what, ParseErrorKind::DoubledName))
                    };
                    let body = match wrong {
                        Some((what, kind)) => {
                            let what = format!("{name}: {what}, and is not read");
                            let error = ParseError::new(0, what).of_kind(kind);
                            Body::Ready(Box::new(Opened::failed(error)))
                        }
                        None => Body::Disk(folder.join(&name)),
                    };
                    batch.push(self.member(name, member.size, 0, body));
                }
                Err(error) => {
                    walked.problems.push(error);
                    break;
                }
            }
        }
        if !batch.is_empty() {
            each(batch);
        }
        walked
    }

    /// A compressed file: an archive, or one file.
    fn compressed(
        &self,
        base: u64,
        bytes: &[u8],
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        let (stream, head, taken) = match self.open_stream(base, bytes, None) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Walked { opaque: true, ..Walked::default() },
            Err(error) => return Walked::failed(error),
        };
        let archive: &mut dyn Archive = match Format::identify(&head) {
            Format::Tar if image::begins_like_image(&head) => {
                return self.image_in_stream(Ahead { head: &head, stream }, wants, each);
            }
            Format::Tar => &mut tar::Tar,
            Format::Cpio => &mut cpio::Cpio::default(),
            Format::Nar => &mut nar::Nar::default(),
            _ => return self.single(base, head, stream, wants, each),
        };
        self.streamed(base, archive, Ahead { head: &head, stream }, &taken, wants, each)
    }

    /// An archive of a known form in `bytes`, at `base` of the package.
    fn stream(
        &self,
        base: u64,
        bytes: &[u8],
        codec: Option<Codec>,
        archive: &mut dyn Archive,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        let (stream, head, taken) = match self.open_stream(base, bytes, codec) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Walked { opaque: true, ..Walked::default() },
            Err(error) => return Walked::failed(error),
        };
        let expected = match self.format {
            Format::Deb => Some((Format::Tar, "data.tar of the Debian package is no tar")),
            Format::Rpm | Format::Cpio => Some((Format::Cpio, "what is compressed is no cpio archive")),
            _ => None,
        };
        if let Some((_, what)) = expected.filter(|(format, _)| Format::identify(&head) != *format) {
            let what = format!("{what}, or its compression is not known");
            return Walked::failed(ParseError::new(base, what));
        }
        self.streamed(base, archive, Ahead { head: &head, stream }, &taken, wants, each)
    }

    /// Inflates: the stream, its first bytes, and how many packed ones have been taken. `None` where it is no stream that is
    /// known.
    #[allow(clippy::type_complexity)]
    fn open_stream<'s>(
        &'s self,
        base: u64,
        bytes: &'s [u8],
        codec: Option<Codec>,
    ) -> Parsed<Option<(Metered<'s>, Vec<u8>, Arc<AtomicU64>)>> {
        let Some(codec) = codec.or(Codec::identify(bytes)) else { return Ok(None) };
        let taken = Arc::new(AtomicU64::new(0));
        let packed = Packed { rest: bytes, taken: Some(Arc::clone(&taken)) };
        let nested = self.is_layer || self.file.locator().member.is_some();
        let window = if nested { Window::Small } else { Window::Large };
        let stream =
            codec.open_counted(packed, window).map_err(|error| ParseError::new(base, error.to_string()))?;
        let mut stream = Metered::new(stream, self.allowance);
        let mut head = Vec::with_capacity(HEAD_BYTES);
        stream.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(|error| {
            let kind = ParseErrorKind::of_stream(&error);
            ParseError::new(base, format!("the compressed stream is broken: {error}")).of_kind(kind)
        })?;
        Ok(Some((stream, head, taken)))
    }

    /// The members of an archive in a stream, which a thread of its own reads ahead.
    fn streamed(
        &self,
        base: u64,
        archive: &mut dyn Archive,
        stream: Ahead<'_, '_>,
        taken: &AtomicU64,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        // Behind a rendezvous, so that at most one batch is waiting.
        let (send, receive) = mpsc::sync_channel(0);
        std::thread::scope(|scope| {
            let read = move || {
                let mut walked = Walked::default();
                self.read_archive(archive, stream, taken, wants, &send, &mut walked.problems);
                walked
            };
            let producer = match std::thread::Builder::new().spawn_scoped(scope, read) {
                Ok(producer) => producer,
                Err(error) => return Walked::failed(no_thread(base, &error)),
            };
            receive.iter().for_each(&mut *each);
            producer
                .join()
                .unwrap_or_else(|_| Walked::failed(ParseError::new(base, "reading the package failed")))
        })
    }

    /// A single compressed file. Its name is the package's without the ending.
    fn single(
        &self,
        base: u64,
        head: Vec<u8>,
        mut stream: Metered<'_>,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        let outer = self.file.locator().shown();
        let file = outer.rsplit('/').next().unwrap_or(&outer);
        let name = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
        let locator = self.file.locator().within(&name);
        let choice = Choice::of(&locator, &head, wants);
        if choice.claim.is_none() {
            let promised = if file.ends_with(".tgz") { "x.tar" } else { name.as_str() };
            let broken = promise::broken(promised, &head).map(|what| format!("{name}: {what}"));
            let problems = broken.map(|what| ParseError::new(base, what)).into_iter().collect();
            return Walked { problems, opaque: true, ..Walked::default() };
        }
        let mut walked = Walked::default();
        let filled = Spool::begin(&head, None).map_err(|e| no_temporary_file(&e)).and_then(|mut spool| {
            let filled = spool.fill(&mut stream, u64::MAX);
            // The decoder's memory is not needed while the member is looked at.
            drop(stream);
            filled.err().into_iter().for_each(|failure| {
                let kind = failure.kind();
                let what = format!("the compressed stream {}", failure.what());
                walked.problems.push(ParseError::new(base, what).of_kind(kind));
            });
            let size = spool.len();
            spool.into_source(locator).map(|source| (size, source)).map_err(|e| e.what)
        });
        match filled {
            Ok((size, source)) => {
                let body = Body::Ready(Box::new(Opened::of(choice.file(source))));
                each(vec![self.member(name, size, self.file.len(), body)]);
            }
            Err(what) => walked.problems.push(ParseError::new(base, what)),
        }
        walked
    }
}

/// A member's path as text, cut to what is kept of one.
fn path_text(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes.get(..MEMBER_PATH_BYTES).unwrap_or(bytes)).into_owned();
    if text.len() > MEMBER_PATH_BYTES {
        let end = (0..=MEMBER_PATH_BYTES).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
    }
    text
}

/// Where `data.tar.*` of a Debian package is.
fn deb_data(bytes: &[u8]) -> Parsed<(u64, &[u8])> {
    for member in ArMembers::open(bytes)?.take(16) {
        let member = member?;
        if let Some(content) = member.content.filter(|_| member.name.starts_with(b"data.tar")) {
            return Ok((member.offset, content));
        }
    }
    Err(ParseError::new(8, "the Debian package has no data.tar"))
}

impl Member<'_> {
    /// Unpacks it, if it is wanted and not unpacked yet.
    pub fn open(self, wants: &Wants<'_>) -> Opened {
        match self.body {
            Body::Ready(opened) => *opened,
            Body::Disk(path) => match SourceFile::open(&path) {
                Ok(file) => {
                    let opened = MemberFile::of(file);
                    if opened.format == Format::ThinArchive {
                        let what = format!("{}: a thin archive in a thin archive is not read", self.name);
                        return Opened::failed(ParseError::new(0, what).of_kind(ParseErrorKind::TooDeep));
                    }
                    Opened::of(Content::File(opened))
                }
                Err(error) => {
                    let what = format!("{}: the member's file cannot be read: {error}", self.name);
                    Opened::failed(ParseError::new(0, what))
                }
            },
            Body::Stream(package, source) => {
                source.open(package, self.locator, wants).unwrap_or_else(Opened::failed)
            }
            Body::Zip(package, member) => {
                open_zip(package, &member, self.locator, wants).unwrap_or_else(Opened::failed)
            }
        }
    }
}

fn open_zip(
    package: &Package<'_>,
    member: &zip::Member,
    locator: Locator,
    wants: &Wants<'_>,
) -> Parsed<Opened> {
    if member.kind == Kind::Link {
        return Ok(Opened::of(Content::Link));
    }
    let file = &*package.file;
    let head = member.head(file, HEAD_BYTES, package.allowance)?;
    let choice = Choice::of(&locator, &head, wants);
    if choice.claim.is_none() {
        return Ok(choice.passed(&locator, &head, member.header));
    }
    if member.codec()? == Codec::Stored {
        let (start, packed) = member.packed_bytes(file)?;
        let mut crc = crc32fast::Hasher::new();
        crc.update(packed);
        let wrong = member.check(packed.len() as u64, crc.finalize(), false);
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let part = SourceFile::part(locator, &package.file, start..start.saturating_add(packed.len()));
        let problem = wrong.map(|(what, kind)| {
            ParseError::new(member.header, format!("{}: {what}", member.name)).of_kind(kind)
        });
        return Ok(Opened { content: choice.file(part), problems: problem.into_iter().collect() });
    }
    let (spool, problem) = member.unpack(file, package.allowance)?;
    let source = spool.into_source(locator)?;
    Ok(Opened { content: choice.file(source), problems: problem.into_iter().collect() })
}
/// What is said where the system gives no thread to read a package with.
fn no_thread(base: u64, error: &std::io::Error) -> ParseError {
    ParseError::new(base, format!("there is no thread to read the package with: {error}"))
        .of_kind(ParseErrorKind::WorkLimit)
}
