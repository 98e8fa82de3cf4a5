//! What images are in a tar or folder, and of which layers they are made.

use super::blobs::Blobs;
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::input::package::layer::Layer;
use crate::limits::{IMAGE_LAYERS, IMAGES};
use serde_json::Value;
use std::collections::BTreeSet;

/// An image.
#[derive(Debug, Default)]
pub(super) struct Image {
    /// What stands before the paths of its files: nothing, where it is the only one.
    pub prefix: String,
    /// Its layers, the lowest first.
    pub layers: Vec<Layer>,
    /// The bytes of their blobs, by number less one, where the manifest has them.
    pub sizes: Vec<Option<u64>>,
    /// The digests of their tars as they are unpacked, by number less one, where the configuration has them.
    pub unpacked: Vec<String>,
    /// The numbers of those that are encrypted.
    pub encrypted: BTreeSet<usize>,
}

/// The images; `None` where there is no manifest at all.
pub(super) fn read(blobs: &Blobs, problems: &mut ParseErrors) -> Option<Vec<Image>> {
    let mut all = match (blobs.document("manifest.json"), blobs.document("index.json")) {
        (Some(Value::Array(saved)), _) => saved.iter().filter_map(|one| of_docker(one, blobs)).collect(),
        (Some(manifest), None) => of_manifest(&manifest, String::new(), blobs).into_iter().collect(),
        (_, Some(index)) => {
            let mut found = Vec::new();
            of_index(&index, blobs, 0, "", &mut found, problems);
            found
        }
        _ => return None,
    };
    if all.is_empty() {
        problems.push(ParseError::new(0, "the image's manifest names no layers that are read"));
    }
    if all.len() > IMAGES {
        let what = format!("{} images; {IMAGES} are read", all.len());
        problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::TooMany));
        all.truncate(IMAGES);
    }
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
        image.layers.iter_mut().for_each(|layer| layer.image.clone_from(&name));
        image.prefix = format!("{name}/");
    }
}

/// What `docker save` writes: the paths of its configuration and layers.
fn of_docker(saved: &Value, blobs: &Blobs) -> Option<Image> {
    let config = saved["Config"].as_str().and_then(|path| blobs.part(path));
    let name = text(saved, "/RepoTags/0").unwrap_or_default().to_owned();
    let paths = saved["Layers"].as_array()?.iter().filter_map(Value::as_str);
    Some(image(name, paths.map(|path| (path, "")).collect(), config.as_ref()))
}

/// A manifest of OCI, or Docker's of the second version; `None` where its layers are no files.
fn of_manifest(manifest: &Value, name: String, blobs: &Blobs) -> Option<Image> {
    let layers = manifest["layers"].as_array()?.iter();
    let layers: Vec<(&str, &str)> = layers
        .filter_map(|layer| {
            Some((layer["digest"].as_str()?, layer["mediaType"].as_str().unwrap_or_default()))
        })
        .collect();
    // Signatures and attestations have manifests too.
    let sizes = manifest["layers"].as_array()?.iter().filter(|layer| layer["digest"].is_string());
    let sizes: Vec<Option<u64>> = sizes.map(|layer| layer["size"].as_u64()).collect();
    let is_image = layers.iter().all(|(_, kind)| kind.is_empty() || kind.contains("tar"));
    let config = text(manifest, "/config/digest").and_then(|digest| blobs.part(digest));
    (is_image && !layers.is_empty()).then(|| Image { sizes, ..image(name, layers, config.as_ref()) })
}

/// Indexes in one another; real ones have two.
const DEPTH: usize = 4;

fn of_index(
    index: &Value,
    blobs: &Blobs,
    depth: usize,
    outer: &str,
    found: &mut Vec<Image>,
    problems: &mut ParseErrors,
) {
    for one in index["manifests"].as_array().into_iter().flatten().take(IMAGES * 4) {
        if found.len() > IMAGES || depth > DEPTH {
            return;
        }
        let Some(digest) = one["digest"].as_str() else { continue };
        let own = text(one, "/annotations/org.opencontainers.image.ref.name").unwrap_or(outer);
        let Some(manifest) = blobs.part(digest) else {
            let what = format!("{digest}: the manifest of an image is not there, or is no JSON");
            problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::CutEnd));
            continue;
        };
        if manifest.get("manifests").is_some_and(Value::is_array) {
            of_index(&manifest, blobs, depth + 1, own, found, problems);
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
        found.extend(of_manifest(&manifest, name, blobs));
    }
}

/// Lines of the history that made no layer are left out; what is left stands beside the layers.
fn image(name: String, layers: Vec<(&str, &str)>, config: Option<&Value>) -> Image {
    let history = config.map(|config| &config["history"]).and_then(Value::as_array);
    let made = history.into_iter().flatten().filter(|line| line["empty_layer"] != Value::Bool(true));
    let mut commands = made.map(|line| line["created_by"].as_str().map(str::to_owned));
    let ids = config.and_then(|config| config.pointer("/rootfs/diff_ids")?.as_array());
    let count = ids.map_or(layers.len(), Vec::len);
    let mut image = Image { prefix: name, ..Image::default() };
    if count == layers.len() {
        let ids = ids.into_iter().flatten().take(IMAGE_LAYERS);
        image.unpacked = ids.map(|id| id.as_str().unwrap_or_default().to_owned()).collect();
    }
    for (index, (digest, kind)) in layers.into_iter().enumerate() {
        // A history that does not fit says nothing.
        let command = commands.next().flatten().filter(|_| index < count);
        if kind.contains("encrypted") {
            image.encrypted.insert(index + 1);
        }
        let number = index + 1;
        image.layers.push(Layer { number, digest: digest.to_owned(), command, ..Layer::default() });
    }
    image
}

/// A text in a document, by its place (RFC 6901).
fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}
