//! What images are in a tar or folder, and their layers.

use super::blobs::{self, Blobs};
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::input::package::layer::Layer;
use crate::limits::{IMAGE_DOCUMENTS, IMAGE_DOCUMENTS_BYTES, IMAGE_INDEX_DEPTH, IMAGE_LAYERS, IMAGES};
use serde_json::Value;
use std::collections::BTreeSet;

/// An image.
#[derive(Debug, Default)]
pub(super) struct Image {
    /// What stands before the paths of its files: nothing, where it is the only one.
    pub prefix: String,
    /// Its layers, the lowest first.
    pub layers: Vec<ImageLayer>,
}

/// A layer as its image names it.
#[derive(Debug, Default)]
pub(super) struct ImageLayer {
    /// What reports say of it.
    pub facts: Layer,
    /// The bytes of its blob, where the manifest has them.
    pub size: Option<u64>,
    /// The digest of its tar as it is unpacked, where the configuration has it.
    pub unpacked: Option<String>,
    /// Its media type, where the manifest has one.
    pub kind: String,
}

/// The images; `None` without any manifest.
pub(super) fn read(blobs: &Blobs, problems: &mut ParseErrors) -> Option<Vec<Image>> {
    let mut reading = ManifestReader {
        blobs,
        found: Vec::new(),
        documents: 0,
        bytes: 0,
        problems,
        is_cut: false,
        is_deep: false,
    };
    match (blobs.document("manifest.json"), blobs.document("index.json")) {
        (Some(Value::Array(saved)), _) => {
            if saved.len() > IMAGES {
                let what = format!("{} images; {IMAGES} are read", saved.len());
                reading.problem(what, ParseErrorKind::TooMany);
            }
            for one in saved.iter().take(IMAGES) {
                let image = reading.of_docker(one);
                reading.found.extend(image);
            }
        }
        (Some(manifest), None) => {
            let image = reading.of_manifest(&manifest, String::new());
            reading.found.extend(image);
        }
        (_, Some(index)) => reading.of_index(&index, 0, ""),
        _ => return None,
    }
    let mut all = reading.found;
    name(&mut all);
    for image in &mut all {
        if image.layers.len() > IMAGE_LAYERS {
            let what = format!("an image of {} layers; {IMAGE_LAYERS} are read", image.layers.len());
            problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::TooMany));
            image.layers.truncate(IMAGE_LAYERS);
        }
    }
    Some(all)
}

/// Several images have their names before the paths of their files, one has none.
fn name(images: &mut [Image]) {
    let only = images.len() == 1;
    let mut seen = BTreeSet::new();
    for (index, image) in images.iter_mut().enumerate() {
        let name = std::mem::take(&mut image.prefix);
        if only {
            continue;
        }
        let name = if name.is_empty() { format!("image {}", index + 1) } else { name };
        let name = if seen.insert(name.clone()) { name } else { format!("{name} ({})", index + 1) };
        image.layers.iter_mut().for_each(|layer| layer.facts.image.clone_from(&name));
        image.prefix = format!("{name}/");
    }
}

/// Reads the documents that say what images there are.
struct ManifestReader<'r> {
    blobs: &'r Blobs,
    found: Vec<Image>,
    /// Documents that were read, and their bytes: one index can name another again and again.
    documents: usize,
    bytes: u64,
    problems: &'r mut ParseErrors,
    /// Whether it was said that there are more documents than are read.
    is_cut: bool,
    /// Whether it was said that indexes lie too deep in one another.
    is_deep: bool,
}

impl ManifestReader<'_> {
    fn problem(&mut self, what: impl Into<String>, kind: ParseErrorKind) {
        self.problems.push(ParseError::new(0, what).of_kind(kind));
    }

    /// A document among the parts; `None` where it is not there, or no JSON, or more than is read of one
    /// image.
    fn document(&mut self, name: &str) -> Option<Value> {
        let file = self.blobs.open(name)?;
        self.documents += 1;
        self.bytes = self.bytes.saturating_add(file.len());
        if self.documents > IMAGE_DOCUMENTS || self.bytes > IMAGE_DOCUMENTS_BYTES {
            if !std::mem::replace(&mut self.is_cut, true) {
                let what = format!(
                    "more than {IMAGE_DOCUMENTS} manifests and configurations, or {IMAGE_DOCUMENTS_BYTES} bytes of them: \
                     those behind are not read"
                );
                self.problem(what, ParseErrorKind::TooMany);
            }
            return None;
        }
        blobs::json(&file)
    }

    /// What `docker save` writes: the paths of its configuration and layers.
    fn of_docker(&mut self, saved: &Value) -> Option<Image> {
        let config = saved["Config"].as_str().and_then(|path| self.document(path));
        let name = text(saved, "/RepoTags/0").unwrap_or_default().to_owned();
        let paths = saved["Layers"].as_array()?.iter().filter_map(Value::as_str);
        let named = |path: &str| ImageLayer { facts: layer(path), ..ImageLayer::default() };
        Some(image(name, paths.map(named).collect(), config.as_ref()))
    }

    /// A manifest of OCI, or Docker's of the second version; `None` where none of its layers is a tar:
    /// signatures and attestations have manifests too.
    fn of_manifest(&mut self, manifest: &Value, name: String) -> Option<Image> {
        let layers = manifest["layers"].as_array()?.iter().filter_map(|one| {
            Some(ImageLayer {
                facts: layer(one["digest"].as_str()?),
                size: one["size"].as_u64(),
                unpacked: None,
                kind: one["mediaType"].as_str().unwrap_or_default().to_owned(),
            })
        });
        let layers: Vec<ImageLayer> = layers.collect();
        if !layers.iter().any(ImageLayer::is_tar) {
            return None;
        }
        let config = text(manifest, "/config/digest").and_then(|digest| self.document(digest));
        Some(image(name, layers, config.as_ref()))
    }

    fn of_index(&mut self, index: &Value, depth: usize, outer: &str) {
        if depth > IMAGE_INDEX_DEPTH {
            if std::mem::replace(&mut self.is_deep, true) {
                return;
            }
            let what =
                format!("{IMAGE_INDEX_DEPTH} indexes of images, one in the other: those below are not read");
            return self.problem(what, ParseErrorKind::TooDeep);
        }
        for one in index["manifests"].as_array().into_iter().flatten() {
            if self.is_cut {
                return;
            }
            if self.found.len() >= IMAGES {
                self.is_cut = true;
                let what = format!("more than {IMAGES} images: those behind are not read");
                return self.problem(what, ParseErrorKind::TooMany);
            }
            let Some(digest) = one["digest"].as_str() else { continue };
            let own = text(one, "/annotations/org.opencontainers.image.ref.name").unwrap_or(outer);
            let Some(manifest) = self.document(digest) else {
                if !self.is_cut {
                    let what = format!("{digest}: the manifest of an image is not there, or is no JSON");
                    self.problem(what, ParseErrorKind::CutEnd);
                }
                continue;
            };
            if manifest.get("manifests").is_some_and(Value::is_array) {
                self.of_index(&manifest, depth + 1, own);
                continue;
            }
            let platform = &one["platform"];
            let parts =
                [&platform["os"], &platform["architecture"]].map(|part| part.as_str().unwrap_or_default());
            let [os, machine] = parts;
            let name = match (own, os, machine) {
                (own, "", _) | (own, "unknown", _) => own.to_owned(),
                ("", os, machine) => format!("{os}-{machine}"),
                (own, os, machine) => format!("{own} {os}-{machine}"),
            };
            let image = self.of_manifest(&manifest, name);
            self.found.extend(image);
        }
    }
}

impl ImageLayer {
    /// Whether it is a tar, by its media type.
    pub fn is_tar(&self) -> bool {
        self.kind.is_empty() || self.kind.contains("tar")
    }
}

/// What is known of a layer by its digest, or its path.
fn layer(digest: &str) -> Layer {
    Layer { digest: digest.to_owned(), ..Layer::default() }
}

/// Puts numbers to the layers, and what the configuration says of them. Lines of the history that made no
/// layer are left out; what is left stands beside the layers.
fn image(name: String, mut layers: Vec<ImageLayer>, config: Option<&Value>) -> Image {
    let history = config.map(|config| &config["history"]).and_then(Value::as_array);
    let made = history.into_iter().flatten().filter(|line| line["empty_layer"] != Value::Bool(true));
    let mut commands = made.map(|line| line["created_by"].as_str().map(str::to_owned));
    let ids = config.and_then(|config| config.pointer("/rootfs/diff_ids")?.as_array());
    let count = ids.map_or(layers.len(), Vec::len);
    let ids = ids.filter(|_| count == layers.len());
    for (index, layer) in layers.iter_mut().enumerate() {
        layer.facts.number = index + 1;
        // A history that does not fit says nothing.
        layer.facts.command = commands.next().flatten().filter(|_| index < count);
        layer.unpacked = ids.and_then(|ids| ids.get(index)?.as_str()).map(str::to_owned);
    }
    Image { prefix: name, layers }
}

/// A text in a document, by its place (RFC 6901).
fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}
