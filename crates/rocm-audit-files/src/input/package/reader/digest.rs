//! SHA-256 of whole parts of packages, compared with what the package states, where every byte may be read.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Says what is wrong with bytes that `who` states a SHA-256 of; `None` where they have it.
pub(super) fn mismatch(bytes: &[u8], stated: &str, who: &str) -> Option<String> {
    let mut found = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(found, "{byte:02x}");
    }
    let is_same = found.eq_ignore_ascii_case(stated);
    (!is_same).then(|| format!("its SHA-256 is {found}, where {who} states {stated}"))
}
