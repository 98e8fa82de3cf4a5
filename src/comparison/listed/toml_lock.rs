//! Lock files in TOML: `uv.lock`, `pylock.toml` of PEP 751, `pdm.lock`, `poetry.lock`. Packages without wheels are left
//! out.

use super::{ListedArtifact, SavedText, digest, of_address};
use crate::error::AuditError;
use crate::locator::file_name;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Lock {
    #[serde(alias = "package", default)]
    packages: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    #[serde(alias = "files", default)]
    wheels: Vec<Wheel>,
}

#[derive(Deserialize)]
struct Wheel {
    url: Option<String>,
    path: Option<String>,
    name: Option<String>,
    #[serde(alias = "file")]
    filename: Option<String>,
    hash: Option<String>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

pub(super) fn artifacts(text: &SavedText, source: &str) -> Result<Vec<ListedArtifact>, AuditError> {
    let lock: Lock = toml::from_str(source).map_err(|error| text.wrong(&format!("no lock file: {error}")))?;
    Ok(lock.packages.into_iter().flat_map(|package| package.wheels).filter_map(of_wheel).collect())
}

fn of_wheel(wheel: Wheel) -> Option<ListedArtifact> {
    let sha256 = wheel.hashes.get("sha256").or(wheel.hash.as_ref()).map(|own| digest(own));
    let named = wheel.name.or(wheel.filename).map(|name| file_name(&name).to_owned());
    let address = wheel.url.as_deref().or(wheel.path.as_deref());
    // Poetry's and PDM's files are wheels and sources.
    let is_source = |name: &str| address.is_none() && !name.ends_with(".whl");
    let mut listed = address.map(|address| of_address(address, sha256.as_deref())).unwrap_or_default();
    if let Some(name) = named.filter(|name| !is_source(name)) {
        listed.name = name;
    }
    listed.url = wheel.url;
    listed.sha256 = sha256;
    (!listed.name.is_empty()).then_some(listed)
}
