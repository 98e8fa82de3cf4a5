//! What the names of members say of a package: names that come twice, and paths that lead out of it.

use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use std::collections::HashSet;

/// Names of members seen so far, as hashes.
#[derive(Default)]
pub(super) struct SeenNames(HashSet<u64>);

impl SeenNames {
    /// Notes a member that has the name of one before, and what [`note_path`] does.
    pub fn note(&mut self, problems: &mut ParseErrors, name: &str, at: u64) {
        if !self.0.insert(xxhash_rust::xxh3::xxh3_64(name.as_bytes())) {
            let what = format!("two members are named {name}; what installs them keeps the last");
            problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::DoubledName));
        }
        note_path(problems, name, at);
    }
}

/// Notes a member whose path leads out of the folder that its package is unpacked to. Nothing is unpacked to
/// a path here; other tools do that.
pub(super) fn note_path(problems: &mut ParseErrors, name: &str, at: u64) {
    if leads_out(name) {
        let what = format!("{name}: the path of this member leads out of the folder it is unpacked to");
        problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::UnsafePath));
    }
}

/// Whether a path is absolute, names a drive, or climbs with `..`.
pub(super) fn leads_out(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    name.starts_with(['/', '\\']) || drive || name.split(['/', '\\']).any(|part| part == "..")
}
