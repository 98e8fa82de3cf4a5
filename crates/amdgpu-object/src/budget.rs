//! Limits on the resources that untrusted input may use. Each budget limits one thing:
//!
//! - [`ObjectBudget`]: the bundles, entries and images found in one file, and the steps needed to find them.
//! - [`MemoryPermit`]: the memory that all threads together use for inflating.
//!
//! When the first is used up, the rest of the file is reported as not read. The second is returned after use,
//! and threads wait for it.

use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::{
    BUNDLE_ENTRIES, BUNDLES, ENTRIES_PER_FILE, MEASURED_BYTES, MEASURED_RATIO, WORK_STEPS,
    WORK_STEPS_PER_BYTE,
};
use alloc::format;

#[cfg_attr(not(feature = "std"), path = "budget/of_one_thread.rs")]
mod permit;
pub use permit::MemoryPermit;

/// What may still be found in a file, over all its sections and members, so that no file uses unlimited
/// memory or time.
#[derive(Debug)]
pub struct ObjectBudget {
    bundles: usize,
    entries: usize,
    /// Bytes that may be inflated only to find where a version 1 bundle ends.
    pub(crate) measured: u64,
    /// Images of OffloadBinaries that may be examined.
    pub(crate) images: usize,
    /// Steps that may be spent on determining the structure of the file.
    work: u64,
    /// Whether it has fewer bundles and entries than [`ObjectBudget::for_size`] gives.
    is_small: bool,
    /// Whether these were not enough.
    was_too_small: bool,
}

impl ObjectBudget {
    /// The budget for a file of `bytes` bytes.
    pub fn for_size(bytes: usize) -> Self {
        let in_proportion = |free: u64, ratio: u64| free.saturating_add((bytes as u64).saturating_mul(ratio));
        ObjectBudget {
            bundles: BUNDLES,
            entries: ENTRIES_PER_FILE,
            measured: in_proportion(WORK_STEPS, MEASURED_RATIO).min(MEASURED_BYTES),
            images: ENTRIES_PER_FILE,
            work: in_proportion(WORK_STEPS, WORK_STEPS_PER_BYTE),
            is_small: false,
            was_too_small: false,
        }
    }

    /// The same with at most so many entries, and as many bundles. Reading ends at the first bundle beyond.
    ///
    /// A caller that reads many files at once bounds the memory of their tables by this, and reads the few
    /// files for which it [was too small](ObjectBudget::was_too_small) by themselves, with all that they may
    /// have.
    #[must_use]
    pub fn with_at_most(self, entries: usize) -> Self {
        let is_small = entries < self.entries;
        ObjectBudget {
            bundles: self.bundles.min(entries),
            entries: self.entries.min(entries),
            is_small: self.is_small || is_small,
            ..self
        }
    }

    /// Whether a file has more than [`ObjectBudget::with_at_most`] gave it.
    pub fn was_too_small(&self) -> bool {
        self.was_too_small
    }

    /// Entries that are left.
    pub(crate) fn entries_left(&self) -> usize {
        self.entries
    }

    /// Notes that a file has more; of one with a smaller budget than it may have, nothing more is read.
    pub(crate) fn lacks(&mut self) {
        if self.is_small {
            self.was_too_small = true;
            (self.bundles, self.entries) = (0, 0);
        }
    }

    /// Pays for work at an absolute offset.
    ///
    /// # Errors
    ///
    /// If less is left. Then the budget drops to zero, so that later work is not tried either.
    pub(crate) fn work(&mut self, offset: u64, steps: u64) -> Parsed<()> {
        match self.work.checked_sub(steps) {
            Some(left) => self.work = left,
            None => {
                self.work = 0;
                let what =
                    "finding out what the file is made of takes more steps than are believed of its size";
                return Err(ParseError::new(offset, what).of_kind(ParseErrorKind::WorkLimit));
            }
        }
        Ok(())
    }

    /// Pays for a bundle at an absolute offset with this many entries.
    ///
    /// # Errors
    ///
    /// If the file exceeds this program's limits.
    pub(crate) fn pay(&mut self, offset: u64, entries: usize) -> Parsed<()> {
        let left = self.bundles.checked_sub(1).zip(self.entries.checked_sub(entries));
        let Some((bundles, entries)) = left else {
            self.lacks();
            let what = format!(
                "more than {BUNDLES} bundles or {ENTRIES_PER_FILE} entries in one file; the rest is not read"
            );
            return Err(ParseError::new(offset, what).of_kind(ParseErrorKind::TooMany));
        };
        (self.bundles, self.entries) = (bundles, entries);
        Ok(())
    }

    /// Whether an error of this kind can come from an exhausted budget: the file has used up its images or
    /// its steps.
    pub(crate) fn refused(&self, kind: ParseErrorKind) -> bool {
        match kind {
            ParseErrorKind::TooMany => self.images < BUNDLE_ENTRIES as usize,
            ParseErrorKind::WorkLimit => self.work == 0 || self.measured == 0,
            _ => false,
        }
    }

    /// Whether nothing more may be read.
    pub(crate) fn is_spent(&self) -> bool {
        self.bundles == 0 || self.entries == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_in_proportion_to_the_size() {
        for bytes in [0, 1000, 1 << 20] {
            let mut budget = ObjectBudget::for_size(bytes);
            let mut steps = 0;
            while budget.work(0, 4096).is_ok() {
                steps += 4096;
            }
            assert_eq!(steps, (WORK_STEPS + bytes as u64 * WORK_STEPS_PER_BYTE) / 4096 * 4096);
            // The budget would become negative.
            assert_eq!(budget.work(7, 1).unwrap_err().kind, ParseErrorKind::WorkLimit);
        }
    }

    #[test]
    fn a_small_budget_says_that_a_file_has_more() {
        let mut small = ObjectBudget::for_size(1000).with_at_most(10);
        assert!(small.pay(0, 10).is_ok() && !small.was_too_small() && small.is_spent());
        assert!(small.pay(0, 0).is_ok() && small.pay(0, 1).is_err() && small.was_too_small());
        let mut whole = ObjectBudget::for_size(1000).with_at_most(usize::MAX);
        assert!(whole.pay(0, ENTRIES_PER_FILE + 1).is_err() && !whole.was_too_small());
        // After the first refusal nothing more fits.
        assert!(whole.pay(0, 1).is_ok() && small.pay(0, 0).is_err());
    }
}
