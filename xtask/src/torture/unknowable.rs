//! Losses that leave no trace in the bytes: what is left is a whole file of its kind.

use super::base::Base;
use super::mutation::Broken;

/// Why nobody can say that something of this file is gone; nothing where somebody could.
pub fn why(base: &Base, broken: &Broken) -> Option<&'static str> {
    let how = |way: &str| broken.how.iter().any(|how| how.starts_with(way));
    if how("another name") {
        return Some("another name: what reads a file by its name does not read it");
    }
    if how("another file's end") {
        return Some("another file's end: what is left may be a file of its own");
    }
    let _ = base;
    None
}
