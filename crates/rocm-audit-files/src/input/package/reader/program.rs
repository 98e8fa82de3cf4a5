//! Archives whose members are each opened by themselves, from their beginning: squashfs images, by themselves
//! and in Singularity's images, and what stands behind a program: PyInstaller's archive, an AppImage's image,
//! a zip file, a 7z archive.
#![deny(clippy::indexing_slicing)]

use super::members::cost;
use super::names::note_path;
use super::spool::{Metered, Spool, no_temporary_file};
use super::{
    Choice, Member, MemberBody, MemberContent, MemberFile, MemberKind, Opened, Package, PackageWalk, Wants,
    pyinstaller, squashfs,
};
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::{MEMBER_IN_MEMORY, MEMBERS_AT_ONCE, SIF_DESCRIPTORS};
use amdgpu_object::bytes::le::{LeBytes, range};
use amdgpu_object::format::overlay;
use amdgpu_object::locator::Locator;
use amdgpu_object::source::{HEAD_BYTES, SourceFile};
use std::fmt;
use std::io::{self, Read};

type Opener<'p> = Box<dyn FnOnce() -> io::Result<Box<dyn Read + Send + 'p>> + Send + 'p>;

/// How the content of a member is opened.
pub(super) struct Source<'p> {
    name: String,
    size: u64,
    /// Its place in the package, for messages.
    at: u64,
    open: Opener<'p>,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Source<'_> {
    /// Reads the beginning of the member, and unpacks it where it is wanted.
    ///
    /// # Errors
    /// Where it cannot be opened, or its beginning is broken.
    pub fn open(self, package: &Package<'_>, locator: Locator, wants: &Wants<'_>) -> Parsed<Opened> {
        let (name, at) = (self.name, self.at);
        let bad = |what: String| ParseError::new(at, format!("{name}: {what}"));
        let told = |error: io::Error| bad(error.to_string()).of_kind(ParseErrorKind::of_stream(&error));
        let mut stream = Metered::new((self.open)().map_err(told)?, package.allowance);
        let mut head = Vec::new();
        stream.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(told)?;
        let choice = Choice::choose(&locator, &head, wants);
        if choice.claim.is_none() {
            return Ok(choice.passed(&locator, &head, at));
        }
        let disk = |error: io::Error| bad(no_temporary_file(&error));
        let believed = self.size.min(package.allowance.left().saturating_add(head.len() as u64));
        let mut spool = Spool::begin(&head, Some(believed)).map_err(disk)?;
        let filled = spool.fill(&mut stream, self.size.max(head.len() as u64));
        let mut problem = filled.err().map(|failure| {
            let kind = failure.kind();
            bad(failure.what()).of_kind(kind)
        });
        if problem.is_none() {
            let more = stream.read(&mut [0]).is_ok_and(|read| read > 0);
            if more || spool.len() != self.size {
                let than = if more { "more than " } else { "" };
                let what = format!("unpacks to {than}{} bytes, its header says {}", spool.len(), self.size);
                problem = Some(bad(what).of_kind(ParseErrorKind::WrongSize));
            }
        }
        drop(stream);
        let source = spool.into_source(locator)?;
        Ok(Opened { content: choice.file(source), problems: problem.into_iter().collect() })
    }
}

/// Members that wait to be looked at together.
struct Batch<'b, 'e> {
    members: Vec<Member<'b>>,
    held: u64,
    each: &'e mut dyn FnMut(Vec<Member<'_>>),
}

impl<'b> Batch<'b, '_> {
    fn push(&mut self, member: Member<'b>) {
        self.held += cost(&member.name) + member.size.min(MEMBER_IN_MEMORY);
        self.members.push(member);
        if self.held >= MEMBERS_AT_ONCE {
            self.held = 0;
            (self.each)(std::mem::take(&mut self.members));
        }
    }

    fn finish(self) {
        if !self.members.is_empty() {
            (self.each)(self.members);
        }
    }
}

/// SIF (sylabs/sif, `pkg/sif/sif.go`): the table of descriptors, their size, and what a partition is.
const SIF_DESCRIPTOR: u64 = 585;
const SIF_PARTITION: u32 = 0x4004;

impl Package<'_> {
    /// The squashfs image in `bytes`, at `base` of the file.
    pub(super) fn squashfs(
        &self,
        base: u64,
        bytes: &[u8],
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let shifted = |error: ParseError| error.moved_by(base);
        let image = match squashfs::Image::open(bytes, self.allowance) {
            Ok(image) => image,
            Err(error) => return PackageWalk::failed(shifted(error)),
        };
        let mut walked = PackageWalk::default();
        let mut batch = Batch { members: Vec::new(), held: 0, each };
        let image = &image;
        let mut list = |listed: squashfs::SquashfsListing| {
            self.allowance.take_member(&listed.name)?;
            let (name, size) = (listed.name.clone(), listed.size);
            let body = match listed.kind {
                MemberKind::File => {
                    let open: Opener<'_> = Box::new(move || Ok(Box::new(image.content(&listed)?)));
                    MemberBody::Stream(self, Source { name: name.clone(), size, at: base, open })
                }
                other => MemberBody::Ready(Box::new(Opened::from_content(other.content()))),
            };
            batch.push(self.member(name, size, 0, body));
            Ok(())
        };
        image.list(&mut list, &mut |error| walked.problems.push(shifted(error)));
        batch.finish();
        walked
    }

    /// The partitions of a Singularity image.
    pub(super) fn singularity(&self, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let bytes = self.file.bytes();
        let mut walked = PackageWalk::default();
        let header = LeBytes(range(bytes, 0, 128).unwrap_or_default());
        let (count, table) = (header.u64(88), header.u64(96));
        let mut images = 0;
        if count > SIF_DESCRIPTORS {
            let what =
                format!("the Singularity image is said to have {count} parts; {SIF_DESCRIPTORS} are read");
            walked.problems.push(ParseError::new(88, what).of_kind(ParseErrorKind::TooMany));
        }
        for index in 0..count.min(SIF_DESCRIPTORS) {
            let at = table.saturating_add(index * SIF_DESCRIPTOR);
            let Some(descriptor) = range(bytes, at, SIF_DESCRIPTOR) else {
                let error = ParseError::new(at, "the table of the Singularity image reaches beyond it");
                walked.problems.push(error.of_kind(ParseErrorKind::CutEnd));
                break;
            };
            let fields = LeBytes(descriptor);
            if fields.u32(0) != SIF_PARTITION || descriptor.get(4) != Some(&1) {
                continue;
            }
            let (start, size) = (fields.u64(17), fields.u64(25));
            match range(bytes, start, size) {
                Some(part) if part.starts_with(b"hsqs") => {
                    images += 1;
                    walked.problems.append(self.squashfs(start, part, each).problems);
                }
                Some(_) => {
                    let what = "a partition of the Singularity image is no squashfs, and is not read";
                    walked.problems.push(ParseError::new(start, what).of_kind(ParseErrorKind::UnknownMethod));
                }
                None => {
                    let what = "a partition of the Singularity image reaches beyond it";
                    walked.problems.push(ParseError::new(start, what).of_kind(ParseErrorKind::CutEnd));
                }
            }
        }
        if images == 0 && walked.problems.is_empty() {
            walked.problems.push(ParseError::new(table, "the Singularity image has no partition"));
        }
        walked
    }

    /// A program, and the archive that stands behind it.
    pub(super) fn program(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let bytes = self.file.bytes();
        let Some(found) = overlay::find(bytes) else { return PackageWalk::default() };
        let start = usize::try_from(found.start()).unwrap_or(usize::MAX);
        let outer = self.file.locator().shown();
        let name = outer.rsplit(['/', '\\']).next().unwrap_or(&outer).to_owned();
        // An archive may be a section of the program, whose table of sections then stands behind it.
        let end = overlay::end(bytes).filter(|end| *end > found.start()).map_or(start, |_| bytes.len());
        let own = SourceFile::part(self.file.locator().within(&name), &self.file, 0..end);
        let choice = Choice::choose(own.locator(), own.head(), wants);
        let size = own.len();
        let opened = match choice.claim {
            Some(_) => Opened::from_content(match choice.file(own) {
                MemberContent::File(file) => MemberContent::File(MemberFile { settled: true, ..file }),
                content => content,
            }),
            None => Opened::from_content(MemberContent::Passed(choice.format)),
        };
        each(vec![self.member(name, size, size, MemberBody::Ready(Box::new(opened)))]);
        let rest = bytes.get(start..).unwrap_or_default();
        match found.kind() {
            overlay::OverlayKind::Zip => self.zip(each),
            overlay::OverlayKind::Squashfs => self.squashfs(found.start(), rest, each),
            overlay::OverlayKind::SevenZip => self.seven_zip(found.start(), rest, wants, each),
            _ => self.py_installer(each),
        }
    }

    fn py_installer(&self, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let bytes = self.file.bytes();
        let (members, mut problems) = match pyinstaller::members(bytes) {
            Ok(found) => found,
            Err(error) => return PackageWalk::failed(error),
        };
        let mut batch = Batch { members: Vec::new(), held: 0, each };
        for member in members {
            note_path(&mut problems, &member.name, member.at);
            if let Err(what) = self.allowance.take_member(&member.name) {
                problems.push(ParseError::new(member.at, what).of_kind(ParseErrorKind::TooMany));
                break;
            }
            let (name, size, packed) = (member.name.clone(), member.size, member.packed);
            let at = member.at;
            let open: Opener<'_> = Box::new(move || member.open(bytes));
            let body = MemberBody::Stream(self, Source { name: name.clone(), size, at, open });
            batch.push(self.member(name, size, packed, body));
        }
        batch.finish();
        PackageWalk { problems, ..PackageWalk::default() }
    }
}
