//! Members of packages that are kept while another reader goes through the packages, so that they are not
//! read twice.

use super::install::{Install, InstallFile, KeptMembers, Wants, below_top, members_of};
use super::walk::{Entry, Leads, PathKind};
use crate::finding::Finding;
use crate::finding::rules::read;
use amdgpu_object::locator::{NESTED, slashed};
use amdgpu_object::source::SourceFile;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Keeps the wanted members of packages, whoever unpacks them and on whatever thread.
pub struct Keeper<'a> {
    wants: &'a Wants<'a>,
    packages: Mutex<BTreeMap<PathBuf, KeptMembers>>,
    faults: Mutex<Vec<Finding>>,
}

impl<'a> Keeper<'a> {
    /// Keeps members whose paths, with the package before them, `wants` takes.
    pub fn new(wants: &'a Wants<'a>) -> Self {
        Keeper { wants, packages: Mutex::default(), faults: Mutex::default() }
    }

    /// Whether a member of this whole path is kept.
    pub fn wants(&self, path: &str) -> bool {
        (self.wants)(path)
    }

    /// Notes that a file of the file system is a package. What was kept of it by an earlier reading is given
    /// up.
    pub fn open(&self, package: &Path) {
        let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
        packages.insert(package.to_owned(), KeptMembers::default());
    }

    /// Keeps a member of a package; `member` is its path in that, through all packages between.
    pub fn keep(&self, package: &Path, member: &str, file: SourceFile) {
        let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
        // All packages share the memory for members.
        let memory = packages.values().map(|kept| kept.memory).sum();
        let kept = packages.entry(package.to_owned()).or_default();
        let own = std::mem::replace(&mut kept.memory, memory);
        let path = member.split(NESTED).map(below_top).collect::<Vec<_>>().join(NESTED);
        let added = kept.add(path, file);
        kept.memory = kept.memory.saturating_sub(memory).saturating_add(own);
        if let Err(error) = added {
            self.fault(package, format!("a member cannot be unpacked to a temporary file: {error}"));
        }
    }

    fn fault(&self, package: &Path, what: String) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.push(Finding::of_file(&read::UNREADABLE_FILE, &slashed(package), what));
    }

    /// The install of the entries that were walked, with the members that were kept.
    pub fn finish(self, roots: &[PathBuf], entries: &[Entry]) -> Install {
        let mut install = Install { roots: roots.to_vec(), ..Install::default() };
        let mut packages = std::mem::take(&mut *self.packages.lock().unwrap_or_else(PoisonError::into_inner));
        for entry in entries {
            match &entry.kind {
                PathKind::File(_) if packages.contains_key(&entry.path) => {
                    let Some(kept) = packages.remove(&entry.path) else { continue };
                    let package = entry.locator().shown();
                    match kept.finish(&package) {
                        Ok(files) => install.files.extend(members_of(entry, package, files)),
                        Err(error) => {
                            let what = format!("its members cannot be unpacked to a temporary file: {error}");
                            self.fault(&entry.path, what);
                        }
                    }
                }
                // A package that has another name is read under the first.
                PathKind::OtherName if !self.wants(&slashed(&entry.path)) => {}
                PathKind::File(_) | PathKind::OtherName | PathKind::Link(Leads::Within | Leads::Outside) => {
                    install.files.extend(InstallFile::on_disk(entry));
                }
                _ => {}
            }
        }
        install.join_only_members(roots);
        install.faults = self.faults.into_inner().unwrap_or_else(PoisonError::into_inner);
        install
    }
}
