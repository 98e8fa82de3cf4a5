//! Compressed files that lie beside each other: a folder of `a.kdb.bz2` and `a.db.txt.bz2` is a folder of
//! `a.kdb` and `a.db.txt`, as MIOpen's build makes it of its repository's.

use super::folder::{Folder, Members};
use amdgpu_object::locator::slashed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Joins packages that lie beside each other and hold one file each: their files make one folder.
///
/// Each file keeps its path. Of two of a name, `a.kdb.bz2` and `a.kdb.gz`, the second stays by itself, and so
/// does a package that is a root.
pub(super) fn put_beside(roots: &[PathBuf], mut files: Vec<&mut Folder>) {
    let roots: BTreeSet<&Path> = roots.iter().map(PathBuf::as_path).collect();
    let mut beside: BTreeMap<PathBuf, BTreeMap<String, usize>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let Some((package, name, _)) = file.only_member() else { continue };
        let Some(parent) = package.parent().filter(|_| !roots.contains(package)) else { continue };
        beside.entry(parent.to_owned()).or_default().entry(name.clone()).or_insert(at);
    }
    for (folder, places) in beside.into_iter().filter(|(_, places)| places.len() > 1) {
        let kept = |(name, at): (&String, &usize)| {
            let (_, _, file) = files.get(*at)?.only_member()?;
            Some((name.clone(), Arc::clone(file)))
        };
        let package = slashed(&folder);
        let members = Members { package, is_beside: true, files: places.iter().filter_map(kept).collect() };
        let together = Folder::in_package(Arc::new(members), "");
        for at in places.into_values() {
            if let Some(file) = files.get_mut(at) {
                **file = together.clone();
            }
        }
    }
}
