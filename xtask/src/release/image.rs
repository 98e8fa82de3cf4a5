//! The image for containers, in OCI's layout, written without a daemon:
//! <https://github.com/opencontainers/image-spec>.

use super::archive::{Entry, gzip, sha256, tar};
use super::contents::{Purpose, Released};
use super::platform::Platform;
use super::product::Product;
use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;

/// An image for one platform.
#[derive(Debug)]
pub(super) struct Image {
    manifest: Value,
    blobs: Vec<Vec<u8>>,
}

const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// One layer with the program and its licences; the program is what the container runs.
///
/// # Errors
/// A file does not fit into a tar.
pub(super) fn image(
    product: &Product,
    platform: &Platform,
    architecture: &str,
    files: &[Released],
) -> Result<Image> {
    // Large members of packages go to temporary files.
    let mut entries = vec![Entry::folder("tmp/", 0o1777), Entry::folder("data/", 0o755)];
    for file in files.iter().filter(|file| matches!(file.purpose, Purpose::Program | Purpose::Licence)) {
        entries.push(file.installed()?);
    }
    let layer = tar(&entries, product.time)?;
    let packed = gzip(&layer)?;
    let labels = labels(product);
    let config = serde_json::to_vec(&json!({
        "architecture": architecture,
        "os": "linux",
        "created": product.date(),
        "config": {
            "Entrypoint": ["/usr/bin/rocm-audit"],
            "Env": ["PATH=/usr/bin", "TMPDIR=/tmp"],
            "WorkingDir": "/data",
            "Labels": labels,
        },
        "rootfs": { "type": "layers", "diff_ids": [digest(&layer)] },
        "history": [{ "created": product.date(), "created_by": format!("cargo xtask release ({})", platform.target) }],
    }))?;
    let layer = descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &packed);
    let manifest = serde_json::to_vec(&json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", &config),
        "layers": [layer],
        "annotations": labels,
    }))?;
    let mut about = descriptor("application/vnd.oci.image.manifest.v1+json", &manifest);
    about["platform"] = json!({ "architecture": architecture, "os": "linux" });
    Ok(Image { manifest: about, blobs: vec![packed, config, manifest] })
}

/// Writes an archive with images for several processors under one name, and gives the file's name.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(product: &Product, images: &[Image], out: &Path) -> Result<String> {
    let manifests: Vec<&Value> = images.iter().map(|image| &image.manifest).collect();
    let inner =
        serde_json::to_vec(&json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests }))?;
    let mut about = descriptor(INDEX, &inner);
    about["annotations"] =
        json!({ "org.opencontainers.image.ref.name": format!("{}:{}", product.name, product.version) });
    let index = serde_json::to_vec(&json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [about] }))?;
    let mut entries = vec![
        Entry::file("oci-layout", 0o644, r#"{"imageLayoutVersion":"1.0.0"}"#),
        Entry::file("index.json", 0o644, index),
    ];
    for blob in images.iter().flat_map(|image| &image.blobs).chain([&inner]) {
        entries.push(Entry::file(digest(blob).replace("sha256:", "blobs/sha256/"), 0o644, blob.clone()));
    }
    let name = format!("{}-{}-oci.tar", product.name, product.version);
    std::fs::write(out.join(&name), tar(&entries, product.time)?)?;
    Ok(name)
}

/// What the image says of itself, by OCI's names.
fn labels(product: &Product) -> Value {
    let mut all = json!({
        "org.opencontainers.image.title": product.name,
        "org.opencontainers.image.description": product.description,
        "org.opencontainers.image.version": product.version,
        "org.opencontainers.image.licenses": product.licence,
        "org.opencontainers.image.created": product.date(),
    });
    if let Some(address) = &product.repository {
        all["org.opencontainers.image.source"] = json!(address);
    }
    all
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

fn descriptor(media: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": media, "digest": digest(bytes), "size": bytes.len() })
}
