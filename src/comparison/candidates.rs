//! Artifacts to choose from: files, folders of packages, manifests, and lists that name artifacts.

use super::listed::{self, ListedArtifact};
pub use super::saved::MANIFEST_END;
use super::saved::SavedText;
use crate::error::AuditError;
use crate::input::folder::files_in;
use crate::locator::file_name;
use crate::report::v1::Manifest;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use rocm_audit_files::key_map::KeyMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Size limit for a list in bytes.
const LARGEST_LIST: u64 = 32 << 20;
/// Bytes of the manifests and lists of one folder: as many as 20,000 usual manifests.
const MOST_TEXT: u64 = 256 << 20;
/// Artifacts of one run.
const MOST: usize = 100_000;

/// Names of lock files and environments, as their programs give them.
const LOCKS: [&str; 8] = [
    "uv.lock",
    "pixi.lock",
    "poetry.lock",
    "pdm.lock",
    "conda-lock.yml",
    "conda-lock.yaml",
    "environment.yml",
    "environment.yaml",
];

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
    /// What a manifest of it says.
    pub manifest: Option<StatedManifest>,
    /// The address that a list gives for it.
    pub url: Option<String>,
    /// The SHA-256 that a list gives for it.
    pub sha256: Option<String>,
    /// What was not used of what is said about it.
    pub remarks: Vec<String>,
}

/// What a manifest says of the processor that is asked about.
#[derive(Debug)]
pub struct StatedManifest {
    /// The path of the manifest.
    pub from: PathBuf,
    /// The manifest without its rows for other processors, which would be most of the memory of a call with
    /// thousands of them.
    pub manifest: Manifest,
    /// What the whole manifest says in two ways that cannot both be true.
    pub contradiction: Option<String>,
}

impl StatedManifest {
    fn new(from: PathBuf, mut manifest: Manifest, processor: &str) -> Self {
        let contradiction = manifest.contradiction();
        manifest.keep_processor(processor);
        StatedManifest { from, manifest, contradiction }
    }
}

/// What the paths of a call name.
#[derive(Debug, Default)]
struct Named {
    files: Vec<PathBuf>,
    manifests: Vec<StatedManifest>,
    /// With the folder of the list.
    listed: Vec<(PathBuf, ListedArtifact)>,
}

/// The artifacts that paths name, each once: files, folders, those that lists and manifests name. A manifest and a
/// list's line are joined with the file of that name in the call or beside them. What manifests say of other
/// processors than this one is left out.
///
/// # Errors
/// Where a path, a manifest or a list cannot be read, with what was expected.
pub fn candidates(paths: &[PathBuf], processor: &str) -> Result<Vec<ArtifactCandidate>, AuditError> {
    let mut named = Named::default();
    for path in paths {
        add(&mut named, path, processor)?;
    }
    let total = named.files.len() + named.manifests.len() + named.listed.len();
    if total > MOST {
        let what = format!("choose: {total} artifacts are named, and {MOST} are the most of one call");
        return Err(AuditError::Usage(what));
    }
    Ok(joined(named, processor))
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

fn add(named: &mut Named, path: &Path, processor: &str) -> Result<(), AuditError> {
    if path.is_dir() {
        return add_folder(named, path, processor);
    }
    match is_list(path, true) {
        false => named.files.push(path.to_owned()),
        true => add_text(named, path, &SavedText::open(path, "", LARGEST_LIST)?, processor)?,
    }
    Ok(())
}

/// A folder: a tree, or a list of the packages in it, of those that manifests of it are about, and of those that
/// its lists name.
fn add_folder(named: &mut Named, path: &Path, processor: &str) -> Result<(), AuditError> {
    let files = files_in(path);
    let packages: Vec<PathBuf> = files.iter().filter(|file| is_package(file)).cloned().collect();
    let texts: Vec<PathBuf> = files.into_iter().filter(|file| is_list(file, false)).collect();
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
        match add_text(&mut own, &file, &text, processor) {
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

/// Whether a file is a manifest or a list, by its name, and by its first lines where the name says little. In a folder
/// lists have the names that their programs give them.
fn is_list(path: &Path, is_named: bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let is_lock =
        || LOCKS.contains(&name.as_str()) || (name.starts_with("pylock.") && name.ends_with(".toml"));
    name.ends_with(".json")
        || is_lock()
        || (is_named && ends(&[".lock", ".toml", ".yml", ".yaml", ".html", ".htm"]))
        || (is_named && name.ends_with(".txt") && begins_as_list(path))
}

/// Whether a text is a list of conda's, which may have any name.
fn begins_as_list(path: &Path) -> bool {
    let file = crate::source::SourceFile::open(path);
    file.is_ok_and(|file| listed::is_explicit(&String::from_utf8_lossy(file.head())))
}

/// A manifest, or a list.
fn add_text(named: &mut Named, path: &Path, text: &SavedText, processor: &str) -> Result<(), AuditError> {
    let is_json = super::saved::has_its_name(path);
    if is_json && text.is_manifest()? {
        named.manifests.push(StatedManifest::new(path.to_owned(), text.manifest()?, processor));
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let found = listed::artifacts(text, is_json)?;
    let is_artifact = |one: &ListedArtifact| listed::is_artifact(&one.name);
    named.listed.extend(found.into_iter().filter(is_artifact).map(|one| (folder.clone(), one)));
    Ok(())
}

/// What is about one artifact each: a file, a manifest and a line of a list of one name.
#[derive(Default)]
struct ByName {
    all: Vec<ArtifactCandidate>,
    places: KeyMap<String, usize>,
    /// Further files of a name, in other folders.
    twins: Vec<PathBuf>,
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Joins what is about one artifact.
fn joined(named: Named, processor: &str) -> Vec<ArtifactCandidate> {
    let mut by_name = ByName::default();
    named.files.into_iter().for_each(|path| by_name.add_file(path));
    named.manifests.into_iter().for_each(|stated| by_name.add_manifest(stated));
    named.listed.into_iter().for_each(|(folder, listed)| by_name.add_listed(&folder, listed, processor));
    let ByName { mut all, twins, .. } = by_name;
    all.extend(twins.into_iter().map(|path| ArtifactCandidate {
        name: name_of(&path),
        path: Some(path),
        ..ArtifactCandidate::default()
    }));
    all
}

impl ByName {
    fn of_name(&mut self, name: String) -> Option<&mut ArtifactCandidate> {
        let all = &mut self.all;
        let place = *self.places.entry(name.clone()).or_insert_with(|| {
            all.push(ArtifactCandidate { name, ..ArtifactCandidate::default() });
            all.len() - 1
        });
        all.get_mut(place)
    }

    fn add_file(&mut self, path: PathBuf) {
        let Some(own) = self.of_name(name_of(&path)) else { return };
        match &own.path {
            None => own.path = Some(path),
            Some(known) if known.canonicalize().ok() == path.canonicalize().ok() && path.exists() => {}
            Some(known) if *known == path => {}
            // Two files of one name in two folders are two artifacts.
            Some(_) => self.twins.push(path),
        }
    }

    fn add_manifest(&mut self, stated: StatedManifest) {
        let Some(own) = self.of_name(file_name(&stated.manifest.artifact.name).to_owned()) else { return };
        if own.path.is_none() {
            own.path = beside(stated.from.parent(), &own.name);
        }
        let says = |all: &StatedManifest| {
            let StatedManifest { manifest, contradiction, .. } = all;
            (manifest.artifact.clone(), manifest.cards.clone(), contradiction.clone())
        };
        match &own.manifest {
            None => own.manifest = Some(stated),
            Some(known) if says(known) != says(&stated) => {
                own.remarks.push(format!(
                    "{} says something else than {}, and was not used",
                    stated.from.display(),
                    known.from.display()
                ));
            }
            Some(_) => {}
        }
    }

    fn add_listed(&mut self, folder: &Path, mut listed: ListedArtifact, processor: &str) {
        let is_here = |name: &String| {
            self.places.contains_key(name)
                || beside(Some(folder), name).is_some()
                || beside(Some(folder), &format!("{name}{MANIFEST_END}")).is_some()
        };
        if let Some(other) = listed.other_name.take().filter(|other| is_here(other) && !is_here(&listed.name))
        {
            listed.name = other;
        }
        let Some(own) = self.of_name(listed.name) else { return };
        if own.path.is_none() {
            own.path = beside(Some(folder), &own.name);
        }
        if own.manifest.is_none() {
            let from = beside(Some(folder), &format!("{}{MANIFEST_END}", own.name));
            own.manifest = from.and_then(|from| {
                let read = super::saved::read_manifest(&from).ok()?;
                Some(StatedManifest::new(from, read, processor))
            });
        }
        own.url = own.url.take().or(listed.url);
        own.sha256 = own.sha256.take().or(listed.sha256);
    }
}

/// A file of this name in a folder. The name is a stranger's: one that leads elsewhere is none.
fn beside(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    let is_plain = !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != ".." && name != ".";
    let path = folder?.join(name);
    (is_plain && path.exists()).then_some(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
