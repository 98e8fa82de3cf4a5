//! Images of containers: their layers are laid over each other as a runtime does it, so that what is read is
//! what runs.
//!
//! The layers are read from the last to the first: then it is known of every file, when it comes, whether a
//! later layer has deleted or replaced it. Sources: OCI image-spec 1.1 (`layer.md`, `image-layout.md`),
//! Docker's `image/spec/v1.2.md` for what `docker save` writes, and containers/image's `directory` transport.
#![deny(clippy::indexing_slicing)]

mod blobs;
mod manifest;
mod tree;

use super::archive::{Archive, Header};
use super::digest;
use super::stream::Codec;
use super::tar::Tar;
use super::{Member, MemberBody, MemberKind, Package, PackageWalk, Wants};
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::input::package::layer::Layer;
use amdgpu_object::format::Format;
use amdgpu_object::source::SourceFile;
use blobs::Blobs;
use manifest::{Image, ImageLayer};
use std::sync::Arc;
use tree::{ChosenTar, LayerTar, Tree, saved_name};

pub(in crate::input::package) use blobs::stored_bytes;
pub(super) use blobs::{begins_like_image, is_like_image};

impl Package<'_> {
    /// A tar: an image, or images, that `docker save` or others have written, or what else tars hold.
    pub(super) fn tar(&self, wants: &Wants<'_>, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let mut walked = PackageWalk::default();
        if is_like_image(self.file.bytes())
            && let Some(blobs) = Blobs::of_tar(&self.file, &mut walked.problems)
        {
            match manifest::read(&blobs, &mut walked.problems) {
                Some(images) if !images.is_empty() => {
                    images.iter().for_each(|image| self.image(image, &blobs, &mut walked, wants, each));
                    self.left_over(&blobs, &mut walked, wants, each);
                    return walked;
                }
                _ if blobs.has_parts() => {
                    let what = "it has parts of an image, and no manifest that names layers: it is read as a tar, in which what \
                                later layers delete counts";
                    walked.problems.push(ParseError::new(0, what));
                }
                // Another tar that has a `manifest.json` or an `index.json`.
                _ => walked = PackageWalk::default(),
            }
        }
        self.stored(&mut Tar, 0, wants, &mut walked, each);
        walked
    }

    /// Members of an image's tar that belong to no image. Parts of images are skipped, since nothing runs
    /// them; other files beside them are read as in any tar.
    fn left_over(
        &self,
        blobs: &Blobs,
        walked: &mut PackageWalk,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) {
        let mut batch = Vec::new();
        for (name, place, is_part) in blobs.left_over() {
            if let Err(what) = self.allowance.take_member(name) {
                let error = ParseError::new(place.start as u64, what);
                walked.problems.push(error.of_kind(ParseErrorKind::TooMany));
                break;
            }
            let size = place.len() as u64;
            let header = Header {
                name: name.to_owned(),
                size,
                ignored: 0,
                kind: MemberKind::File,
                link: None,
                name_fault: None,
            };
            let nobody: &Wants<'_> = &|_| None;
            let opened = self.stored_member(&header, place, if is_part { nobody } else { wants });
            batch.push(self.member(name.to_owned(), size, size, MemberBody::Ready(Box::new(opened))));
        }
        if !batch.is_empty() {
            each(batch);
        }
    }

    /// The images in a folder; this file is the folder's marker.
    pub(super) fn image_in_folder(
        &self,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        if self.file.locator().member.is_some() {
            let what =
                "the image is a folder in a package, and is not laid together there: unpack the package";
            return PackageWalk::failed(ParseError::new(0, what).of_kind(ParseErrorKind::UnknownMethod));
        }
        let blobs = Blobs::of_folder(&self.file);
        let mut walked = PackageWalk::default();
        match manifest::read(&blobs, &mut walked.problems) {
            Some(images) if images.is_empty() => {
                let what = "the image's manifest names no layers that are read";
                walked.problems.push(ParseError::new(0, what));
            }
            Some(images) => {
                images.iter().for_each(|image| self.image(image, &blobs, &mut walked, wants, each))
            }
            None => walked.problems.push(ParseError::new(0, "the image has no manifest beside this file")),
        }
        walked
    }

    /// One image, layer by layer from the last.
    fn image(
        &self,
        image: &Image,
        blobs: &Blobs,
        walked: &mut PackageWalk,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) {
        let mut tree = Tree::default();
        let mut facts = Vec::new();
        for layer in image.layers.iter().rev() {
            let mut own = layer.facts.clone();
            let mut told = |what: String, kind| {
                let what = format!("layer {} ({}): {what}", layer.facts.number, layer.facts.digest);
                walked.problems.push(ParseError::new(0, what).of_kind(kind));
            };
            match blobs.open(&own.digest) {
                Some(blob) if layer.kind.contains("encrypted") => {
                    own.files.add(blob.len());
                    told("is encrypted".to_owned(), ParseErrorKind::Encrypted);
                }
                Some(blob) if !layer.is_tar() => {
                    own.files.add(blob.len());
                    let what = format!("is no tar but of the media type {}, which is not read", layer.kind);
                    told(what, ParseErrorKind::UnknownMethod);
                }
                Some(blob) => {
                    if let Some(stated) = layer.size.filter(|stated| *stated != blob.len()) {
                        let what = format!("it has {} bytes, where the image states {stated}", blob.len());
                        told(what, ParseErrorKind::CutEnd);
                    }
                    if let Some(what) = self.verify.then(|| wrong_digest(layer, blob.bytes())).flatten() {
                        told(what, ParseErrorKind::WrongHash);
                    }
                    // One blob may be named as a layer again and again: what is not unpacked counts, too.
                    let stored = Codec::identify(blob.bytes()).is_none().then(|| blob.len());
                    if let Some(Err(what)) = stored.map(|bytes| self.allowance.take(bytes)) {
                        told(what.into(), ParseErrorKind::InflatesTooFar);
                        facts.push(own);
                        continue;
                    }
                    walked.problems.append(self.layer(&mut own, blob, &mut tree, &image.prefix, wants, each));
                }
                None => {
                    let what =
                        "its bytes are not in the image, so that what it adds and deletes is not known";
                    told(what.to_owned(), ParseErrorKind::CutEnd);
                }
            }
            facts.push(own);
        }
        facts.reverse();
        walked.layers.extend(facts);
    }

    /// The files of a layer that no later one has taken away. What is wrong with it has its number before it.
    fn layer(
        &self,
        facts: &mut Layer,
        blob: SourceFile,
        tree: &mut Tree,
        prefix: &str,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> ParseErrors {
        let number = facts.number;
        let package = Package {
            file: Arc::new(blob),
            format: Format::Tar,
            allowance: self.allowance,
            owner: Some(facts.owner()),
            is_layer: true,
            verify: self.verify,
        };
        let mut tar = LayerTar::new(tree, facts, prefix);
        let mut seen = ChosenTar(&mut |header| tar.seen_path(header));
        let mut problems = package.layer_tar(&mut seen, wants, each).problems;
        let names = tar.saved();
        problems.append(tar.finish());
        // Where a file is gone by the name that it was stored under, and not by another, the layer is read
        // once more.
        if !names.is_empty() {
            let mut saved = ChosenTar(&mut |header| saved_name(&names, prefix, header));
            let again = package.layer_tar(&mut saved, wants, each);
            problems.append(again.problems);
        }
        problems.map(|error| {
            let what = format!("layer {number}: {}", error.what());
            error.saying(what)
        })
    }

    fn layer_tar(
        &self,
        tar: &mut dyn Archive,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let bytes = self.file.bytes();
        match Codec::identify(bytes) {
            Some(codec) => self.stream(0, bytes, Some(codec), tar, wants, each),
            None => self.stored_whole(tar, wants, each),
        }
    }

    /// A compressed tar that begins like an image: its layers are read from the last to the first, so that it
    /// is unpacked to a temporary file before.
    pub(super) fn image_in_stream(
        &self,
        mut stream: super::members::Ahead<'_, '_>,
        wants: &Wants<'_>,
        each: &mut dyn FnMut(Vec<Member<'_>>),
    ) -> PackageWalk {
        let failed = |what: String, kind| PackageWalk::failed(ParseError::new(0, what).of_kind(kind));
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
            Err(error) => return PackageWalk::failed(error),
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

/// Says what is wrong with the bytes of a layer; `None` where they are right, or where nothing says what they
/// should be.
///
/// What `docker save` writes names layers by paths: `blobs/sha256/…` is a digest. In older ones only the
/// configuration has digests, of the layers as they are unpacked.
fn wrong_digest(layer: &ImageLayer, bytes: &[u8]) -> Option<String> {
    let named = &layer.facts.digest;
    let by_name = named.strip_prefix("sha256:").or_else(|| named.strip_prefix("blobs/sha256/"));
    let unpacked = || {
        let id = layer.unpacked.as_deref()?.strip_prefix("sha256:");
        id.filter(|_| Codec::identify(bytes).is_none())
    };
    digest::mismatch(bytes, by_name.or_else(unpacked)?, "the image")
}
