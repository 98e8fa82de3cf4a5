//! One tree of files and members: what was named, and what lies in packages below it, by path.
//!
//! Files of the file system are listed and opened on demand. A package is read once, from front to end: of its members
//! those are kept that somebody wants, since a compressed stream has no other way to one of them. What works on a folder
//! so works on a package, within the bounds that every reader of packages keeps.

use super::exclude::Exclusion;
use super::folder::{Folder, Members};
use super::package::{Content, Package, is_package};
use super::walk::{self, Kind};
use crate::budget::InflateBudget;
use crate::finding::read_fault::{FaultKind, ReadFault};
use crate::format::Format;
use crate::limits::{INSTALL_MEMORY, PACKAGE_DEPTH};
use crate::locator::{Locator, NESTED};
use crate::source::{Access, HEAD_BYTES, SourceFile, temporary_file};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Says by its path, with `/`, whether a file is wanted. Only wanted members of packages are kept.
pub type Wants<'a> = dyn Fn(&str) -> bool + Sync + 'a;

/// The files of one or more roots, and the wanted members of packages among them.
#[derive(Debug, Default)]
pub struct Install {
    roots: Vec<PathBuf>,
    files: Vec<InstallFile>,
    faults: Vec<ReadFault>,
}

/// A file of an install.
#[derive(Debug, Clone)]
pub struct InstallFile {
    /// The folder that it stands in.
    pub folder: Folder,
    /// Its name in that folder.
    pub name: String,
    /// The path as reports show it: below its root, or, where there are several, with the root.
    pub shown: String,
}

impl InstallFile {
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
    /// Lists roots: folders, files and packages. What cannot be read is among [`Install::faults`].
    pub fn open(roots: &[PathBuf], wants: &Wants<'_>) -> Self {
        let how = walk::Options { follow_links: false, exclude: Exclusion::default() };
        let entries = walk::walk(roots, &how).entries;
        let mut install = Install { roots: roots.to_vec(), ..Install::default() };
        let is_unwanted = |entry: &&walk::Entry| {
            matches!(entry.kind, Kind::File(_)) && !wants(&entry.path.to_string_lossy())
        };
        let unwanted: Vec<&walk::Entry> = entries.iter().filter(is_unwanted).collect();
        let packages: BTreeSet<&Path> =
            unwanted.par_iter().filter(|entry| holds_files(&entry.path)).map(|e| e.path.as_path()).collect();
        for entry in &entries {
            match &entry.kind {
                Kind::Unreadable(what) => {
                    install.faults.push(ReadFault::file(FaultKind::Unreadable, &entry.shown, what));
                }
                Kind::File(_) if packages.contains(entry.path.as_path()) => install.add_package(entry, wants),
                Kind::File(_) | Kind::Link(true) => {
                    if let (Some(folder), Some(name)) = (entry.path.parent(), entry.path.file_name()) {
                        install.files.push(InstallFile {
                            folder: Folder::on_disk(folder),
                            name: name.to_string_lossy().into_owned(),
                            shown: entry.shown.clone(),
                        });
                    }
                }
                Kind::Link(false) | Kind::Special => {}
            }
        }
        install
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
    pub fn faults(&self) -> &[ReadFault] {
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

    fn add_package(&mut self, entry: &walk::Entry, wants: &Wants<'_>) {
        let file = match SourceFile::open(&entry.path) {
            Ok(file) => file,
            Err(error) => {
                let fault = ReadFault::file(FaultKind::Unreadable, &entry.shown, error.to_string());
                return self.faults.push(fault);
            }
        };
        let (package, budget) = (file.locator().shown(), InflateBudget::of(file.len()));
        let mut kept = Kept::default();
        let mut members = Reader { wants, budget: &budget, kept: &mut kept, faults: &mut self.faults };
        members.read(file, "", 0);
        let files = match kept.finish(&package) {
            Ok(files) => files,
            Err(error) => {
                let what = format!("its members cannot be unpacked to a temporary file: {error}");
                return self.faults.push(ReadFault::file(FaultKind::Unreadable, &entry.shown, what));
            }
        };
        let members = Arc::new(Members { package, files });
        for path in members.files.keys() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            // As the audit shows members: below a package that is the only root, else behind its path.
            let shown = if entry.sole { path.clone() } else { format!("{}{NESTED}{path}", entry.shown) };
            let folder = Folder::in_package(Arc::clone(&members), folder);
            self.files.push(InstallFile { folder, name: name.to_owned(), shown });
        }
    }
}

/// Whether a file of the file system holds files, by its first bytes. The members of a thin archive stand beside it.
fn holds_files(path: &Path) -> bool {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
    let format = Format::identify(&head);
    read.is_ok() && is_package(format) && format != Format::ThinArchive
}

/// Reads a package, and the packages in it.
struct Reader<'a> {
    wants: &'a Wants<'a>,
    budget: &'a InflateBudget,
    kept: &'a mut Kept,
    faults: &'a mut Vec<ReadFault>,
}

impl Reader<'_> {
    /// Keeps the wanted members of `file`. `outer` stands before their paths.
    fn read(&mut self, file: SourceFile, outer: &str, depth: usize) {
        let shown = file.locator().shown();
        if depth >= PACKAGE_DEPTH {
            let what = format!("lies in {PACKAGE_DEPTH} packages, one in the other, and is not opened");
            return self.faults.push(ReadFault::file(FaultKind::Malformed, &shown, what));
        }
        file.expect(Access::Content);
        let (format, file) = (Format::identify(file.head()), Arc::new(file));
        let package = Package::new(Arc::clone(&file), format, self.budget);
        let wants = self.wants;
        let wants_member =
            |locator: &Locator, head: &[u8]| wants(&locator.shown()) || is_package(Format::identify(head));
        let walked = package.for_each_batch(&wants_member, &mut |batch| {
            for member in batch {
                let path = format!("{outer}{}", below_top(&member.name));
                let opened = member.open(&wants_member);
                self.faults.extend(ReadFault::all(&shown, &opened.problems));
                let Content::File(member) = opened.content else { continue };
                if wants(&member.locator().shown()) {
                    if let Err(error) = self.kept.add(path, member) {
                        let what = format!("a member cannot be unpacked to a temporary file: {error}");
                        self.faults.push(ReadFault::file(FaultKind::Unreadable, &shown, what));
                    }
                } else if is_package(Format::identify(member.head())) {
                    self.read(member, &format!("{path}{NESTED}"), depth + 1);
                }
            }
        });
        self.faults.extend(ReadFault::all(&shown, &walked.problems));
        if let Err(what) = file.check_unchanged() {
            self.faults.push(ReadFault::file(FaultKind::Changed, &shown, what));
        }
    }
}

/// A member's path without what tar writes before it.
fn below_top(name: &str) -> &str {
    let mut rest = name;
    while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
        rest = shorter;
    }
    rest
}

/// The members that are kept of a package. Small ones stay in memory; all others share one temporary file and one mapping
/// of it, since a package can have more members than a process may open files.
#[derive(Default)]
struct Kept {
    whole: Vec<(String, SourceFile)>,
    memory: u64,
    spooled: Vec<(String, Locator, u64, u64)>,
    spool: Option<File>,
    len: u64,
}

impl Kept {
    fn add(&mut self, path: String, file: SourceFile) -> io::Result<()> {
        let memory = self.memory + file.held_memory();
        if !file.holds_file() && memory <= INSTALL_MEMORY {
            self.memory = memory;
            self.whole.push((path, file));
            return Ok(());
        }
        let spool = match &mut self.spool {
            Some(spool) => spool,
            None => self.spool.insert(temporary_file()?),
        };
        spool.write_all(file.bytes())?;
        self.spooled.push((path, file.locator().clone(), self.len, file.len()));
        self.len += file.len();
        Ok(())
    }

    /// The members by path; of several of one path the last, as what unpacks them would leave it.
    fn finish(self, package: &str) -> io::Result<BTreeMap<String, Arc<SourceFile>>> {
        let whole = self.whole.into_iter().map(|(path, file)| (path, Arc::new(file)));
        let mut files: BTreeMap<String, Arc<SourceFile>> = whole.collect();
        if let Some(spool) = self.spool {
            let spool = Arc::new(SourceFile::unpacked(Locator::file(package), spool, self.len)?);
            for (path, locator, offset, len) in self.spooled {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let end = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
                files.insert(path, Arc::new(SourceFile::part(locator, &spool, start..end)));
            }
        }
        Ok(files)
    }
}
