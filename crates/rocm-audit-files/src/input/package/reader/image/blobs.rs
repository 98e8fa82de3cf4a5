//! Where the parts of an image lie: in a tar, or in a folder.

use super::super::archive::{Archive, Header, Link, Next};
use super::super::{MemberKind, tar};
use crate::error::{ParseError, ParseErrors};
use crate::limits::{IMAGE_DOCUMENT_BYTES, MEMBER_NAMES_BYTES, PACKAGE_MEMBERS};
use amdgpu_object::format::Format;
use amdgpu_object::locator::Locator;
use amdgpu_object::source::SourceFile;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The parts of an image, by their paths, or by digests.
pub(super) enum Blobs {
    Tar {
        file: Arc<SourceFile>,
        members: BTreeMap<String, Range<usize>>,
        links: BTreeMap<String, Link>,
        /// The members that were asked for.
        used: RefCell<BTreeSet<String>>,
    },
    /// A folder, and whether its parts lie in `blobs`, or in itself.
    Folder { folder: PathBuf, is_layout: bool },
}

/// Members of a tar that are looked at before it is taken for no image.
const FIRST_MEMBERS: usize = 4;

/// Whether a tar is written as images are: by its first members, or by a manifest beside parts of an image
/// anywhere in it.
pub(in super::super) fn is_like_image(bytes: &[u8]) -> bool {
    begins_like_image(bytes) || has_manifest_and_parts(bytes)
}

/// Whether the first members of a tar are what images have first: of a folder for parts, or named by digests,
/// or a layer, with or without the configuration before it; or all that in one folder, as `tar -c layout` has
/// it.
pub(in super::super) fn begins_like_image(bytes: &[u8]) -> bool {
    let (mut outer, mut is_configuration) = (String::new(), false);
    for (header, _) in members(bytes).take(FIRST_MEMBERS) {
        let name = header.name.trim_end_matches('/');
        let name = name.strip_prefix(outer.as_str()).unwrap_or(name);
        let first = name.split('/').next().unwrap_or_default();
        let is_known = matches!(
            first,
            "blobs" | "oci-layout" | "index.json" | "manifest.json" | "repositories" | "version"
        );
        if is_known || is_part(name) {
            return true;
        }
        match header.kind {
            // A folder may stand before all.
            MemberKind::Folder if !name.contains('/') && outer.is_empty() => {
                if !name.is_empty() && name != "." {
                    outer = format!("{name}/");
                }
            }
            // Docker's configuration has any name. Of a stream only the first bytes are here, and it may be longer.
            MemberKind::File if !name.contains('/') && name.ends_with(".json") => is_configuration = true,
            _ => return false,
        }
    }
    is_configuration
}

fn has_manifest_and_parts(bytes: &[u8]) -> bool {
    let (mut manifest, mut part) = (false, false);
    for (header, _) in members(bytes).take(PACKAGE_MEMBERS) {
        let name = header.name.trim_start_matches('/').trim_start_matches("./");
        manifest |= matches!(name, "manifest.json" | "index.json");
        part |= is_part(name);
        if manifest && part {
            return true;
        }
    }
    false
}

/// The members of a tar as far as their headers can be read, and where their content begins.
fn members(bytes: &[u8]) -> impl Iterator<Item = (Header, usize)> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        let mut stream = rest;
        let Ok(Next::Member(header)) = tar::Tar.next(&mut stream) else { return None };
        let start = at + (rest.len() - stream.len());
        let size = usize::try_from(header.size).ok()?;
        let padding = usize::try_from(tar::Tar.padding(header.size)).ok()?;
        at = start.checked_add(size)?.checked_add(padding)?;
        Some((header, start))
    })
}

/// Whether a word is a SHA-256 or SHA-512 in hexadecimal.
fn is_digest(word: &str) -> bool {
    matches!(word.len(), 64 | 128) && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Bytes of all parts of the image in a folder whose marker is at `path`.
pub(in crate::input::package) fn stored_bytes(path: &Path, format: Format) -> u64 {
    let folder = folder_of(path);
    let folders: Vec<PathBuf> = match format {
        Format::OciLayout => std::fs::read_dir(folder.join("blobs"))
            .map(|list| list.filter_map(|entry| Some(entry.ok()?.path())).collect())
            .unwrap_or_default(),
        _ => vec![folder],
    };
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    files.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len())).sum()
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

impl Blobs {
    /// Those of a tar; `None` where no manifest is among them.
    pub fn of_tar(file: &Arc<SourceFile>, problems: &mut ParseErrors) -> Option<Self> {
        let bytes = file.bytes();
        let (mut members, mut links) = (BTreeMap::new(), BTreeMap::new());
        let (mut at, mut names) = (0usize, 0);
        while members.len() + links.len() < PACKAGE_MEMBERS && names < MEMBER_NAMES_BYTES {
            let rest = bytes.get(at..)?;
            let mut stream = rest;
            let header = match tar::Tar.next(&mut stream) {
                Ok(Next::Member(header)) => header,
                Ok(_) => break,
                Err((what, kind)) => {
                    problems.push(ParseError::new(at as u64, what).of_kind(kind));
                    break;
                }
            };
            let start = at + (rest.len() - stream.len());
            let size = usize::try_from(header.size).ok()?;
            let name = header.name.trim_start_matches('/').to_owned();
            names += (header.name.len() + header.link.as_ref().map_or(0, |link| link.to.len())) as u64;
            match (header.kind, header.link) {
                (MemberKind::File, _) => {
                    members.insert(name, start..start.saturating_add(size).min(bytes.len()));
                }
                (MemberKind::Link, Some(link)) => {
                    links.insert(name, link);
                }
                _ => {}
            }
            let padding = usize::try_from(tar::Tar.padding(header.size)).ok()?;
            at = start.saturating_add(size).saturating_add(padding);
        }
        let has = |members: &BTreeMap<String, Range<usize>>| {
            members.contains_key("manifest.json") || members.contains_key("index.json")
        };
        if !has(&members) {
            // All of it may lie in one folder.
            let outer = members.keys().next().and_then(|name| Some(format!("{}/", name.split_once('/')?.0)));
            let outer = outer.filter(|outer| members.keys().all(|name| name.starts_with(outer.as_str())))?;
            let below = |name: String| name.strip_prefix(&outer).map_or(name.clone(), str::to_owned);
            members = members.into_iter().map(|(name, place)| (below(name), place)).collect();
            let to_below = |link: Link| Link { to: if link.hard { below(link.to) } else { link.to }, ..link };
            links = links.into_iter().map(|(name, to)| (below(name), to_below(to))).collect();
        }
        let (found, used) = (has(&members), RefCell::default());
        found.then(|| Blobs::Tar { file: Arc::clone(file), members, links, used })
    }

    /// Whether there are parts as only images have them.
    pub fn has_parts(&self) -> bool {
        match self {
            Blobs::Tar { members, .. } => members.keys().any(|name| name == "oci-layout" || is_part(name)),
            Blobs::Folder { .. } => true,
        }
    }

    /// The members of the tar that no image asked for and that are none of its documents: their names, where
    /// they lie, and whether they are parts of an image that is not there.
    pub fn left_over(&self) -> Vec<(&str, Range<usize>, bool)> {
        let Blobs::Tar { members, used, .. } = self else { return Vec::new() };
        let used = used.borrow();
        let left = members.iter().filter(|(name, _)| !used.contains(*name) && !is_document(name));
        left.map(|(name, place)| (name.as_str(), place.clone(), is_part(name))).collect()
    }

    /// Those of the folder that a marker lies in.
    pub fn of_folder(marker: &SourceFile) -> Self {
        let is_layout = Format::identify(marker.head()) == Format::OciLayout;
        Blobs::Folder { folder: folder_of(marker.path()), is_layout }
    }

    /// A part, by its path, or by its digest. It is named as the image is: its members are those of the
    /// image.
    pub fn open(&self, name: &str) -> Option<SourceFile> {
        match self {
            Blobs::Tar { file, members, links, used } => {
                let path = || path_of(name, "blobs/").unwrap_or_else(|| name.to_owned());
                let mut name = if members.contains_key(name) { name.to_owned() } else { path() };
                // A layer that came twice was a link to the first.
                if let Some(link) = links.get(&name) {
                    let above = name.rsplit_once('/').map_or("", |(above, _)| above);
                    name = match link.to.strip_prefix("../") {
                        Some(to) => to.to_owned(),
                        None if link.hard => link.to.clone(),
                        None => format!("{above}/{}", link.to),
                    };
                }
                let name = name.trim_start_matches('/');
                let range = members.get(name)?.clone();
                used.borrow_mut().insert(name.to_owned());
                Some(SourceFile::part(file.locator().clone(), file, range))
            }
            Blobs::Folder { folder, is_layout } => {
                let name = match *is_layout {
                    true => path_of(name, "blobs/"),
                    false => path_of(name, "").and_then(|path| Some(path.rsplit_once('/')?.1.to_owned())),
                };
                let path = folder.join(name?);
                // A link can lead out of the folder.
                let is_file = std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
                let file = SourceFile::open(&path).ok().filter(|_| is_file)?;
                let len = usize::try_from(file.len()).ok()?;
                Some(SourceFile::part(Locator::file(folder), &Arc::new(file), 0..len))
            }
        }
    }

    /// One of the documents that stand beside the parts.
    pub fn document(&self, name: &str) -> Option<serde_json::Value> {
        let file = match self {
            Blobs::Folder { folder, .. } => SourceFile::open(&folder.join(name)).ok()?,
            Blobs::Tar { .. } => self.open(name)?,
        };
        json(&file)
    }
}

/// Whether a member's name is one that only parts of images have: a digest, with the name of its method before
/// it where crane and kaniko wrote it, or that of Docker's layers.
fn is_part(name: &str) -> bool {
    let stem = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        is_digest(stem.split_once(':').map_or(stem, |(_, digest)| digest))
    };
    name.ends_with("/layer.tar") || name.split('/').any(stem)
}

/// Whether a member is a document that images have beside their parts: those of today, and those of Docker
/// 1.9 and before.
fn is_document(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    matches!(last, "manifest.json" | "index.json" | "oci-layout" | "repositories" | "VERSION" | "json")
        || name == "version"
}

/// A document; `None` where it is no JSON, or larger than those of images are.
pub(super) fn json(file: &SourceFile) -> Option<serde_json::Value> {
    let bytes = Some(file.bytes()).filter(|bytes| bytes.len() as u64 <= IMAGE_DOCUMENT_BYTES)?;
    serde_json::from_slice(bytes).ok()
}

/// `sha256:abc…` as the path of a part; `None` for what is no digest.
fn path_of(name: &str, front: &str) -> Option<String> {
    let (method, digest) = name.split_once(':')?;
    let plain = !method.is_empty() && method.bytes().all(|b| b.is_ascii_alphanumeric());
    (plain && is_digest(digest)).then(|| format!("{front}{method}/{digest}"))
}
