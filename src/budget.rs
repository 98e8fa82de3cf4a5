//! What may be spent on input that somebody else has made. Each budget bounds one thing:
//!
//! - [`InflateBudget`]: the bytes, members, names and bundle entries that one package unpacks to, with all packages in it.
//! - [`ObjectBudget`]: the bundles, entries and images that are found in one file.
//! - [`MemoryPermit`]: the memory in which all threads together inflate at one time.
//!
//! The first two end: what lies behind is reported and not read. The third is lent: who takes more waits.

pub use amdgpu_object::budget::{MemoryPermit, ObjectBudget};

use crate::limits::{MEMBER_NAMES_BYTES, PACKAGE_BYTES, PACKAGE_ENTRIES, PACKAGE_MEMBERS, PACKAGE_RATIO};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes may still be unpacked, over a package and all packages in it.
#[derive(Debug)]
pub struct InflateBudget {
    bytes: AtomicU64,
    members: AtomicU64,
    names: AtomicU64,
    entries: AtomicU64,
}

impl InflateBudget {
    /// For a package of `bytes` bytes.
    pub fn of(bytes: u64) -> Self {
        let bytes = PACKAGE_BYTES.saturating_add(bytes.saturating_mul(PACKAGE_RATIO));
        InflateBudget {
            bytes: AtomicU64::new(bytes),
            members: AtomicU64::new(PACKAGE_MEMBERS as u64),
            names: AtomicU64::new(MEMBER_NAMES_BYTES),
            entries: AtomicU64::new(PACKAGE_ENTRIES),
        }
    }

    /// What is left of it.
    pub fn left(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    /// Takes `bytes` from it.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take(&self, bytes: u64) -> Result<(), String> {
        let what = "the package unpacks to more than is believed of one of its size; the rest is not read";
        take(&self.bytes, bytes).ok_or_else(|| what.into())
    }

    /// Takes the entries of a member's bundles from it.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take_entries(&self, entries: u64) -> Result<(), String> {
        let what = || {
            format!(
                "the bundles of the package have more than {PACKAGE_ENTRIES} entries; the rest is not read"
            )
        };
        take(&self.entries, entries).ok_or_else(what)
    }

    /// Takes one member of this name from it.
    ///
    /// # Errors
    /// A sentence, where there were too many already.
    pub fn take_member(&self, name: &str) -> Result<(), String> {
        let what = || format!("more than {PACKAGE_MEMBERS} members; the rest is not read");
        take(&self.members, 1).ok_or_else(what)?;
        let what = "the names of the members take more memory than is given to them; the rest is not read";
        take(&self.names, name.len() as u64).ok_or_else(|| what.into())
    }
}

fn take(from: &AtomicU64, amount: u64) -> Option<()> {
    let take = |left: u64| left.checked_sub(amount);
    from.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_unpacks_to_what_its_size_allows() {
        let small = InflateBudget::of(34_000);
        assert_eq!(small.left(), PACKAGE_BYTES + 34_000 * PACKAGE_RATIO);
        // 16 bombs at once, one for each of 16 threads.
        assert!(small.left() * 16 < 2 << 30);
        assert!(small.take(small.left()).is_ok() && small.take(1).is_err());
        assert!(small.take_entries(PACKAGE_ENTRIES).is_ok() && small.take_entries(1).is_err());
    }
}
