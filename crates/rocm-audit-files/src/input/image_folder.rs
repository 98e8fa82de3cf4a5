//! Folders that are images of containers: OCI layouts, and what `skopeo copy dir:` writes. Their parts are
//! layers of files, so that a folder comes as one package and not as the files it is made of.

use super::walk::{Entry, PathKind};
use amdgpu_object::format::Format;
use amdgpu_object::source::SourceFile;
use std::path::{Path, PathBuf};

/// The names of the markers, and the largest that is looked at, in bytes.
const MARKERS: [&str; 2] = ["oci-layout", "version"];
const MARKER_BYTES: u64 = 512;

/// An image among entries.
struct Image {
    folder: PathBuf,
    format: Format,
}

/// Takes the parts of images out of what a walk found, and leaves for each its marker, under the name of its
/// folder.
pub(super) fn gather(entries: Vec<Entry>, roots: &[PathBuf]) -> Vec<Entry> {
    if !cfg!(feature = "packages") {
        return entries;
    }
    let images: Vec<Image> = entries.iter().filter_map(image).collect();
    if images.is_empty() {
        return entries;
    }
    let mut kept = Vec::with_capacity(entries.len());
    for mut entry in entries {
        match images.iter().find(|image| image.has(&entry)) {
            None => kept.push(entry),
            Some(found) if image(&entry).is_some_and(|own| own.folder == found.folder) => {
                let is_root = roots.get(entry.root).is_some_and(|root| *root == found.folder);
                let above = |shown: &str| {
                    let path = Path::new(shown).parent().map(|above| above.to_string_lossy().into_owned());
                    path.filter(|path| !path.is_empty())
                };
                entry.sole = is_root && roots.len() == 1;
                entry.shown =
                    above(&entry.shown).unwrap_or_else(|| found.folder.to_string_lossy().into_owned());
                entry.relative = above(&entry.relative).unwrap_or_default();
                kept.push(entry);
            }
            Some(_) => {}
        }
    }
    kept
}

/// The image that an entry marks.
fn image(entry: &Entry) -> Option<Image> {
    let PathKind::File(bytes) = entry.kind else { return None };
    let name = entry.path.file_name()?.to_str()?;
    if bytes > MARKER_BYTES || !MARKERS.contains(&name) {
        return None;
    }
    let folder = entry.path.parent()?.to_owned();
    let format = Format::identify(SourceFile::open(&entry.path).ok()?.head());
    let manifest = match format {
        Format::OciLayout => "index.json",
        Format::ImageDirectory => "manifest.json",
        _ => return None,
    };
    folder.join(manifest).is_file().then_some(Image { folder, format })
}

impl Image {
    /// Whether an entry is a part of the image.
    fn has(&self, entry: &Entry) -> bool {
        let Ok(below) = entry.path.strip_prefix(&self.folder) else { return false };
        let first = below.iter().next().and_then(|first| first.to_str()).unwrap_or_default();
        match self.format {
            Format::OciLayout => ["blobs", "index.json", "oci-layout", "manifest.json"].contains(&first),
            _ => {
                let digest = first.len() == 64 && first.bytes().all(|b| b.is_ascii_hexdigit());
                below.iter().count() == 1
                    && (digest
                        || ["version", "manifest.json"].contains(&first)
                        || first.starts_with("signature-"))
            }
        }
    }
}
