//! Reads the members of packages, in the order they have there.
//!
//! A zip member is unpacked when it is opened, so that a batch can be opened on all cores; a tar stream is
//! read ahead by a thread of its own while the batch before is looked at.

mod archive;
mod compressed;
mod cpio;
mod digest;
mod first_error;
mod identity;
pub(super) mod image;
mod inflate_ahead;
#[cfg_attr(target_family = "wasm", path = "lzma_in_rust.rs")]
mod lzma;
mod members;
mod names;
mod nar;
mod program;
mod pyinstaller;
mod read_ahead;
mod rpm;
mod sevenz;
mod spool;
mod squashfs;
mod stream;
mod tar;
mod thin_archive;
mod zip;
#[cfg(target_family = "wasm")]
mod zstd_in_rust;

use super::{Head, MemberContent, MemberFile, Opened, PackageWalk, Wants};
use crate::budget::DepthShare;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::limits::{MEMBER_IN_MEMORY, MEMBER_PATH_BYTES, MEMBERS_AT_ONCE, XZ_MEMORY, ZSTD_SMALL_WINDOW_LOG};
use amdgpu_object::container::ar_members::ArMembers;
use amdgpu_object::format::{Format, overlay, promise};
use amdgpu_object::locator::Locator;
use amdgpu_object::source::{HEAD_BYTES, SourceFile};
use archive::Archive;
use members::Ended;
use names::note_path;
use spool::{Spool, no_temporary_file};
use std::path::PathBuf;
use std::sync::Arc;
use stream::Codec;

/// What was decided of a member by its first bytes.
struct Choice {
    format: Format,
    claim: Option<usize>,
}

impl Choice {
    fn choose(locator: &Locator, head: &[u8], wants: &Wants<'_>) -> Self {
        let format = Format::identify(head);
        Choice { format, claim: wants(&Head { locator, format, bytes: head }) }
    }

    /// A member that is not wanted, with what its name promises and it is not. `at` is its place in the
    /// package.
    fn passed(&self, locator: &Locator, head: &[u8], at: u64) -> Opened {
        let mut opened = Opened::from_content(MemberContent::Passed(self.format));
        let name = locator.shown();
        let name = name.rsplit('/').next().unwrap_or(&name);
        let told = |what| ParseError::new(at, format!("{name}: {what}"));
        opened.problems.extend(promise::broken(name, head).map(told));
        opened
    }

    /// The content that was unpacked.
    fn file(&self, file: SourceFile) -> MemberContent {
        MemberContent::File(MemberFile { file, format: self.format, claim: self.claim, settled: false })
    }
}

/// A file that holds files.
#[derive(Debug)]
pub struct Package<'a> {
    file: Arc<SourceFile>,
    format: Format,
    allowance: DepthShare<'a>,
    /// Who has put its members there: a layer of an image.
    owner: Option<Arc<str>>,
    /// Whether it is a layer of an image: several are read one after the other, in the memory of a small one.
    is_layer: bool,
    /// Whether digests are compared that only a reading of all bytes can compare.
    verify: bool,
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
    body: MemberBody<'p>,
}

#[derive(Debug)]
enum MemberBody<'p> {
    Zip(&'p Package<'p>, zip::Member),
    /// Opened from its beginning, where it is wanted.
    Stream(&'p Package<'p>, program::Source<'p>),
    Disk(PathBuf),
    Ready(Box<Opened>),
}

/// What a header says that a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberKind {
    File,
    Folder,
    Link,
    Device,
    /// GNU's sparse format, whose content is not one piece.
    Sparse,
}

impl Opened {
    fn from_content(content: MemberContent) -> Self {
        Opened { content, problems: ParseErrors::default() }
    }

    fn failed(error: ParseError) -> Self {
        let mut opened = Opened::from_content(MemberContent::Unread);
        opened.problems.push(error);
        opened
    }
}

impl PackageWalk {
    fn failed(error: ParseError) -> Self {
        let mut walked = PackageWalk::default();
        walked.problems.push(error);
        walked
    }
}

impl<'a> Package<'a> {
    /// A package of a format for which [`is_package`](super::is_package) holds. Everything that is unpacked
    /// counts against `allowance`.
    pub fn new(file: Arc<SourceFile>, format: Format, allowance: DepthShare<'a>) -> Self {
        Package { file, format, allowance, owner: None, is_layer: false, verify: false }
    }

    /// The same where digests are compared that only a reading of all bytes can compare: those of the layers
    /// of images.
    pub fn verifying(self, verify: bool) -> Self {
        Package { verify, ..self }
    }

    /// Memory in bytes that inflating its stream takes. Zip members are unpacked one by one.
    pub fn memory(format: Format, file: &SourceFile) -> u64 {
        // A zip file is not read for that: it may lie where each byte costs.
        if format == Format::Zip {
            return 0;
        }
        let bytes = file.bytes();
        let stream = match format {
            Format::Tar if image::is_like_image(bytes) => return 1 << ZSTD_SMALL_WINDOW_LOG,
            Format::ScriptWithArchive | Format::ThinArchive | Format::Tar | Format::Nar => return 0,
            Format::Deb => deb_data(bytes).map_or(&[][..], |(_, data)| data),
            Format::Rpm => rpm::open(bytes).map_or(&[][..], |rpm| rpm.payload),
            Format::SevenZip => return XZ_MEMORY.0,
            Format::ProgramWithArchive => {
                let behind = overlay::find(bytes).map(|found| found.kind());
                return if behind == Some(overlay::OverlayKind::SevenZip) { XZ_MEMORY.0 } else { 0 };
            }
            Format::OciLayout | Format::ImageDirectory => return 1 << ZSTD_SMALL_WINDOW_LOG,
            _ => bytes,
        };
        Codec::identify(stream).map_or(0, |codec| codec.memory(stream))
    }

    /// Hands on all members in batches, in order.
    pub fn for_each_batch(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        if matches!(self.format, Format::Zip | Format::ScriptWithArchive) {
            return self.zip(each);
        }
        let bytes = self.file.bytes();
        match self.format {
            Format::ThinArchive => self.thin_archive(each),
            Format::Tar => self.tar(wants, each),
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
                    let mut walked = self.stream(rpm.at, rpm.payload, Some(codec), &mut cpio, wants, each);
                    let stated = rpm.digest.filter(|_| self.verify);
                    let wrong =
                        stated.and_then(|stated| digest::mismatch(rpm.payload, &stated, "the package"));
                    walked.problems.extend(wrong.map(|what| {
                        let what = format!("the payload: {what}");
                        ParseError::new(rpm.at, what).of_kind(ParseErrorKind::WrongHash)
                    }));
                    PackageWalk { identity: rpm.identity, ..walked }
                }
                Err(error) => PackageWalk::failed(error),
            },
            Format::Deb => match deb_data(bytes) {
                Ok((at, data)) => {
                    let codec = Codec::identify(data).unwrap_or(Codec::Stored);
                    let walked = self.stream(at, data, Some(codec), &mut tar::Tar, wants, each);
                    PackageWalk { identity: identity::of_deb(bytes), ..walked }
                }
                Err(error) => PackageWalk::failed(error),
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
    ) -> PackageWalk {
        let mut walked = PackageWalk::default();
        self.stored(archive, 0, wants, &mut walked, each);
        walked
    }

    /// cpio archives one behind the other, as images for the start of Linux are: the last ones are
    /// compressed.
    fn cpio(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let mut walked = PackageWalk::default();
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

    fn member<'p>(&self, name: String, size: u64, packed: u64, body: MemberBody<'p>) -> Member<'p> {
        let owner = self.owner.clone();
        Member { locator: self.file.locator().within(&name), name, size, packed, owner, body }
    }

    fn zip(&self, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let (members, mut problems) = match zip::members(&self.file) {
            Ok(found) => found,
            Err(error) => return PackageWalk::failed(error),
        };
        let identity = identity::of_wheel(&members);
        let mut batch = Vec::new();
        let mut held = 0;
        for member in members {
            note_path(&mut problems, &member.name, member.header);
            if member.kind == MemberKind::Folder {
                if member.size > 0 {
                    let what = format!(
                        "{}: its header gives {} bytes to what has no content",
                        member.name, member.size
                    );
                    problems.push(ParseError::new(member.header, what));
                }
                continue;
            }
            if let Err(what) = self.allowance.take_member(&member.name) {
                problems.push(ParseError::new(member.header, what).of_kind(ParseErrorKind::TooMany));
                break;
            }
            held += members::cost(&member.name) + member.size.min(MEMBER_IN_MEMORY);
            let (name, size, packed) = (member.name.clone(), member.size, member.packed);
            batch.push(self.member(name, size, packed, MemberBody::Zip(self, member)));
            if held >= MEMBERS_AT_ONCE {
                held = 0;
                each(std::mem::take(&mut batch));
            }
        }
        if !batch.is_empty() {
            each(batch);
        }
        PackageWalk { problems, identity, ..PackageWalk::default() }
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
            MemberBody::Ready(opened) => *opened,
            MemberBody::Disk(path) => match SourceFile::open(&path) {
                Ok(file) => {
                    let opened = MemberFile::from_file(file);
                    if opened.format == Format::ThinArchive {
                        let what = format!("{}: a thin archive in a thin archive is not read", self.name);
                        return Opened::failed(ParseError::new(0, what).of_kind(ParseErrorKind::TooDeep));
                    }
                    Opened::from_content(MemberContent::File(opened))
                }
                Err(error) => {
                    let what = format!("{}: the member's file cannot be read: {error}", self.name);
                    Opened::failed(ParseError::new(0, what))
                }
            },
            MemberBody::Stream(package, source) => {
                source.open(package, self.locator, wants).unwrap_or_else(Opened::failed)
            }
            MemberBody::Zip(package, member) => {
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
    let file = &*package.file;
    let head = member.head(file, HEAD_BYTES, package.allowance)?;
    // Some tools write what is marked as a link as a file: where it is no path, it is read as one.
    if member.kind == MemberKind::Link && !head.contains(&0) && Format::identify(&head) == Format::Other {
        return Ok(Opened::from_content(MemberContent::Link));
    }
    let choice = Choice::choose(&locator, &head, wants);
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
