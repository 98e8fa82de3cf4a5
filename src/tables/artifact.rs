//! The artifact that rows belong to: its columns in every row.

use super::batch::CellValue;
use crate::locator::file_name;
use std::path::Path;

/// The artifact that rows belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The name of the file or folder.
    pub artifact: String,
    /// Its version, if known.
    pub version: Option<String>,
    /// Its SHA-256 in hexadecimal, if it was read whole.
    pub digest: Option<String>,
    /// Path or URL where it came from.
    pub source: String,
    /// The program that reads it.
    pub tool: String,
}

impl Origin {
    /// The origin for a path; the version is taken from the file name.
    pub fn from_path(path: &Path) -> Self {
        Self::named(&path.to_string_lossy())
    }

    /// The origin for a path or URL.
    pub fn named(source: &str) -> Self {
        let without_query = source.split(['?', '#']).next().unwrap_or(source);
        let path = if source.contains("://") { without_query } else { source };
        let artifact = file_name(path).to_owned();
        let version = version(&artifact).map(str::to_owned);
        Origin { artifact, version, digest: None, source: source.to_owned(), tool: super::tool() }
    }

    pub(super) fn cells(&self) -> [CellValue<'_>; 5] {
        [
            (&self.artifact).into(),
            self.version.as_ref().into(),
            self.digest.as_ref().into(),
            (&self.source).into(),
            (&self.tool).into(),
        ]
    }
}

/// The version in a file name: the second part of a wheel's name by PEP 427, that of a Debian package
/// (`name_version_arch.deb`), an RPM (`name-version-release.arch.rpm`) or conda's (`name-version-build.conda`); in
/// other names the text behind the first hyphen or underscore that begins with two numbers and a dot between them,
/// up to the extension. One number is part of a library's name, as in `libamdhip64-6`.
fn version(name: &str) -> Option<&str> {
    let ending = |end: &str| name.len().checked_sub(end.len()).and_then(|at| name.split_at_checked(at));
    let has =
        |end: &str| ending(end).filter(|(_, found)| found.eq_ignore_ascii_case(end)).map(|(stem, _)| stem);
    if let Some(stem) = has(".whl") {
        return stem.split('-').nth(1);
    }
    if let Some(stem) = has(".deb") {
        return stem.split('_').nth(1);
    }
    if let Some(stem) = has(".rpm") {
        let (name_version_release, _arch) = stem.rsplit_once('.')?;
        let (name_version, release) = name_version_release.rsplit_once('-')?;
        let (name, _) = name_version.rsplit_once('-')?;
        return name_version_release.get(name.len() + 1..).filter(|_| !release.is_empty());
    }
    if let Some(stem) = has(".conda") {
        return stem.rsplit('-').nth(1);
    }
    let endings = [".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tgz", ".tar", ".zip", ".7z", ".kpack"];
    let stem = endings.iter().find_map(|end| has(end)).unwrap_or(name);
    let begins = |at: &usize| {
        let rest = stem.get(at + 1..).unwrap_or_default();
        let behind = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let second = behind.strip_prefix('.').unwrap_or_default();
        behind.len() < rest.len() && second.starts_with(|letter: char| letter.is_ascii_digit())
    };
    let at = stem.match_indices(['-', '_']).map(|(at, _)| at).find(begins)?;
    stem.get(at + 1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of real packages, with the versions that their indexes state.
    #[test]
    fn versions_are_those_of_indexes() {
        for (name, expected) in [
            ("bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl", Some("0.50.2")),
            ("torch-2.9.0+rocm6.4-cp312-cp312-manylinux_2_28_x86_64.whl", Some("2.9.0+rocm6.4")),
            ("libggml0-backend-hip_0.27.0-1_amd64.deb", Some("0.27.0-1")),
            ("rocblas-4.4.1.60403-128.el9.x86_64.rpm", Some("4.4.1.60403-128.el9")),
            ("therock-dist-linux-gfx110X-7.0.0rc1.tar.gz", Some("7.0.0rc1")),
            ("rocm-6.4.1", Some("6.4.1")),
            ("hip-6.4.1-h3f2d84a_0.conda", Some("6.4.1")),
            ("libggml-hip.so", None),
            ("libamdhip64-6.tar", None),
            ("Kernels.so-000-gfx1010.hsaco", None),
            (".whl", None),
            ("é.rpm", None),
        ] {
            assert_eq!(version(name), expected, "{name}");
        }
        let origin = Origin::named("https://example.org/x/demo-1.2-py3-none-any.whl?token=1");
        assert_eq!(
            (origin.artifact.as_str(), origin.version.as_deref()),
            ("demo-1.2-py3-none-any.whl", Some("1.2"))
        );
    }
}
