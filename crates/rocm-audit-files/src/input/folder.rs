//! A folder: of a file system, or in a package. Who reads folders through this reads both.

use amdgpu_object::locator::NESTED;
use amdgpu_object::locator::file_name;
use amdgpu_object::source::SourceFile;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder whose files can be listed and opened by name.
#[derive(Debug, Clone)]
pub struct Folder(FolderPlace);

#[derive(Debug, Clone)]
enum FolderPlace {
    Disk(PathBuf),
    /// The members of a package, and a path among them without a slash at its end; empty for the top.
    Package(Arc<Members>, String),
}

/// The members of a package that were kept, by their paths in it.
#[derive(Debug)]
pub(super) struct Members {
    /// The package as messages name it; of packages beside each other that hold one file each, their folder.
    pub package: String,
    /// Whether each file is the only one of a package of its own.
    pub is_beside: bool,
    /// The files: their paths with `/`, without `./` in front.
    pub files: BTreeMap<String, Arc<SourceFile>>,
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Folder {
    /// A folder of the file system; it need not exist.
    pub fn on_disk(path: impl Into<PathBuf>) -> Self {
        let path: PathBuf = path.into();
        // A file that is named in the folder where the call is made has an empty parent.
        Folder(FolderPlace::Disk(if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }))
    }

    pub(super) fn in_package(members: Arc<Members>, path: &str) -> Self {
        Folder(FolderPlace::Package(members, path.to_owned()))
    }

    /// Its path: on disk, or as messages name a folder in a package: `x.whl!/lib/rocblas/library`.
    pub fn path(&self) -> PathBuf {
        match &self.0 {
            FolderPlace::Disk(path) => path.clone(),
            FolderPlace::Package(members, _) if members.is_beside => PathBuf::from(&members.package),
            FolderPlace::Package(members, path) => {
                PathBuf::from(format!("{}{NESTED}{path}", members.package))
            }
        }
    }

    /// The path of a file in it, for messages.
    pub fn path_of(&self, name: &str) -> PathBuf {
        match &self.0 {
            FolderPlace::Package(members, _) if members.is_beside => match members.files.get(name) {
                Some(file) => PathBuf::from(file.locator().shown()),
                None => self.path().join(name),
            },
            _ => self.path().join(name),
        }
    }

    /// The only file of a package that is named after it, as `a.kdb` is in `a.kdb.bz2`, and the package.
    pub(super) fn only_member(&self) -> Option<(&Path, &String, &Arc<SourceFile>)> {
        let FolderPlace::Package(members, top) = &self.0 else { return None };
        let mut files = members.files.iter();
        let (name, file) = files.next().filter(|_| top.is_empty() && files.next().is_none())?;
        let package = Path::new(&members.package);
        (package.file_stem()? == name.as_str()).then_some((package, name, file))
    }

    fn is_on_disk(&self) -> bool {
        matches!(self.0, FolderPlace::Disk(_))
    }

    /// Its own name; empty for the top of a package.
    pub fn name(&self) -> String {
        match &self.0 {
            FolderPlace::Disk(path) => {
                path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
            }
            FolderPlace::Package(members, _) if members.is_beside => file_name(&members.package).to_owned(),
            FolderPlace::Package(_, path) => file_name(path).to_owned(),
        }
    }

    /// The files in it, links to files included, sorted by name. Names that are no UTF-8 are left out.
    ///
    /// # Errors
    /// What the system said of the folder.
    pub fn files(&self) -> io::Result<Vec<ListedFile>> {
        let mut all = Vec::new();
        match &self.0 {
            FolderPlace::Disk(path) => {
                for entry in std::fs::read_dir(path)? {
                    let entry = entry?;
                    let Ok(name) = entry.file_name().into_string() else { continue };
                    let Ok(metadata) = std::fs::metadata(entry.path()) else { continue };
                    if metadata.is_file() {
                        all.push(ListedFile { name, bytes: metadata.len() });
                    }
                }
                all.sort_by(|a, b| a.name.cmp(&b.name));
            }
            FolderPlace::Package(members, path) => {
                let prefix = prefix(path);
                for (file, source) in members.files.range(prefix.clone()..) {
                    let Some(name) = file.strip_prefix(&prefix) else { break };
                    if !name.contains('/') {
                        all.push(ListedFile { name: name.to_owned(), bytes: source.len() });
                    }
                }
            }
        }
        Ok(all)
    }

    /// The names of what stands in it, in no particular order; nothing where it cannot be listed. Cheaper
    /// than
    /// [`Folder::files`], since no file is looked at.
    pub fn names(&self) -> Vec<String> {
        match &self.0 {
            FolderPlace::Disk(path) => std::fs::read_dir(path)
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .collect(),
            FolderPlace::Package(..) => self.files().into_iter().flatten().map(|file| file.name).collect(),
        }
    }

    /// Whether a file of this name stands in it.
    pub fn has(&self, name: &str) -> bool {
        match &self.0 {
            FolderPlace::Disk(path) => path.join(name).exists(),
            FolderPlace::Package(members, path) => members.files.contains_key(&(prefix(path) + name)),
        }
    }

    /// Opens a file in it.
    ///
    /// # Errors
    /// What the system said; [`io::ErrorKind::NotFound`] if there is no such file.
    pub fn open(&self, name: &str) -> io::Result<SourceFile> {
        match &self.0 {
            FolderPlace::Disk(path) => SourceFile::open(&path.join(name)),
            FolderPlace::Package(members, path) => {
                let file = members.files.get(&(prefix(path) + name));
                let file = file.ok_or_else(|| {
                    io::Error::new(io::ErrorKind::NotFound, "the package has no member of this name")
                })?;
                Ok(SourceFile::part(file.locator().clone(), file, 0..usize::MAX))
            }
        }
    }

    /// The folder of this name in it, if it has one.
    pub fn folder(&self, name: &str) -> Option<Folder> {
        match &self.0 {
            FolderPlace::Disk(path) => {
                let path = path.join(name);
                path.is_dir().then(|| Folder(FolderPlace::Disk(path)))
            }
            FolderPlace::Package(members, path) => {
                let path = prefix(path) + name;
                let inside = format!("{path}/");
                let first = members.files.range(inside.clone()..).next();
                first
                    .is_some_and(|(file, _)| file.starts_with(&inside))
                    .then(|| Folder(FolderPlace::Package(Arc::clone(members), path)))
            }
        }
    }

    /// The folder that it is in. On disk that may lie outside of what was named; a package ends at its top.
    pub fn parent(&self) -> Option<Folder> {
        match &self.0 {
            FolderPlace::Disk(path) if path == Path::new(".") => None,
            FolderPlace::Disk(path) => path.parent().map(Folder::on_disk),
            FolderPlace::Package(members, _) if members.is_beside => {
                Path::new(&members.package).parent().map(Folder::on_disk)
            }
            FolderPlace::Package(_, path) if path.is_empty() => None,
            FolderPlace::Package(members, path) => {
                let outer = path.rsplit_once('/').map_or("", |(outer, _)| outer);
                Some(Folder(FolderPlace::Package(Arc::clone(members), outer.to_owned())))
            }
        }
    }

    /// It and the folders above it, the nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Folder> {
        std::iter::successors(Some(self.clone()), Folder::parent)
    }
}

impl PartialEq for Folder {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Folder {}

impl PartialOrd for Folder {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Folder {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (&self.0, &other.0) {
            // Without making paths: thousands of files are sorted by their folders.
            (FolderPlace::Disk(own), FolderPlace::Disk(other)) => own.cmp(other),
            (FolderPlace::Package(own, path), FolderPlace::Package(other, others))
                if Arc::ptr_eq(own, other) =>
            {
                path.cmp(others)
            }
            // Packages beside each other have the path of the folder of the system that they lie in.
            _ => self.path().cmp(&other.path()).then_with(|| self.is_on_disk().cmp(&other.is_on_disk())),
        }
    }
}

impl From<&PathBuf> for Folder {
    fn from(path: &PathBuf) -> Self {
        Folder::on_disk(path)
    }
}

impl From<&Folder> for Folder {
    fn from(folder: &Folder) -> Self {
        folder.clone()
    }
}

impl From<&Path> for Folder {
    fn from(path: &Path) -> Self {
        Folder::on_disk(path)
    }
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}/") }
}

/// The files that lie in a folder of the system itself, by path; none where it cannot be read.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    // What an entry is, most systems say with its name; only a link has to be followed.
    let is_file = |entry: &DirEntry| match entry.file_type() {
        Ok(kind) if !kind.is_symlink() => kind.is_file(),
        _ => entry.path().is_file(),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<OsString> = entries.filter(is_file).map(|entry| entry.file_name()).collect();
    names.sort_unstable();
    names.into_iter().map(|name| folder.join(name)).collect()
}
