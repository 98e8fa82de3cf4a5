//! One tree of files and members: what was named, and what lies in packages below it, by path.
//!
//! Files of the file system are listed and opened on demand. A package is read once, from front to end, and
//! the members that are wanted are kept, since a compressed stream has no other way to one of them. So what
//! works on a folder works on a package, within the bounds that every reader of packages keeps.

use super::exclude::Exclusion;
use super::folder::{Folder, Members};
use super::only_members;
use super::package;
use super::package::visit::{self, Nesting, Selection, Visited};
use super::package::{Head, MemberContent, MemberFile, is_package};
use super::walk::{self, Leads, PathKind};
use crate::budget::InflateBudget;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::limits::INSTALL_MEMORY;
use amdgpu_object::format::Format;
use amdgpu_object::locator::{Locator, NESTED, slashed};
use amdgpu_object::source::SourceFile;
use amdgpu_object::source::temporary::Temporary;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Says by its path, with `/`, whether a file is wanted. Only wanted members of packages are kept.
pub type Wants<'a> = dyn Fn(&str) -> bool + Sync + 'a;

/// How a tree is read.
#[derive(Clone, Default)]
pub struct ReadOptions<'a> {
    /// How it is walked, and what is left out of it, of packages too.
    pub walk: walk::Options,
    /// How long one package may be read.
    pub time_per_file: Option<Duration>,
    /// Whether the caller has stopped it.
    pub is_stopped: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// The files of one or more roots, and the wanted members of packages among them.
#[derive(Debug, Default)]
pub struct Install {
    pub(super) roots: Vec<PathBuf>,
    pub(super) files: Vec<InstallFile>,
    pub(super) faults: Vec<Finding>,
    /// Memory that members take, in bytes.
    pub(super) memory: u64,
}

/// A file of an install.
#[derive(Debug, Clone)]
pub struct InstallFile {
    /// The folder that it stands in.
    pub folder: Folder,
    /// Its name in that folder.
    pub name: String,
    /// The path as reports show it: below its root, or, if there are several, with the root.
    pub shown: String,
}

impl InstallFile {
    /// A file of the file system, by the entry of a walk.
    pub(super) fn on_disk(entry: &walk::Entry) -> Option<Self> {
        Some(InstallFile {
            folder: Folder::on_disk(entry.path.parent()?),
            name: entry.path.file_name()?.to_string_lossy().into_owned(),
            shown: entry.shown.clone(),
        })
    }

    /// Its whole path, for messages.
    pub fn path(&self) -> PathBuf {
        self.folder.path_of(&self.name)
    }

    /// Opens it.
    ///
    /// # Errors
    /// What the system said.
    pub fn open(&self) -> io::Result<SourceFile> {
        self.folder.open(&self.name)
    }
}

impl Install {
    /// Lists roots: folders, files and packages. Files that `wants` takes are listed without being opened,
    /// the others are looked at, since they may be packages. Of these the members are kept that `wants` and
    /// `keeps` take. What cannot be read is among [`Install::faults`].
    pub fn open(roots: &[PathBuf], wants: &Wants<'_>, keeps: &Wants<'_>) -> Self {
        Self::open_as(roots, wants, keeps, &ReadOptions::default())
    }

    /// The same, with the options of a run. If the caller stops it, packages are read no further, and the caller
    /// must not use the install. A package that takes too long is among [`Install::faults`].
    pub fn open_as(roots: &[PathBuf], wants: &Wants<'_>, keeps: &Wants<'_>, how: &ReadOptions<'_>) -> Self {
        let entries = walk::walk(roots, &how.walk).entries;
        let mut install = Install { roots: roots.to_vec(), ..Install::default() };
        let is_unwanted =
            |entry: &&walk::Entry| matches!(entry.kind, PathKind::File(_)) && !wants(&slashed(&entry.path));
        let unwanted: Vec<&walk::Entry> = entries.iter().filter(is_unwanted).collect();
        let paths: Vec<&Path> = unwanted.iter().map(|entry| entry.path.as_path()).collect();
        let packages: BTreeSet<&Path> = match paths.len() {
            ..FEW => paths.into_iter().filter(|path| holds_files(path)).collect(),
            _ => paths.into_par_iter().filter(|path| holds_files(path)).collect(),
        };
        for entry in &unwanted {
            install.faults.extend(refused(entry));
        }
        for entry in &entries {
            match &entry.kind {
                PathKind::LinkLoop(what) => {
                    install.faults.push(Finding::of_file(&read::LINK_LOOP, &entry.shown, what));
                }
                PathKind::Unreadable(what) => {
                    install.faults.push(Finding::of_file(&read::UNREADABLE_FILE, &entry.shown, what));
                }
                PathKind::File(_) if packages.contains(entry.path.as_path()) => {
                    install.add_package(entry, &|path| wants(path) && keeps(path), how);
                }
                // A package that has another name is read under the first.
                PathKind::OtherName if !wants(&slashed(&entry.path)) => {}
                PathKind::File(_) | PathKind::OtherName | PathKind::Link(Leads::Within | Leads::Outside) => {
                    install.files.extend(InstallFile::on_disk(entry));
                }
                PathKind::Link(Leads::Nowhere) | PathKind::Special(_) => {}
            }
        }
        install.join_only_members(roots);
        install
    }

    /// Makes one folder of the packages beside each other that hold one file each.
    pub(super) fn join_only_members(&mut self, roots: &[PathBuf]) {
        only_members::put_beside(roots, self.files.iter_mut().map(|file| &mut file.folder).collect());
    }

    /// The roots as they were named.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// All files, those of packages where the package stands.
    pub fn files(&self) -> &[InstallFile] {
        &self.files
    }

    /// What could not be read.
    pub fn faults(&self) -> &[Finding] {
        &self.faults
    }

    /// The files of a name that is wanted.
    pub fn named<'a>(&'a self, wanted: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = &'a InstallFile> {
        self.files.iter().filter(move |file| wanted(&file.name))
    }

    /// The folders with a file of a name that is wanted, each once, by path.
    pub fn folders_with(&self, wanted: impl Fn(&str) -> bool) -> Vec<Folder> {
        let found: BTreeSet<&Folder> =
            self.files.iter().filter(|file| wanted(&file.name)).map(|file| &file.folder).collect();
        found.into_iter().cloned().collect()
    }

    fn add_package(&mut self, entry: &walk::Entry, wants: &Wants<'_>, how: &ReadOptions<'_>) {
        let file = match SourceFile::open(&entry.path) {
            Ok(file) => file,
            Err(error) => {
                let fault = Finding::of_file(&read::UNREADABLE_FILE, &entry.shown, error.to_string());
                return self.faults.push(fault);
            }
        };
        let (package, budget) =
            (file.locator().shown(), InflateBudget::for_package(package::stored_bytes(&file)));
        let mut kept = KeptMembers { memory: self.memory, ..KeptMembers::default() };
        let end = how.time_per_file.and_then(|time| Instant::now().checked_add(time));
        let is_late = || end.is_some_and(|end| Instant::now() >= end);
        let is_ended = || how.is_stopped.is_some_and(|is_stopped| is_stopped()) || is_late();
        let mut reader = Reader {
            wants,
            excludes: &how.walk.exclude,
            is_ended: &is_ended,
            kept: &mut kept,
            faults: &mut self.faults,
        };
        reader.read(MemberFile::from_file(file), "", Nesting::outermost(&budget));
        self.memory = kept.memory;
        if is_late() {
            let what = "took longer than a file may take; the rest of it is not read";
            self.faults.push(Finding::of_file(&read::WORK_LIMIT, &entry.shown, what));
        }
        let files = match kept.finish(&package) {
            Ok(files) => files,
            Err(error) => {
                let what = format!("its members cannot be unpacked to a temporary file: {error}");
                return self.faults.push(Finding::of_file(&read::UNREADABLE_FILE, &entry.shown, what));
            }
        };
        self.files.extend(members_of(entry, package, files));
    }
}

/// The files that were kept of the package of an entry.
pub(super) fn members_of(
    entry: &walk::Entry,
    package: String,
    files: BTreeMap<String, Arc<SourceFile>>,
) -> Vec<InstallFile> {
    let members = Arc::new(Members { package, is_beside: false, files });
    let file = |path: &String| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        // As the audit shows members: below a package that is the only root, else behind its path.
        let shown = if entry.sole { path.clone() } else { format!("{}{NESTED}{path}", entry.shown) };
        let folder = Folder::in_package(Arc::clone(&members), folder);
        InstallFile { folder, name: name.to_owned(), shown }
    };
    members.files.keys().map(file).collect()
}

/// Files that one thread looks at: to start more would take longer.
const FEW: usize = 16;

/// Whether a file of the file system holds files, by its first bytes. The members of a thin archive stand
/// beside it.
fn holds_files(path: &Path) -> bool {
    let format = format_of(path);
    format.is_some_and(|format| is_package(format) && format != Format::ThinArchive)
}

/// What is said of a package that this build cannot open.
fn refused(entry: &walk::Entry) -> Option<Finding> {
    let what = if cfg!(feature = "packages") { None } else { package::refusal(format_of(&entry.path)?) };
    Some(Finding::of_file(&read::CONTAINER_NOT_OPENED, &entry.shown, what?))
}

fn format_of(path: &Path) -> Option<Format> {
    Some(Format::recognise(&SourceFile::open(path).ok()?))
}

/// What [`Reader`] says of a member: it is wanted, or it is a package to look into.
const WANTED: usize = 0;
const PACKAGE: usize = 1;

/// Reads a package, and the packages in it.
struct Reader<'a> {
    wants: &'a Wants<'a>,
    excludes: &'a Exclusion,
    is_ended: &'a (dyn Fn() -> bool + Sync),
    kept: &'a mut KeptMembers,
    faults: &'a mut Vec<Finding>,
}

impl Reader<'_> {
    /// Keeps the wanted members of `package`. `outer` stands before their paths.
    fn read(&mut self, package: MemberFile, outer: &str, nesting: Nesting<'_>) {
        let shown = package.file.locator().shown();
        if let Err(what) = nesting.check() {
            return self.faults.push(Finding::of_file(&read::NESTED_TOO_DEEP, &shown, what));
        }
        let (wants, excludes, is_ended) = (self.wants, self.excludes, self.is_ended);
        let claim = |head: &Head<'_>| match wants(&head.locator.shown()) {
            _ if is_ended() => None,
            true => Some(WANTED),
            false => is_package(head.format).then_some(PACKAGE),
        };
        let selection = Selection { wants: &claim, excludes: &|name| excludes.has_member(name) };
        let closed = visit::visit(package, &shown, nesting, selection, &mut |batch| {
            batch.each(|visited| self.member(visited, outer, &shown));
        });
        self.faults.extend(closed.faults);
    }

    fn member(&mut self, visited: Visited<'_>, outer: &str, shown: &str) {
        self.faults.extend(visited.faults);
        let path = format!("{outer}{}", below_top(&visited.name));
        match visited.content {
            Some(MemberContent::File(member)) if member.claim == Some(PACKAGE) => {
                self.read(member, &format!("{path}{NESTED}"), visited.nesting);
            }
            Some(MemberContent::File(member)) => {
                if let Err(error) = self.kept.add(path, member.file) {
                    let what = format!("a member cannot be unpacked to a temporary file: {error}");
                    self.faults.push(Finding::of_file(&read::UNREADABLE_FILE, shown, what));
                }
            }
            _ => {}
        }
    }
}

/// A member's path without what tar writes before it.
pub(super) fn below_top(name: &str) -> &str {
    let mut rest = name;
    while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
        rest = shorter;
    }
    rest
}

/// The members that are kept of a package. Small ones stay in memory; all others share one temporary file and
/// one mapping of it, since a package can have more members than a process may open files.
#[derive(Default)]
pub(super) struct KeptMembers {
    /// By path; of several of one path the last, as what unpacks them would leave it.
    files: BTreeMap<String, KeptFile>,
    pub(super) memory: u64,
    spool: Option<Temporary>,
    len: u64,
}

enum KeptFile {
    Whole(SourceFile),
    /// At an offset of the temporary file, so many bytes.
    Spooled(Locator, u64, u64),
}

impl KeptMembers {
    pub(super) fn add(&mut self, path: String, file: SourceFile) -> io::Result<()> {
        let memory = self.memory + file.held_memory();
        if !file.holds_file() && memory <= INSTALL_MEMORY {
            self.memory = memory;
            self.files.insert(path, KeptFile::Whole(file));
            return Ok(());
        }
        let spool = match &mut self.spool {
            Some(spool) => spool,
            None => self.spool.insert(Temporary::new()?),
        };
        spool.write_all(file.bytes())?;
        self.files.insert(path, KeptFile::Spooled(file.locator().clone(), self.len, file.len()));
        self.len += file.len();
        Ok(())
    }

    /// The members by path.
    pub(super) fn finish(self, package: &str) -> io::Result<BTreeMap<String, Arc<SourceFile>>> {
        let spool = match self.spool {
            Some(spool) => Some(Arc::new(SourceFile::unpacked(Locator::file(package), spool, self.len)?)),
            None => None,
        };
        let file = |(path, kept)| match (kept, &spool) {
            (KeptFile::Whole(file), _) => Some((path, Arc::new(file))),
            (KeptFile::Spooled(locator, offset, len), Some(spool)) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let end = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
                Some((path, Arc::new(SourceFile::part(locator, spool, start..end))))
            }
            (KeptFile::Spooled(..), None) => None,
        };
        Ok(self.files.into_iter().filter_map(file).collect())
    }
}
