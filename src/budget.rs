//! What may be spent on input that somebody else has made. Each budget bounds one thing:
//!
//! - [`InflateBudget`]: the bytes, members and names that one package unpacks to, with all packages in it.
//! - [`ObjectBudget`]: the bundles, entries and images that are found in one file.
//! - [`MemoryPermit`]: the memory in which all threads together inflate at one time.
//!
//! The first two end: what lies behind is reported and not read. The third is lent: who takes more waits.

pub use amdgpu_object::budget::{MemoryPermit, ObjectBudget};

use crate::limits::{MEMBER_NAMES_BYTES, PACKAGE_BYTES, PACKAGE_MEMBERS, PACKAGE_RATIO};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes may still be unpacked, over a package and all packages in it.
#[derive(Debug)]
pub struct InflateBudget {
    bytes: AtomicU64,
    members: AtomicU64,
    names: AtomicU64,
}

impl InflateBudget {
    /// For a package of `bytes` bytes.
    pub fn of(bytes: u64) -> Self {
        let bytes = PACKAGE_BYTES.saturating_add(bytes.saturating_mul(PACKAGE_RATIO));
        InflateBudget {
            bytes: AtomicU64::new(bytes),
            members: AtomicU64::new(PACKAGE_MEMBERS as u64),
            names: AtomicU64::new(MEMBER_NAMES_BYTES),
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
