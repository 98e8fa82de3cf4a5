//! Where in an artifact something is. No folder of the machine that read it is in a row, so that the rows of an artifact are
//! the same wherever they were made.

use crate::locator::{Locator, NESTED, slashed};
use std::path::{Path, PathBuf};

/// The artifact, as it lies on this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lies<'a> {
    /// The root that was read: the artifact itself.
    pub root: &'a Path,
    /// Whether it is a folder. Reports show what is in a folder by its path below that, and a file by the path that named it.
    pub is_folder: bool,
    /// What it is called.
    pub artifact: &'a str,
}

impl<'a> Lies<'a> {
    /// As it lies now.
    pub fn of(root: &'a Path, artifact: &'a str) -> Self {
        Lies { root, is_folder: root.is_dir(), artifact }
    }

    /// The path below the artifact: of a package that of the member, of a file by itself its name.
    pub fn path(&self, at: &Locator) -> String {
        let below = at.path.strip_prefix(self.root).unwrap_or(Path::new(""));
        let below = below.to_string_lossy();
        match (&at.member, below.is_empty()) {
            (Some(member), true) => member.clone(),
            (Some(member), false) => format!("{below}{NESTED}{member}"),
            (None, true) => self.artifact.to_owned(),
            (None, false) => below.into_owned(),
        }
    }

    /// The path of a place that is known by how reports show it.
    pub fn shown(&self, shown: &str) -> String {
        let root = slashed(self.root);
        let rest = shown.strip_prefix(root.trim_end_matches('/'));
        match rest {
            // The root itself; what reports show of a folder is below it, and may be called as the folder is.
            Some("" | "/") if !self.is_folder || self.root.is_absolute() => self.artifact.to_owned(),
            Some(rest) if !self.is_folder => rest.strip_prefix(NESTED).unwrap_or(shown).to_owned(),
            _ => shown.to_owned(),
        }
    }
}

/// The part of a URI behind its file: `offset=4096&size=512`.
pub(super) fn within(at: &Locator) -> String {
    let uri = Locator { path: PathBuf::new(), member: None, ..at.clone() }.to_string();
    uri.split_once('#').map_or_else(String::new, |(_, place)| place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_of_this_machine_is_in_a_row() {
        let wheel = Lies { root: Path::new("/srv/a/x.whl"), is_folder: false, artifact: "x.whl" };
        let tree = Lies { root: Path::new("/opt/rocm"), is_folder: true, artifact: "rocm" };
        for (lies, uri, path, place) in [
            (wheel, "file:///srv/a/x.whl", "x.whl", ""),
            (wheel, "file:///srv/a/x.whl#member=demo/x.so&offset=4&size=5", "demo/x.so", "offset=4&size=5"),
            (
                tree,
                "file:///opt/rocm/lib/y.so#offset=1&size=2&unpacked-offset=3&unpacked-size=4",
                "lib/y.so",
                "offset=1&size=2&unpacked-offset=3&unpacked-size=4",
            ),
            (tree, "file:///opt/rocm/p.deb#member=usr/z", "p.deb!/usr/z", ""),
        ] {
            let at = Locator::parse(uri).unwrap();
            assert_eq!((lies.path(&at).as_str(), within(&at).as_str()), (path, place));
        }
        for (lies, shown, path) in [
            (tree, "lib/y.so", "lib/y.so"),
            (tree, "opt/rocm/y.so", "opt/rocm/y.so"),
            (tree, "/opt/rocm", "rocm"),
            (wheel, "/srv/a/x.whl", "x.whl"),
            (wheel, "/srv/a/x.whl!/demo/x.so", "demo/x.so"),
            (wheel, "demo/x.so", "demo/x.so"),
        ] {
            assert_eq!(lies.shown(shown), path);
        }
    }

    /// What is in a folder may be called as the folder is.
    #[test]
    fn a_folder_of_the_same_name_is_no_root() {
        for (root, shown) in [("a", "abc/x.so"), ("lib", "lib/x.so"), ("lib/", "lib"), ("./lib", "lib/x.so")]
        {
            let lies = Lies { root: Path::new(root), is_folder: true, artifact: "lib" };
            assert_eq!(lies.shown(shown), shown, "{root}");
        }
        let lies = Lies { root: Path::new("a"), is_folder: false, artifact: "a" };
        assert_eq!(lies.shown("abc/x.so"), "abc/x.so");
    }
}
