//! Images of containers: their layers are laid over each other as a runtime does it, so that what is read is what runs.
//!
//! The layers are read from the last to the first: then it is known of every file, when it comes, whether a later layer has
//! deleted or replaced it. Sources: OCI image-spec 1.1 (`layer.md`, `image-layout.md`), Docker's `image/spec/v1.2.md` for what
//! `docker save` writes, and containers/image's `directory` transport.
#![deny(clippy::indexing_slicing)]

mod blobs;
mod digest;
mod manifest;
mod tree;

use super::stream::Codec;
use super::{Member, Package, Walked, Wants};
use crate::error::{ParseError, ParseErrorKind};
use crate::format::Format;
use crate::source::SourceFile;
use blobs::Blobs;
use manifest::Image;
use std::sync::Arc;
use tree::{LayerTar, Tree};

pub(super) use blobs::begins_like_image;
pub(in crate::input::package) use blobs::stored_bytes;

impl Package<'_> {
    /// The image, or the images, in a tar that `docker save` or others have written; `None` where it is another tar.
    pub(super) fn image_in_tar(
        &self,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Option<Walked> {
        begins_like_image(self.file.bytes()).then_some(())?;
        let mut walked = Walked::default();
        let blobs = Blobs::of_tar(&self.file, &mut walked.problems)?;
        self.images(&blobs, walked, wants, each)
    }

    /// The images in a folder, of which this file is the marker.
    pub(super) fn image_in_folder(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> Walked {
        if self.file.locator().member.is_some() {
            let what =
                "the image is a folder in a package, and is not laid together there: unpack the package";
            return Walked::failed(ParseError::new(0, what).of_kind(ParseErrorKind::UnknownMethod));
        }
        let blobs = Blobs::of_folder(&self.file);
        let missing = || Walked::failed(ParseError::new(0, "the image has no manifest beside this file"));
        self.images(&blobs, Walked::default(), wants, each).unwrap_or_else(missing)
    }

    fn images(
        &self,
        blobs: &Blobs,
        mut walked: Walked,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Option<Walked> {
        let images = manifest::read(blobs, &mut walked.problems)?;
        for image in &images {
            self.image(image, blobs, &mut walked, wants, each);
        }
        Some(walked)
    }

    /// One image, layer by layer from the last.
    fn image(
        &self,
        image: &Image,
        blobs: &Blobs,
        walked: &mut Walked,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) {
        let mut tree = Tree::default();
        let mut facts = Vec::new();
        for layer in image.layers.iter().rev() {
            let mut own = layer.clone();
            let told = |what: String, kind| {
                ParseError::new(0, format!("layer {} ({}): {what}", layer.number, layer.digest)).of_kind(kind)
            };
            match blobs.open(&layer.digest) {
                Some(blob) if image.encrypted.contains(&layer.number) => {
                    own.files.add(blob.len());
                    walked.problems.push(told("is encrypted".to_owned(), ParseErrorKind::Encrypted));
                }
                Some(blob) => {
                    let stated = layer.number.checked_sub(1).and_then(|at| *image.sizes.get(at)?);
                    if let Some(stated) = stated.filter(|stated| *stated != blob.len()) {
                        let what = format!("it has {} bytes, where the image states {stated}", blob.len());
                        walked.problems.push(told(what, ParseErrorKind::CutEnd));
                    }
                    if let Some(what) =
                        self.verify.then(|| digest::mismatch(image, layer, blob.bytes())).flatten()
                    {
                        walked.problems.push(told(what, ParseErrorKind::WrongHash));
                    }
                    let package = Package {
                        file: Arc::new(blob),
                        format: Format::Tar,
                        allowance: self.allowance,
                        owner: Some(layer.owner()),
                        is_layer: true,
                        verify: self.verify,
                    };
                    let mut tar = LayerTar::new(&mut tree, &mut own, &image.prefix);
                    let read = package.layer(&mut tar, wants, each);
                    let read = read.problems.map(|error| {
                        let what = format!("layer {}: {}", layer.number, error.what);
                        ParseError { what, ..error }
                    });
                    walked.problems.append(read);
                    walked.problems.append(tar.finish());
                }
                None => {
                    let what =
                        "its bytes are not in the image, so that what it adds and deletes is not known";
                    walked.problems.push(told(what.to_owned(), ParseErrorKind::CutEnd));
                }
            }
            facts.push(own);
        }
        facts.reverse();
        walked.layers.extend(facts);
    }

    /// The files of a layer that no later one has taken away.
    fn layer(
        &self,
        tar: &mut LayerTar<'_>,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        let bytes = self.file.bytes();
        match Codec::identify(bytes) {
            Some(codec) => self.stream(0, bytes, Some(codec), tar, wants, each),
            None => self.stored_whole(tar, wants, each),
        }
    }

    /// A compressed tar that begins like an image: its layers are read from the last to the first, so that it is unpacked to a
    /// temporary file before.
    pub(super) fn image_in_stream(
        &self,
        mut stream: super::members::Ahead<'_, '_>,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> Walked {
        let failed = |what: String, kind| Walked::failed(ParseError::new(0, what).of_kind(kind));
        let mut spool = match super::Spool::begin(&[], None) {
            Ok(spool) => spool,
            Err(error) => return failed(super::no_temporary_file(&error), ParseErrorKind::Malformed),
        };
        let filled = spool.fill(&mut stream, u64::MAX);
        drop(stream);
        let problem = filled.err().map(|failure| {
            let kind = failure.kind();
            ParseError::new(0, format!("the compressed stream {}", failure.what())).of_kind(kind)
        });
        let file: SourceFile = match spool.into_source(self.file.locator().clone()) {
            Ok(file) => file,
            Err(error) => return Walked::failed(error),
        };
        let (allowance, owner) = (self.allowance, self.owner.clone());
        let verify = self.verify;
        let whole =
            Package { file: Arc::new(file), format: Format::Tar, allowance, owner, is_layer: false, verify };
        let mut walked = whole.for_each_batch(wants, each);
        walked.problems.extend(problem);
        walked
    }
}
