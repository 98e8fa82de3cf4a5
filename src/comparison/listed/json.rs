//! Lists in JSON.

use super::{EXPECTED, ListedArtifact, SavedText, digest, of_address, of_conda};
use crate::error::AuditError;
use crate::locator::file_name;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A list, by the keys that only it has.
#[derive(Deserialize)]
#[serde(untagged)]
enum List {
    /// `pip install --dry-run --report`.
    Pip { install: Vec<PipItem> },
    /// A release, of GitHub's interface or of `gh release view --json assets`.
    Release(Release),
    /// `repodata.json` of a folder of conda's packages.
    Conda {
        packages: BTreeMap<String, CondaFile>,
        #[serde(default, rename = "packages.conda")]
        newer: BTreeMap<String, CondaFile>,
    },
    /// A project of a package index (PEP 691).
    Index { files: Vec<IndexFile> },
    /// A release of PyPI's older interface.
    Pypi { urls: Vec<IndexFile> },
    /// Several releases.
    Releases(Vec<Release>),
    /// `conda list --json`.
    Installed(Vec<CondaRow>),
}

#[derive(Deserialize)]
struct Release {
    assets: Vec<Asset>,
}

#[derive(Deserialize)]
struct PipItem {
    download_info: Download,
}

#[derive(Deserialize)]
struct Download {
    url: String,
    archive_info: Option<Archive>,
}

#[derive(Deserialize)]
struct Archive {
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Asset {
    name: String,
    browser_download_url: Option<String>,
    /// The interface's own address of it, beside `browser_download_url`; what downloads it, beside `apiUrl`.
    url: Option<String>,
    #[serde(rename = "apiUrl")]
    api_url: Option<String>,
    digest: Option<String>,
}

#[derive(Deserialize)]
struct CondaFile {
    sha256: Option<String>,
}

#[derive(Deserialize)]
struct CondaRow {
    dist_name: String,
}

#[derive(Deserialize)]
struct IndexFile {
    filename: String,
    url: Option<String>,
    #[serde(default, alias = "digests")]
    hashes: BTreeMap<String, String>,
}

pub(super) fn artifacts(text: &SavedText) -> Result<Vec<ListedArtifact>, AuditError> {
    Ok(match serde_json::from_slice(&text.bytes) {
        Ok(List::Pip { install }) => install.into_iter().map(of_pip).collect(),
        Ok(List::Release(release)) => release.assets.into_iter().map(of_asset).collect(),
        Ok(List::Releases(releases)) => {
            releases.into_iter().flat_map(|release| release.assets).map(of_asset).collect()
        }
        Ok(List::Conda { packages, newer }) => packages.into_iter().chain(newer).map(of_conda_file).collect(),
        Ok(List::Installed(rows)) => rows.iter().map(|row| of_conda(file_name(&row.dist_name))).collect(),
        Ok(List::Index { files } | List::Pypi { urls: files }) => files.into_iter().map(of_index).collect(),
        Err(error) if error.is_syntax() || error.is_eof() => {
            return Err(text.wrong(&format!("no JSON: {error}")));
        }
        Err(_) => return Err(text.wrong(&format!("it is no list of artifacts; {EXPECTED}"))),
    })
}

fn of_pip(item: PipItem) -> ListedArtifact {
    let hashes = item.download_info.archive_info.map(|archive| archive.hashes).unwrap_or_default();
    of_address(&item.download_info.url, hashes.get("sha256").map(String::as_str))
}

fn of_asset(asset: Asset) -> ListedArtifact {
    let of_program = asset.url.filter(|_| asset.api_url.is_some());
    ListedArtifact {
        name: file_name(&asset.name).to_owned(),
        url: asset.browser_download_url.or(of_program),
        sha256: asset.digest.filter(|own| own.starts_with("sha256:")).map(|own| digest(&own)),
        other_name: None,
    }
}

fn of_conda_file((name, file): (String, CondaFile)) -> ListedArtifact {
    ListedArtifact {
        name: file_name(&name).to_owned(),
        sha256: file.sha256.as_deref().map(digest),
        ..ListedArtifact::default()
    }
}

fn of_index(file: IndexFile) -> ListedArtifact {
    ListedArtifact {
        name: file_name(&file.filename).to_owned(),
        url: file.url,
        sha256: file.hashes.get("sha256").map(|own| digest(own)),
        other_name: None,
    }
}
