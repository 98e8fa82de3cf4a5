//! From roots to files: in a fixed order, each file once, links never in circles.

use crate::input::exclude::Exclusion;
use crate::input::image_folder;
use amdgpu_object::locator::{Locator, NESTED};
use amdgpu_object::locator::{file_name, slashed};
use amdgpu_object::source::given;
use amdgpu_object::target::Processor;
use std::collections::{HashMap, HashSet, hash_map};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file of this many bytes.
    File(u64),
    /// A symbolic link that was not followed.
    Link(Leads),
    /// A FIFO, socket or device; never opened.
    Special(Special),
    /// What the system said instead.
    Unreadable(String),
    /// A link that leads back to a folder around it, in words.
    LinkLoop(String),
    /// Another name of a file that the walk has already given: a hard link, or a link that was followed.
    OtherName,
}

impl PathKind {
    /// Bytes of a regular file that is read; 0 for all else.
    pub fn bytes(&self) -> u64 {
        if let PathKind::File(bytes) = self { *bytes } else { 0 }
    }
}

/// Where a symbolic link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leads {
    /// To nothing.
    Nowhere,
    /// To what lies below one of the roots, where the walk gets by itself; or, in a package, to where that
    /// cannot be said.
    Within,
    /// To what lies below none of the roots.
    Outside,
}

/// What is neither a file nor a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// A FIFO or a device: bytes can come out of it.
    Bytes,
    /// A socket, which holds none, or a member of a package that is stored without content.
    Nothing,
}

/// One entry of a tree.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The path to open.
    pub path: PathBuf,
    /// The member of the package at that path, where it is one.
    pub member: Option<String>,
    /// The path as reports show it: relative to its root, or, if there are several roots, with the root.
    pub shown: String,
    /// The path below its root; the file name, where the root is the file itself.
    pub relative: String,
    /// Index of its root.
    pub root: usize,
    /// True where it is the only root: then members are shown like files below a root.
    pub sole: bool,
    /// Who has put it there, where that is known: a layer of an image.
    pub owner: Option<Arc<str>>,
    /// Name and version of the package that it lies in, where that says so.
    pub package: Option<Arc<str>>,
    /// What stands there.
    pub kind: PathKind,
    /// The file below the roots that it is another name of, where it is one: the path without links.
    pub leads_to: Option<Arc<Path>>,
}

impl Entry {
    /// About how much memory it takes, in bytes.
    pub fn memory(&self) -> u64 {
        let texts = self.shown.len() + self.relative.len() + self.member.as_ref().map_or(0, String::len);
        (size_of::<Entry>() + self.path.as_os_str().len() + texts) as u64
    }

    /// Its place, for messages.
    pub fn locator(&self) -> Locator {
        Locator { member: self.member.clone(), ..Locator::file(&self.path) }
    }

    /// Its file name; lossy where it is not UTF-8.
    pub fn name(&self) -> String {
        match &self.member {
            Some(member) => file_name(member).to_owned(),
            None => self.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        }
    }

    /// Where it is once it is installed, as far as that is known: see [`installed`].
    pub fn installed(&self) -> &str {
        installed(self.member.as_deref(), &self.relative)
    }

    /// A member of the package that stands here; `name` is its path in the package.
    pub fn within(&self, name: &str, kind: PathKind) -> Entry {
        let below = |outer: &str| if self.sole { name.to_owned() } else { format!("{outer}{NESTED}{name}") };
        Entry {
            path: self.path.clone(),
            member: self.locator().within(name).member,
            shown: below(&self.shown),
            relative: below(&self.relative),
            root: self.root,
            sole: false,
            owner: self.owner.clone(),
            package: self.package.clone(),
            kind,
            leads_to: None,
        }
    }
}

/// Where a file is once it is installed, as far as that is known: its path below its root, or in the
/// innermost package that holds it.
pub fn installed<'e>(member: Option<&'e str>, relative: &'e str) -> &'e str {
    let path = member.map_or(relative, |member| member.rsplit(NESTED).next().unwrap_or(member));
    let path = path.strip_prefix("./").unwrap_or(path);
    around_data_folder(path).map_or(path, |(_, behind)| behind)
}

/// What stands before and behind `NAME-VERSION.data/purelib/` in a path: a wheel has files there that are
/// laid beside its others. Source: the binary distribution format of Python packages, "The .data directory".
pub fn around_data_folder(path: &str) -> Option<(&str, &str)> {
    let (outer, rest) = path.split_once(".data/")?;
    let (kind, behind) = rest.split_once('/')?;
    let before = outer.rfind('/').and_then(|at| outer.get(..=at)).unwrap_or_default();
    ["purelib", "platlib", "data"].contains(&kind).then_some((before, behind))
}

/// Folders named as processors that are noted. A tree of TheRock's has one for each of 27 targets and
/// library.
const PROCESSOR_FOLDERS: usize = 4096;

/// How to walk.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Follow symbolic links inside of roots. A root that is a link is always followed.
    pub follow_links: bool,
    /// Paths below roots to leave out; folders with all that is in them.
    pub exclude: Exclusion,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub struct TreeWalk {
    /// All entries.
    pub entries: Vec<Entry>,
    /// How many files and folders were left out.
    pub excluded: u64,
    /// Folders that are named as a processor, with the number of the root and the path as reports show it:
    /// libraries look in such a folder even where it is empty.
    pub processor_folders: Vec<(usize, String)>,
}

/// Entries of one folder by their names. They have the same path before it, so that whole paths compare
/// alike, without being taken apart.
fn by_name(a: &walkdir::DirEntry, b: &walkdir::DirEntry) -> std::cmp::Ordering {
    a.path().as_os_str().cmp(b.path().as_os_str())
}

/// All entries below the roots, sorted by root, then by path. A file that is reached twice is given as a file
/// once, at the first place. Where it has another name (hard links, followed links), that is given as such;
/// overlapping roots give none.
pub fn walk(roots: &[PathBuf], options: &Options) -> TreeWalk {
    let mut entries = Vec::new();
    let mut excluded = 0;
    let mut processor_folders = Vec::new();
    let mut seen = FirstPlaces::default();
    let whole: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    for (index, root) in roots.iter().enumerate() {
        if let Some(len) = given::len(root) {
            entries.push(entry(index, root, roots.len() > 1, root, PathKind::File(len)));
            continue;
        }
        let walker = WalkDir::new(root).follow_links(options.follow_links).sort_by(by_name);
        let kept = |found: &walkdir::DirEntry| {
            if options.exclude.is_empty() || found.depth() == 0 {
                return true;
            }
            let below = found.path().strip_prefix(root).unwrap_or(found.path());
            let left_out = options.exclude.has(&slashed(below));
            excluded += u64::from(left_out);
            !left_out
        };
        let mut walker = walker.into_iter().filter_entry(kept);
        while let Some(found) = walker.next() {
            let entry = match found {
                // What a stranger's tree leads to may be anything of this machine.
                Ok(found)
                    if found.depth() > 0
                        && found.path_is_symlink()
                        && options.follow_links
                        && leads_out(&found, &whole) =>
                {
                    if found.file_type().is_dir() {
                        walker.skip_current_dir();
                    }
                    entry(index, root, roots.len() > 1, found.path(), PathKind::Link(Leads::Outside))
                }
                // A named link to a folder is that folder; the walk goes into it.
                Ok(found) if found.file_type().is_dir() || found.depth() == 0 && found.path().is_dir() => {
                    let is_of_processor =
                        found.file_name().to_str().is_some_and(|name| Processor::by_name(name).is_some());
                    if is_of_processor && processor_folders.len() < PROCESSOR_FOLDERS {
                        let folder = entry(index, root, roots.len() > 1, found.path(), PathKind::OtherName);
                        processor_folders.push((index, folder.shown));
                    }
                    continue;
                }
                Ok(found) => {
                    let (kind, leads_to) = match kind_of(&found, &whole) {
                        (PathKind::File(bytes), _) => match seen.visit(&found, entries.len(), &entries) {
                            Visit::First => (PathKind::File(bytes), None),
                            Visit::OtherName(of) => (PathKind::OtherName, Some(of)),
                            Visit::Again => continue,
                        },
                        other => other,
                    };
                    let leads_to = leads_to.map(Arc::from);
                    Entry { leads_to, ..entry(index, root, roots.len() > 1, found.path(), kind) }
                }
                Err(error) => {
                    let said = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    let kind = match error.loop_ancestor() {
                        Some(to) => {
                            PathKind::LinkLoop(format!("a symbolic link leads back to {}", to.display()))
                        }
                        None if leads_nowhere(&error) => PathKind::Link(Leads::Nowhere),
                        None => PathKind::Unreadable(said),
                    };
                    let path = error.path().unwrap_or(root).to_owned();
                    entry(index, root, roots.len() > 1, &path, kind)
                }
            };
            entries.push(entry);
        }
    }
    TreeWalk { entries: image_folder::gather(entries, roots), excluded, processor_folders }
}

fn entry(index: usize, root: &Path, several: bool, path: &Path, kind: PathKind) -> Entry {
    let below = path.strip_prefix(root).unwrap_or(path);
    let itself = below.as_os_str().is_empty();
    let shown = if several || itself { path } else { below };
    let relative = if itself { path.file_name().map_or(path, Path::new) } else { below };
    let (relative, shown) = (slashed(relative), slashed(shown));
    let sole = itself && !several;
    Entry {
        path: path.to_owned(),
        member: None,
        relative,
        shown,
        root: index,
        sole,
        owner: None,
        package: None,
        kind,
        leads_to: None,
    }
}

/// Where each file was found first.
#[derive(Default)]
struct FirstPlaces {
    /// The numbers of entries.
    places: HashMap<Identity, usize>,
    /// Other names that were given, without links in their folders.
    names: HashSet<PathBuf>,
}

/// How a file is found.
enum Visit {
    /// For the first time.
    First,
    /// Under another name than that of this file.
    OtherName(PathBuf),
    /// Once more by the same name.
    Again,
}

impl FirstPlaces {
    /// Notes a file that is going to be the entry of a number.
    fn visit(&mut self, found: &walkdir::DirEntry, number: usize, entries: &[Entry]) -> Visit {
        let first = match self.places.entry(identity(found)) {
            hash_map::Entry::Vacant(place) => {
                place.insert(number);
                return Visit::First;
            }
            hash_map::Entry::Occupied(place) => entries.get(*place.get()),
        };
        let Some(first) = first else { return Visit::Again };
        // A name is a path whose folders are no links; its last part may be one.
        let name = |path: &Path| {
            let folder = path.parent()?.canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        };
        match (name(found.path()), name(&first.path), first.path.canonicalize()) {
            (Some(own), Some(other), Ok(of)) if own != other && self.names.insert(own.clone()) => {
                Visit::OtherName(of)
            }
            _ => Visit::Again,
        }
    }
}

/// Whether a link that was followed leads to what lies below none of the roots.
fn leads_out(found: &walkdir::DirEntry, roots: &[PathBuf]) -> bool {
    found.path().canonicalize().is_ok_and(|to| !roots.iter().any(|root| to.starts_with(root)))
}

/// Whether a link was followed to where nothing is.
fn leads_nowhere(error: &walkdir::Error) -> bool {
    let missing = error.io_error().is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound);
    missing && error.path().is_some_and(Path::is_symlink)
}

/// Where a link leads, in a walk of these roots, whose own links are resolved; with the file, if it is one
/// below them.
fn leads(path: &Path, roots: &[PathBuf]) -> (Leads, Option<PathBuf>) {
    match path.canonicalize() {
        Ok(to) if roots.iter().any(|root| to.starts_with(root)) => {
            (Leads::Within, Some(to).filter(|to| to.is_file()))
        }
        Ok(_) => (Leads::Outside, None),
        // Where a folder on the way may not be entered, something may be there.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => (Leads::Outside, None),
        Err(_) => (Leads::Nowhere, None),
    }
}

#[cfg(unix)]
fn special(metadata: &std::fs::Metadata) -> Special {
    use std::os::unix::fs::FileTypeExt;
    if metadata.file_type().is_socket() { Special::Nothing } else { Special::Bytes }
}

#[cfg(not(unix))]
fn special(_: &std::fs::Metadata) -> Special {
    Special::Bytes
}

fn kind_of(found: &walkdir::DirEntry, roots: &[PathBuf]) -> (PathKind, Option<PathBuf>) {
    let file_type = found.file_type();
    // A root is what the user named: a link there is meant as what it leads to.
    let named = found.depth() == 0;
    if file_type.is_symlink() && !named {
        let (leads, to) = leads(found.path(), roots);
        return (PathKind::Link(leads), to);
    }
    let kind =
        match if named { std::fs::metadata(found.path()) } else { found.metadata().map_err(Into::into) } {
            Ok(metadata) if !metadata.is_file() => PathKind::Special(special(&metadata)),
            Ok(metadata) => PathKind::File(metadata.len()),
            Err(error) => PathKind::Unreadable(error.to_string()),
        };
    (kind, None)
}

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(found: &walkdir::DirEntry) -> Identity {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(found.path()).map(|m| (m.dev(), m.ino())).unwrap_or_default()
}

#[cfg(not(unix))]
fn identity(found: &walkdir::DirEntry) -> Identity {
    found.path().canonicalize().unwrap_or_else(|_| found.path().to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn order_is_fixed_links_are_named_and_files_come_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("b")).unwrap();
        fs::write(root.join("b/file"), "x").unwrap();
        fs::write(root.join("a"), "xy").unwrap();
        fs::hard_link(root.join("a"), root.join("c")).unwrap();
        symlink("a", root.join("d")).unwrap();
        symlink("nowhere", root.join("e")).unwrap();
        symlink("..", root.join("b/loop")).unwrap();
        let seen = |options: &Options| {
            walk(&[root.to_owned()], options)
                .entries
                .into_iter()
                .map(|e| (e.shown, e.kind))
                .collect::<Vec<_>>()
        };
        let plain = [
            ("a", PathKind::File(2)),
            ("b/file", PathKind::File(1)),
            ("b/loop", PathKind::Link(Leads::Within)),
            ("c", PathKind::OtherName),
            ("d", PathKind::Link(Leads::Within)),
            ("e", PathKind::Link(Leads::Nowhere)),
        ];
        let plain: Vec<_> = plain.into_iter().map(|(p, k)| (p.to_owned(), k)).collect();
        assert_eq!(seen(&Options::default()), plain);
        let followed = seen(&Options { follow_links: true, ..Options::default() });
        let cycle = followed.iter().find(|(path, _)| path == "b/loop").unwrap();
        assert!(matches!(&cycle.1, PathKind::LinkLoop(what) if what.contains("leads back")), "{cycle:?}");
        assert!(followed.contains(&("e".to_owned(), PathKind::Link(Leads::Nowhere))), "{followed:?}");
        assert!(followed.contains(&("d".to_owned(), PathKind::OtherName)), "{followed:?}");
        // Each name says whose it is.
        let walked = walk(&[root.to_owned()], &Options::default());
        let other_names =
            walked.entries.iter().filter_map(|e| Some((e.shown.as_str(), e.leads_to.as_deref()?)));
        let a = root.canonicalize().unwrap().join("a");
        assert_eq!(other_names.collect::<Vec<_>>(), [("c", a.as_path()), ("d", a.as_path())]);
    }

    /// `/opt/rocm` is a link in most installs.
    #[test]
    fn a_root_that_is_a_link_to_a_folder_is_that_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("real")).unwrap();
        fs::write(dir.path().join("real/file"), "x").unwrap();
        symlink("real", dir.path().join("link")).unwrap();
        symlink("real/file", dir.path().join("file")).unwrap();
        let kinds = |root: &str| -> Vec<(String, PathKind)> {
            let walked = walk(&[dir.path().join(root)], &Options::default());
            walked.entries.into_iter().map(|e| (e.relative, e.kind)).collect()
        };
        assert_eq!(kinds("link"), [("file".to_owned(), PathKind::File(1))]);
        assert_eq!(kinds("file"), [("file".to_owned(), PathKind::File(1))]);
    }

    #[test]
    fn links_out_of_the_roots_are_told_from_links_within() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&two).unwrap();
        fs::write(two.join("file"), "x").unwrap();
        symlink("../two/file", one.join("link")).unwrap();
        symlink("/", one.join("root")).unwrap();
        let kinds = |roots: &[PathBuf]| -> Vec<PathKind> {
            walk(roots, &Options::default()).entries.into_iter().map(|e| e.kind).collect()
        };
        assert_eq!(
            kinds(std::slice::from_ref(&one)),
            [PathKind::Link(Leads::Outside), PathKind::Link(Leads::Outside)]
        );
        assert_eq!(kinds(&[one, two])[0], PathKind::Link(Leads::Within));
    }

    #[test]
    fn overlapping_roots_count_a_file_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/file"), "x").unwrap();
        let roots = [dir.path().to_owned(), dir.path().join("sub")];
        assert_eq!(walk(&roots, &Options::default()).entries.len(), 1);
    }
}
