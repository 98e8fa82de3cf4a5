//! Where in an artifact something is. No folder of the machine that read it is in a row, so that the rows of an artifact are
//! the same wherever they were made.

use crate::locator::{Locator, NESTED};
use std::path::{Path, PathBuf};

/// The artifact, as it lies on this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lies<'a> {
    /// The roots that were read.
    pub roots: &'a [PathBuf],
    /// What it is called.
    pub artifact: &'a str,
}

impl Lies<'_> {
    /// The path below the artifact: of a package that of the member, of a file by itself its name.
    pub fn path(&self, at: &Locator) -> String {
        let root = self.roots.iter().find(|root| at.path.starts_with(root));
        let below = root.and_then(|root| at.path.strip_prefix(root).ok()).unwrap_or(Path::new(""));
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
        let root = self.roots.iter().find_map(|root| shown.strip_prefix(&*root.to_string_lossy()));
        match root.map(|rest| rest.trim_start_matches(['!', '/'])) {
            Some("") => self.artifact.to_owned(),
            Some(rest) => rest.to_owned(),
            None => shown.to_owned(),
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
        let roots = [PathBuf::from("/srv/a/x.whl"), PathBuf::from("/opt/rocm")];
        let lies = Lies { roots: &roots, artifact: "x.whl" };
        for (uri, path, place) in [
            ("file:///srv/a/x.whl", "x.whl", ""),
            ("file:///srv/a/x.whl#member=demo/x.so&offset=4&size=5", "demo/x.so", "offset=4&size=5"),
            (
                "file:///opt/rocm/lib/y.so#offset=1&size=2&unpacked-offset=3&unpacked-size=4",
                "lib/y.so",
                "offset=1&size=2&unpacked-offset=3&unpacked-size=4",
            ),
            ("file:///opt/rocm/p.deb#member=usr/z", "p.deb!/usr/z", ""),
        ] {
            let at = Locator::parse(uri).unwrap();
            assert_eq!((lies.path(&at).as_str(), within(&at).as_str()), (path, place));
        }
        for (shown, path) in [
            ("/opt/rocm/lib/y.so", "lib/y.so"),
            ("/srv/a/x.whl!/demo/x.so", "demo/x.so"),
            ("demo/x.so", "demo/x.so"),
        ] {
            assert_eq!(lies.shown(shown), path);
        }
    }
}
