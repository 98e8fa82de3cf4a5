//! What may be spent on input that somebody else has made. Each budget bounds one thing:
//!
//! - [`InflateBudget`]: the bytes, members and names that one package unpacks to, with all packages in it.
//! - `ObjectBudget`: the bundles, entries and images that are found in one file.
//! - `MemoryPermit`: the memory in which all threads together inflate at one time.
//!
//! The first two end: what lies behind is reported and not read. The third is lent: who takes more waits.

use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::{
    BUNDLES, ENTRIES_PER_FILE, MEASURED_BYTES, MEMBER_NAMES_BYTES, PACKAGE_BYTES, PACKAGE_MEMBERS,
    PACKAGE_RATIO, UNPACKING_MEMORY,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

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
    pub(crate) fn left(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    /// Takes `bytes` from it.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), String> {
        let what = "the package unpacks to more than is believed of one of its size; the rest is not read";
        take(&self.bytes, bytes).ok_or_else(|| what.into())
    }

    /// Takes one member of this name from it.
    ///
    /// # Errors
    /// A sentence, where there were too many already.
    pub(crate) fn take_member(&self, name: &str) -> Result<(), String> {
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

/// What may still be found in a file, over all its sections and members, so that no file takes memory or time without
/// end.
#[derive(Debug)]
pub struct ObjectBudget {
    bundles: usize,
    entries: usize,
    /// Bytes that may be inflated only to find where a bundle of version 1 ends.
    pub(crate) measured: u64,
    /// Images of OffloadBinaries that may be looked at.
    pub(crate) images: usize,
}

impl Default for ObjectBudget {
    fn default() -> Self {
        ObjectBudget {
            bundles: BUNDLES,
            entries: ENTRIES_PER_FILE,
            measured: MEASURED_BYTES,
            images: ENTRIES_PER_FILE,
        }
    }
}

impl ObjectBudget {
    /// Pays for a bundle at an absolute offset that has this many entries.
    ///
    /// # Errors
    /// Where the file has more than this program reads.
    pub(crate) fn pay(&mut self, offset: u64, entries: usize) -> Parsed<()> {
        let left = self.bundles.checked_sub(1).zip(self.entries.checked_sub(entries));
        let Some((bundles, entries)) = left else {
            let what = format!(
                "more than {BUNDLES} bundles or {ENTRIES_PER_FILE} entries in one file; the rest is not read"
            );
            return Err(ParseError::new(offset, what).of_kind(ParseErrorKind::TooMany));
        };
        (self.bundles, self.entries) = (bundles, entries);
        Ok(())
    }

    /// Whether nothing more is read.
    pub(crate) fn is_spent(&self) -> bool {
        self.bundles == 0 || self.entries == 0
    }
}

/// A share of the memory that all threads together may use to inflate.
pub(crate) struct MemoryPermit(u64);

static IN_USE: Mutex<u64> = Mutex::new(0);
static RETURNED: Condvar = Condvar::new();

impl MemoryPermit {
    /// Waits until `bytes` are free. A share larger than all there is waits for all others to be returned.
    pub(crate) fn take(bytes: u64) -> Self {
        let bytes = bytes.min(UNPACKING_MEMORY);
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        while *in_use + bytes > UNPACKING_MEMORY {
            in_use = RETURNED.wait(in_use).unwrap_or_else(PoisonError::into_inner);
        }
        *in_use += bytes;
        MemoryPermit(bytes)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        *IN_USE.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        RETURNED.notify_all();
    }
}
