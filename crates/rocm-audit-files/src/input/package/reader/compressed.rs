//! Compressed streams: archives in them, whose members are handed on as they come, and single files.
#![deny(clippy::indexing_slicing)]

use super::archive::Archive;
use super::inflate_ahead::{LARGE, inflated};
use super::members::Ahead;
use super::read_ahead::{Send, read_ahead};
use super::spool::{Metered, Spool, no_temporary_file};
use super::stream::{Codec, Packed, Window};
use super::{Choice, Member, MemberBody, Opened, Package, PackageWalk, Wants, cpio, image, nar, tar};
use crate::error::{ParseError, ParseErrorKind, Parsed};
use amdgpu_object::format::{Format, promise};
use amdgpu_object::source::HEAD_BYTES;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A stream whose beginning was read.
pub(super) struct PackedStream<'s> {
    head: &'s [u8],
    stream: Metered<'s>,
    /// How many bytes it has, packed.
    packed: usize,
    /// How many of them were taken.
    taken: &'s AtomicU64,
}

impl Package<'_> {
    /// A compressed file: an archive, or one file.
    pub(super) fn compressed(
        &self,
        base: u64,
        bytes: &[u8],
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let (stream, head, taken) = match self.open_stream(base, bytes, None) {
            Ok(Some(opened)) => opened,
            Ok(None) => return PackageWalk { opaque: true, ..PackageWalk::default() },
            // Raw microcode begins so, too: what neither its name nor its bytes bear out is none.
            Err(_) if self.format == Format::Lzma && !promise::is_lzma(&self.file.locator().shown()) => {
                return PackageWalk { opaque: true, ..PackageWalk::default() };
            }
            Err(error) => return PackageWalk::failed(error),
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
        let stream = PackedStream { head: &head, stream, packed: bytes.len(), taken: &taken };
        self.streamed(base, archive, stream, wants, each)
    }

    /// An archive of a known form in `bytes`, at `base` of the package.
    pub(super) fn stream(
        &self,
        base: u64,
        bytes: &[u8],
        codec: Option<Codec>,
        archive: &mut dyn Archive,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let (stream, head, taken) = match self.open_stream(base, bytes, codec) {
            Ok(Some(opened)) => opened,
            Ok(None) => return PackageWalk { opaque: true, ..PackageWalk::default() },
            Err(error) => return PackageWalk::failed(error),
        };
        let expected = match self.format {
            Format::Deb => Some((Format::Tar, "data.tar of the Debian package is no tar")),
            Format::Rpm | Format::Cpio => Some((Format::Cpio, "what is compressed is no cpio archive")),
            _ => None,
        };
        if let Some((_, what)) = expected.filter(|(format, _)| Format::identify(&head) != *format) {
            let what = format!("{what}, or its compression is not known");
            return PackageWalk::failed(ParseError::new(base, what));
        }
        let stream = PackedStream { head: &head, stream, packed: bytes.len(), taken: &taken };
        self.streamed(base, archive, stream, wants, each)
    }

    /// Inflates: the stream, its first bytes, and how many packed ones have been taken. `None` where it is no
    /// stream that is known.
    #[allow(clippy::type_complexity)]
    pub(super) fn open_stream<'s>(
        &'s self,
        base: u64,
        bytes: &'s [u8],
        codec: Option<Codec>,
    ) -> Parsed<Option<(Metered<'s>, Vec<u8>, Arc<AtomicU64>)>> {
        let Some(codec) = codec.or(Codec::identify(bytes)) else { return Ok(None) };
        let taken = Arc::new(AtomicU64::new(0));
        let packed = Packed { rest: bytes, taken: Some(Arc::clone(&taken)) };
        // What stands behind an archive for the start of Linux is not seen by `Package::memory`.
        let is_small = self.is_layer || self.format == Format::Cpio;
        let nested = is_small || self.file.locator().member.is_some();
        let window = if nested { Window::Small } else { Window::Large };
        let stream =
            codec.open_counted(packed, window).map_err(|error| ParseError::new(base, error.to_string()))?;
        let mut stream = Metered::new(stream, self.allowance);
        let mut head = Vec::with_capacity(HEAD_BYTES);
        stream.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(|error| {
            let kind = ParseErrorKind::of_stream(&error);
            ParseError::new(base, format!("the compressed stream cannot be read: {error}")).of_kind(kind)
        })?;
        Ok(Some((stream, head, taken)))
    }

    /// The members of an archive in a stream, which a thread of its own reads ahead.
    pub(super) fn streamed(
        &self,
        base: u64,
        archive: &mut dyn Archive,
        stream: PackedStream<'_>,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let PackedStream { head, stream, packed, taken } = stream;
        let read = |send: &mut Send<'_, '_>| {
            let mut walked = PackageWalk::default();
            inflated(stream, packed, taken, |stream, taken| {
                let ahead = Ahead { head, stream };
                self.read_archive(archive, ahead, taken, wants, send, &mut walked.problems);
            });
            walked
        };
        // Packages in packages are many at a time, and small.
        let waiting = if packed < LARGE { 0 } else { 2 };
        read_ahead(read, base, waiting, each)
    }

    /// A single compressed file. Its name is the package's without the ending.
    fn single(
        &self,
        base: u64,
        head: Vec<u8>,
        mut stream: Metered<'_>,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let outer = self.file.locator().shown();
        let file = outer.rsplit('/').next().unwrap_or(&outer);
        let name = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
        let locator = self.file.locator().within(&name);
        let choice = Choice::choose(&locator, &head, wants);
        if choice.claim.is_none() {
            let promised = if file.ends_with(".tgz") { "x.tar" } else { name.as_str() };
            let broken = promise::broken(promised, &head).map(|what| format!("{name}: {what}"));
            let problems = broken.map(|what| ParseError::new(base, what)).into_iter().collect();
            return PackageWalk { problems, opaque: true, ..PackageWalk::default() };
        }
        let mut walked = PackageWalk::default();
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
            spool.into_source(locator).map(|source| (size, source)).map_err(|e| e.what().to_owned())
        });
        match filled {
            Ok((size, source)) => {
                let body = MemberBody::Ready(Box::new(Opened::from_content(choice.file(source))));
                each(vec![self.member(name, size, self.file.len(), body)]);
            }
            Err(what) => walked.problems.push(ParseError::new(base, what)),
        }
        walked
    }
}
