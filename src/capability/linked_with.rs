//! Which releases of ROCm's libraries files are linked with.

use crate::inventory::Inventory;
use crate::inventory::library_name::version;
use crate::scan::linkage::rocm_library;
use rocm_audit_files::key_map::KeyMap;
use serde::Serialize;
use std::collections::BTreeSet;

/// A release of a library of ROCm that files are linked with.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkedRelease {
    /// The library, as its file is called on Linux without a version: `libamdhip64`.
    pub library: String,
    /// The version in the name that is asked for: `7` of `libamdhip64.so.7` and of `amdhip64_7.dll`; empty if
    /// the name has none.
    pub release: String,
    /// Number of files that are linked with it.
    pub files: u64,
    /// The first of them.
    pub first: String,
}

/// All of them, by library and release.
pub fn linked_releases(inventory: &Inventory) -> Vec<LinkedRelease> {
    let mut found: KeyMap<(&str, String), (u64, &str)> = KeyMap::new();
    for file in &inventory.linkage {
        let release = |name: &String| {
            let library = rocm_library(name)?;
            Some((library, version(library, name).to_owned()))
        };
        let own: BTreeSet<(&str, String)> = file.needed.iter().filter_map(release).collect();
        for key in own {
            found.entry(key).or_insert((0, &file.shown)).0 += 1;
        }
    }
    let row = |((library, release), (files, first)): ((&str, String), (u64, &str))| LinkedRelease {
        library: library.to_owned(),
        release,
        files,
        first: first.to_owned(),
    };
    found.into_iter().map(row).collect()
}
