//! Locations within an artifact. Rows contain no folders of the machine that read it, so that an artifact has
//! the same rows on every machine.

use crate::locator::{Locator, NESTED, slashed};
use std::path::{Path, PathBuf};

/// An artifact's place on this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lies<'a> {
    /// The root that was read, which is the artifact itself.
    pub root: &'a Path,
    /// Whether it is a folder. Reports show paths in a folder relative to it, and a file by the path the user
    /// gave.
    pub is_folder: bool,
    /// Name of the artifact.
    pub artifact: &'a str,
}

impl<'a> Lies<'a> {
    /// As it lies now.
    pub fn in_root(root: &'a Path, artifact: &'a str) -> Self {
        Lies { root, is_folder: root.is_dir(), artifact }
    }

    /// The path below the artifact: for a package the member's path, for a single file its name.
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

    /// Converts a path that reports show.
    pub fn shown(&self, shown: &str) -> String {
        let root = slashed(self.root);
        let rest = shown.strip_prefix(root.trim_end_matches('/'));
        match rest {
            // This is the root itself. Paths shown for a folder are below it, and one may equal the folder's
            // name.
            Some("" | "/") if !self.is_folder || self.root.is_absolute() => self.artifact.to_owned(),
            Some(rest) if !self.is_folder => rest.strip_prefix(NESTED).unwrap_or(shown).to_owned(),
            _ => shown.to_owned(),
        }
    }
}

/// The part of a URI after the file: `offset=4096&size=512`.
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

    /// A folder's content may have the same name as the folder.
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
