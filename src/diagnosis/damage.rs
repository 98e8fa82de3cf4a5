//! Files of a tree that could not be read whole: what these have is not known, so that nothing is concluded
//! from what was not seen in them.

use super::decided::Tree;
use crate::capability::verdict;
use crate::finding::amount::plural;
use crate::locator::file_name;
use std::collections::BTreeMap;

/// The damaged files of a tree, each with the first reason.
pub(super) struct Damage<'a> {
    tree: Tree<'a>,
    files: BTreeMap<&'a str, &'a str>,
}

impl<'a> Damage<'a> {
    pub fn from_tree(tree: Tree<'a>) -> Self {
        Damage { tree, files: verdict::damaged(tree.inventory) }
    }

    /// Whether a file is among them.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Those of a library.
    pub fn of_library(&self, library: &str) -> Vec<&'a str> {
        verdict::damaged_files_of(self.tree.inventory, library, &self.files)
    }

    /// All but those of these libraries.
    pub fn but_of(&self, libraries: &[&str]) -> Vec<&'a str> {
        let known: Vec<&str> = libraries.iter().flat_map(|library| self.of_library(library)).collect();
        self.files.keys().copied().filter(|path| !known.contains(path)).collect()
    }

    /// Those that may hold files whose names are not known: packages, and what could not be read at all.
    pub fn hiding_names(&self) -> Vec<&'a str> {
        let inventory = self.tree.inventory;
        let is_file = |path: &str| {
            inventory.artifacts.iter().any(|artifact| artifact.shown == path)
                || inventory.linkage.iter().any(|library| library.shown == path)
        };
        self.files.keys().copied().filter(|path| !is_file(path)).collect()
    }

    /// All of them.
    pub fn all(&self) -> Vec<&'a str> {
        self.files.keys().copied().collect()
    }

    /// That some of them could not be read whole, and why, in a clause; none for none.
    pub fn clause(&self, paths: &[&'a str]) -> Option<String> {
        let (first, rest) = paths.split_first()?;
        let what = self.files.get(first).copied().unwrap_or_default();
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" and {}", plural(more as u64, "more file", "more files")),
        };
        Some(format!("{}{more} could not be read whole ({what})", file_name(first)))
    }
}
