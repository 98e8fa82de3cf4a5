//! Artifacts to choose from: files, folders of packages, manifests, and lists that name artifacts (reports of pip,
//! lock files, lists of a release's files).

use super::saved::SavedText;
use crate::error::AuditError;
use crate::input::folder::files_in;
use crate::locator::file_name;
use crate::report::v1::Manifest;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of manifests end, behind the names of their artifacts.
pub const MANIFEST_END: &str = ".rocm.json";

/// Size limit for a list in bytes.
const LARGEST_LIST: u64 = 32 << 20;
/// Bytes of the manifests and lists of one folder: as many as 20,000 usual manifests.
const MOST_TEXT: u64 = 256 << 20;
/// Artifacts of one run.
const MOST: usize = 100_000;

/// Ends of names of packages: a folder in which such files lie is a list of them, and no tree.
const PACKAGES: [&str; 12] = [
    ".whl", ".deb", ".rpm", ".conda", ".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".tar.bz2",
    ".apk",
];

/// An artifact to choose from.
#[derive(Debug, Default)]
pub struct ArtifactCandidate {
    /// Its file name.
    pub name: String,
    /// The file or folder, if it is here.
    pub path: Option<PathBuf>,
    /// A manifest of it, with the path of the manifest.
    pub manifest: Option<(PathBuf, Manifest)>,
    /// The address that a list gives for it.
    pub url: Option<String>,
    /// The SHA-256 that a list gives for it.
    pub sha256: Option<String>,
    /// What was not used of what is said about it.
    pub remarks: Vec<String>,
}

/// What the paths of a call name.
#[derive(Debug, Default)]
struct Named {
    files: Vec<PathBuf>,
    manifests: Vec<(PathBuf, Manifest)>,
    /// With the folder of the list.
    listed: Vec<(PathBuf, ListedArtifact)>,
}

/// An artifact that a list names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct ListedArtifact {
    name: String,
    url: Option<String>,
    sha256: Option<String>,
}

/// The artifacts that paths name, each once: files, folders, those that lists and manifests name. A manifest and a
/// list's line are joined with the file of that name in the call or beside them.
///
/// # Errors
/// Where a path, a manifest or a list cannot be read, with what was expected.
pub fn candidates(paths: &[PathBuf]) -> Result<Vec<ArtifactCandidate>, AuditError> {
    let mut named = Named::default();
    for path in paths {
        add(&mut named, path)?;
    }
    let total = named.files.len() + named.manifests.len() + named.listed.len();
    if total > MOST {
        let what = format!("choose: {total} artifacts are named, and {MOST} are the most of one call");
        return Err(AuditError::Usage(what));
    }
    Ok(joined(named))
}

/// Whether a file is a manifest: its name ends with `.json`, and it says so.
pub fn is_manifest(path: &Path) -> bool {
    let says_so = || SavedText::open(path, "", LARGEST_LIST).and_then(|text| text.is_manifest());
    super::saved::is_named_so(path) && says_so().unwrap_or(false)
}

/// Whether a path is a folder of packages; its files then.
pub fn packages_in(path: &Path) -> Option<Vec<PathBuf>> {
    if !path.is_dir() {
        return None;
    }
    let mut files = files_in(path);
    files.retain(|file| is_package(file));
    (!files.is_empty()).then_some(files)
}

/// The manifests of a folder in which nothing else lies.
pub fn only_manifests_in(path: &Path) -> Option<Vec<PathBuf>> {
    if !path.is_dir() {
        return None;
    }
    let files = files_in(path);
    let are_all = !files.is_empty() && files.iter().all(|file| is_manifest(file));
    are_all.then_some(files)
}

fn is_package(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    PACKAGES.iter().any(|end| name.ends_with(end))
}

fn add(named: &mut Named, path: &Path) -> Result<(), AuditError> {
    if path.is_dir() {
        return add_folder(named, path);
    }
    match is_list(path, true) {
        false => named.files.push(path.to_owned()),
        true => add_text(named, path, &SavedText::open(path, "", LARGEST_LIST)?)?,
    }
    Ok(())
}

/// A folder: a tree, or a list of the packages in it, of those that manifests of it are about, and of those that
/// its lists name.
fn add_folder(named: &mut Named, path: &Path) -> Result<(), AuditError> {
    let packages = packages_in(path).unwrap_or_default();
    let mut texts = files_in(path);
    texts.retain(|file| is_list(file, false));
    let read = AtomicU64::new(0);
    // Another JSON in it has nothing to do with artifacts.
    let of_text = |file: PathBuf| -> Option<Result<Named, AuditError>> {
        let text = SavedText::open(&file, "", LARGEST_LIST).ok()?;
        if read.fetch_add(text.bytes.len() as u64, Ordering::Relaxed) > MOST_TEXT {
            let what = format!("the manifests and lists of its folder have more than {MOST_TEXT} bytes");
            return Some(Err(text.wrong(&what)));
        }
        let mut own = Named::default();
        let is_manifest =
            || file.to_string_lossy().ends_with(MANIFEST_END) || text.is_manifest().is_ok_and(|is| is);
        match add_text(&mut own, &file, &text) {
            Err(error) if is_manifest() => Some(Err(error)),
            found => found.ok().map(|()| Ok(own)),
        }
    };
    let texts: Vec<Result<Named, AuditError>> = texts.into_par_iter().filter_map(of_text).collect();
    if packages.is_empty() && texts.is_empty() {
        named.files.push(path.to_owned());
    }
    named.files.extend(packages);
    for text in texts {
        let text = text?;
        named.manifests.extend(text.manifests);
        named.listed.extend(text.listed);
    }
    Ok(())
}

/// Whether the name of a file says that it is a manifest or a list. In a folder lock files have the names that their
/// programs give them.
fn is_list(path: &Path, is_named: bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_lock = || name == "uv.lock" || (name.starts_with("pylock.") && name.ends_with(".toml"));
    name.ends_with(".json") || is_lock() || (is_named && (name.ends_with(".lock") || name.ends_with(".toml")))
}

/// A manifest, or a list.
fn add_text(named: &mut Named, path: &Path, text: &SavedText) -> Result<(), AuditError> {
    let listed = if super::saved::is_named_so(path) {
        if text.is_manifest()? {
            named.manifests.push((path.to_owned(), text.manifest()?));
            return Ok(());
        }
        of_json(text)?
    } else {
        of_toml(text)?
    };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    named.listed.extend(listed.into_iter().map(|one| (folder.clone(), one)));
    Ok(())
}

/// Joins what is about one artifact.
fn joined(named: Named) -> Vec<ArtifactCandidate> {
    let name_of = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut all: Vec<ArtifactCandidate> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    // A file, a manifest and a line of a list of one name are about one artifact.
    let mut of_name = |all: &mut Vec<ArtifactCandidate>, name: String| -> usize {
        *places.entry(name.clone()).or_insert_with(|| {
            all.push(ArtifactCandidate { name, ..ArtifactCandidate::default() });
            all.len() - 1
        })
    };
    let mut twins = Vec::new();
    for path in named.files {
        let place = of_name(&mut all, name_of(&path));
        let Some(own) = all.get_mut(place) else { continue };
        match &own.path {
            None => own.path = Some(path),
            Some(known) if known.canonicalize().ok() == path.canonicalize().ok() => {}
            // Two files of one name in two folders are two artifacts.
            Some(_) => twins.push(path),
        }
    }
    for (from, manifest) in named.manifests {
        let place = of_name(&mut all, file_name(&manifest.artifact.name).to_owned());
        let Some(own) = all.get_mut(place) else { continue };
        if own.path.is_none() {
            own.path = beside(from.parent(), &own.name);
        }
        match &own.manifest {
            None => own.manifest = Some((from, manifest)),
            Some((known, other))
                if (&other.artifact, &other.cards) != (&manifest.artifact, &manifest.cards) =>
            {
                own.remarks.push(format!(
                    "{} says something else than {}, and was not used",
                    from.display(),
                    known.display()
                ));
            }
            Some(_) => {}
        }
    }
    for (folder, listed) in named.listed {
        let place = of_name(&mut all, listed.name);
        let Some(own) = all.get_mut(place) else { continue };
        if own.path.is_none() {
            own.path = beside(Some(&folder), &own.name);
        }
        if own.manifest.is_none() {
            let from = beside(Some(&folder), &format!("{}{MANIFEST_END}", own.name));
            own.manifest =
                from.and_then(|from| super::saved::read_manifest(&from).ok().map(|read| (from, read)));
        }
        own.url = own.url.take().or(listed.url);
        own.sha256 = own.sha256.take().or(listed.sha256);
    }
    all.extend(twins.into_iter().map(|path| ArtifactCandidate {
        name: name_of(&path),
        path: Some(path),
        ..ArtifactCandidate::default()
    }));
    all
}

/// A file of this name in a folder. The name is a stranger's: one that leads elsewhere is none.
fn beside(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    let is_plain = !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != ".." && name != ".";
    let path = folder?.join(name);
    (is_plain && path.exists()).then_some(path)
}

/// The artifact behind an address: its file name, without what follows `#` and `?`.
fn of_address(url: &str, sha256: Option<&str>) -> ListedArtifact {
    let plain = url.split(['#', '?']).next().unwrap_or_default();
    let in_address = url.split_once("#sha256=").map(|(_, digest)| digest);
    ListedArtifact {
        name: decoded(file_name(plain)),
        url: Some(url.to_owned()),
        sha256: sha256.or(in_address).map(|digest| digest.trim_start_matches("sha256:").to_ascii_lowercase()),
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

/// A list in JSON: a report of pip, or the files of a release as GitHub's interface gives them, or several such
/// releases.
fn of_json(text: &SavedText) -> Result<Vec<ListedArtifact>, AuditError> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum List {
        Pip { install: Vec<PipItem> },
        Release { assets: Vec<Asset> },
        Releases(Vec<Release>),
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
        digest: Option<String>,
    }
    let of_assets = |assets: Vec<Asset>| -> Vec<ListedArtifact> {
        let one = |asset: Asset| ListedArtifact {
            name: file_name(&asset.name).to_owned(),
            url: asset.browser_download_url,
            sha256: asset.digest.and_then(|digest| digest.strip_prefix("sha256:").map(str::to_owned)),
        };
        assets.into_iter().map(one).collect()
    };
    let expected = "expected a manifest (`rocm-audit manifest`), a report of `pip install --dry-run --report`, or a release's \
                    files as GitHub's interface lists them";
    match serde_json::from_slice(&text.bytes) {
        Ok(List::Pip { install }) => {
            let one = |item: PipItem| {
                let hashes =
                    item.download_info.archive_info.map(|archive| archive.hashes).unwrap_or_default();
                of_address(&item.download_info.url, hashes.get("sha256").map(String::as_str))
            };
            Ok(install.into_iter().map(one).collect())
        }
        Ok(List::Release { assets }) => Ok(of_assets(assets)),
        Ok(List::Releases(releases)) => {
            Ok(releases.into_iter().flat_map(|release| of_assets(release.assets)).collect())
        }
        Err(error) if error.is_syntax() || error.is_eof() => Err(text.wrong(&format!("no JSON: {error}"))),
        Err(_) => Err(text.wrong(&format!("it is no list of artifacts; {expected}"))),
    }
}

/// A lock file: `uv.lock`, or `pylock.toml` of PEP 751. Packages without wheels are left out.
#[cfg(feature = "cli")]
fn of_toml(text: &SavedText) -> Result<Vec<ListedArtifact>, AuditError> {
    #[derive(Deserialize)]
    struct Lock {
        #[serde(alias = "package", default)]
        packages: Vec<Locked>,
    }
    #[derive(Deserialize)]
    struct Locked {
        #[serde(default)]
        wheels: Vec<Wheel>,
    }
    #[derive(Deserialize)]
    struct Wheel {
        url: Option<String>,
        path: Option<String>,
        name: Option<String>,
        filename: Option<String>,
        hash: Option<String>,
        #[serde(default)]
        hashes: BTreeMap<String, String>,
    }
    let source = std::str::from_utf8(&text.bytes).map_err(|_| text.wrong("it is not UTF-8"))?;
    let lock: Lock = toml::from_str(source).map_err(|error| text.wrong(&format!("no lock file: {error}")))?;
    let wheels = lock.packages.into_iter().flat_map(|package| package.wheels);
    let one = |wheel: Wheel| {
        let sha256 = wheel.hashes.get("sha256").or(wheel.hash.as_ref()).map(String::as_str);
        let address = wheel.url.as_deref().or(wheel.path.as_deref())?;
        let mut listed = of_address(address, sha256);
        if let Some(name) = wheel.name.or(wheel.filename) {
            listed.name = file_name(&name).to_owned();
        }
        listed.url = wheel.url;
        Some(listed)
    };
    Ok(wheels.filter_map(one).collect())
}

/// Refused: this build has no TOML.
#[cfg(not(feature = "cli"))]
fn of_toml(text: &SavedText) -> Result<Vec<ListedArtifact>, AuditError> {
    Err(text.wrong("lock files in TOML are not read by this build; the feature `cli` reads them"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn text(content: &str) -> SavedText {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("list");
        std::fs::write(&file, content).unwrap();
        SavedText::open(&file, "", LARGEST_LIST).unwrap()
    }

    #[test]
    fn lists_name_artifacts_with_their_digests() {
        let one = |name: &str| ListedArtifact {
            name: name.to_owned(),
            url: Some(format!("https://example.invalid/{name}")),
            sha256: Some("ab".to_owned()),
        };
        let pip = r#"{"version":"1","pip_version":"25.0","install":[{"download_info":{"url":"https://example.invalid/a-1-py3-none-any.whl",
            "archive_info":{"hash":"sha256=ab","hashes":{"sha256":"AB"}}},"metadata":{"name":"a"}}]}"#;
        assert_eq!(of_json(&text(pip)).unwrap(), [one("a-1-py3-none-any.whl")]);
        let release = r#"{"tag_name":"v1","assets":[{"name":"x.zip","browser_download_url":"https://example.invalid/x.zip","digest":"sha256:ab","size":3}]}"#;
        assert_eq!(of_json(&text(release)).unwrap(), [one("x.zip")]);
        assert_eq!(of_json(&text(&format!("[{release}]"))).unwrap(), [one("x.zip")]);
        let error = of_json(&text("{\"a\":1}")).unwrap_err().to_string();
        assert!(error.contains("no list of artifacts"), "{error}");
        assert!(of_json(&text("{")).unwrap_err().to_string().contains("no JSON"));
    }

    #[cfg(feature = "cli")]
    #[test]
    fn lock_files_name_wheels() {
        let uv = "version = 1\n[[package]]\nname = \"a\"\nversion = \"1\"\nsdist = { url = \"https://example.invalid/a.tar.gz\", hash = \"sha256:00\" }\nwheels = [\n { url = \"https://example.invalid/a-1%2Brocm-py3-none-any.whl\", hash = \"sha256:ab\", size = 4 },\n]\n[[package]]\nname = \"b\"\n";
        let found = of_toml(&text(uv)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].name.as_str(), found[0].sha256.as_deref()),
            ("a-1+rocm-py3-none-any.whl", Some("ab"))
        );
        let pylock = "lock-version = \"1.0\"\n[[packages]]\nname = \"a\"\n[[packages.wheels]]\nname = \"a-1-py3-none-any.whl\"\nurl = \"https://example.invalid/x/a-1-py3-none-any.whl\"\nhashes = {sha256 = \"ab\"}\n";
        let found = of_toml(&text(pylock)).unwrap();
        assert_eq!(found[0].name, "a-1-py3-none-any.whl");
        assert!(of_toml(&text("a = ")).is_err());
    }

    #[test]
    fn names_of_strangers_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.whl"), "").unwrap();
        assert!(beside(Some(folder.path()), "a.whl").is_some());
        for name in ["../a.whl", "..", ".", "", "/etc/passwd", "a\0"] {
            assert_eq!(beside(Some(folder.path()), name), None, "{name:?}");
        }
    }
}
