//! Lists that name artifacts: reports and locks of pip, uv, conda and pixi, indexes of packages, a release's files.
//!
//! What a list is, its content says; only JSON says so by its name too, as documents of this program do.

mod json;
mod lines;
#[cfg(feature = "cli")]
mod toml_lock;

use super::saved::{MANIFEST_END, SavedText};
use crate::error::AuditError;
use crate::locator::file_name;

/// An artifact that a list names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ListedArtifact {
    /// The name of its file.
    pub name: String,
    /// The other name that its file may have: conda's packages have one of two ends.
    pub other_name: Option<String>,
    /// The address that the list gives for it.
    pub url: Option<String>,
    /// The SHA-256 that the list gives for it, in lower case.
    pub sha256: Option<String>,
}

/// What lists are read, for who named something else.
const EXPECTED: &str = "expected a manifest (`rocm-audit manifest`), a report of `pip install --dry-run --report`, a release's \
                        files as GitHub's interface or `gh release view --json assets` lists them, an index of packages \
                        (PyPI's, conda's repodata.json), `conda list --json`";

/// The artifacts that a list names.
///
/// # Errors
/// Where it is no list that is known, with what was expected.
pub(super) fn artifacts(text: &SavedText, is_json: bool) -> Result<Vec<ListedArtifact>, AuditError> {
    if is_json {
        return json::artifacts(text);
    }
    let source = std::str::from_utf8(&text.bytes).map_err(|_| text.wrong("it is not UTF-8"))?;
    match lines::artifacts(source) {
        Some(found) => Ok(found),
        #[cfg(feature = "cli")]
        None => toml_lock::artifacts(text, source),
        #[cfg(not(feature = "cli"))]
        None => {
            Err(text.wrong("lock files in TOML are not read by this build; the feature `cli` reads them"))
        }
    }
}

pub(super) use lines::is_explicit;

/// Files that lie beside artifacts and are none: digests, signatures, texts, manifests.
const NO_ARTIFACTS: [&str; 15] = [
    MANIFEST_END,
    ".json",
    ".sha256",
    ".sha512",
    ".sha256sum",
    ".md5",
    ".asc",
    ".sig",
    ".sigstore",
    ".minisig",
    ".pem",
    ".txt",
    ".md",
    ".yml",
    ".metadata",
];

/// Whether a file of a list may be an artifact, by its name.
pub(super) fn is_artifact(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !name.is_empty() && !name.starts_with("sha256sums") && !NO_ARTIFACTS.iter().any(|end| name.ends_with(end))
}

/// The artifact behind an address: its file name, without what follows `#` and `?`.
fn of_address(url: &str, sha256: Option<&str>) -> ListedArtifact {
    let plain = url.split(['#', '?']).next().unwrap_or_default();
    let behind = url.split_once('#').map(|(_, behind)| behind);
    let in_address = behind.and_then(|own| own.strip_prefix("sha256=").or(own.strip_prefix("sha256:")));
    ListedArtifact {
        name: decoded(file_name(plain)),
        url: Some(url.to_owned()),
        sha256: sha256.or(in_address).map(digest),
        other_name: None,
    }
}

/// A digest as manifests write it.
fn digest(text: &str) -> String {
    text.trim_start_matches("sha256:").to_ascii_lowercase()
}

/// A package of conda by its name, version and build, whose file ends in one of two ways.
fn of_conda(stem: &str) -> ListedArtifact {
    ListedArtifact {
        name: format!("{stem}.conda"),
        other_name: Some(format!("{stem}.tar.bz2")),
        ..ListedArtifact::default()
    }
}

/// `%2B` and the like as the characters that they stand for.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
