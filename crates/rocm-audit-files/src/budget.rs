//! What may be spent on input from strangers. Each budget bounds one thing:
//!
//! - [`InflateBudget`]: the bytes, members, names and bundle entries that one package unpacks to, with all
//!   packages in it, and the memory that what is found in it takes.
//! - [`RunResults`]: the memory that what is found in all packages and files takes.
//! - [`ModelBudget`]: the tensors, names and metadata that are kept of a model, over all its files.
//! - [`ObjectBudget`]: the bundles, entries and images that are found in one file.
//! - [`MemoryPermit`]: the memory in which all threads together inflate at one time.
//!
//! - [`InFlight`]: the memory of what was found in packages and files and was not counted yet.
//!
//! All but the last two end: what lies behind is reported and not read. Memory of permits is lent: who takes
//! more waits. What is in flight has packages wait that could be looked at beside others.

pub use amdgpu_object::budget::{MemoryPermit, ObjectBudget};

use crate::error::GivenUp;
use crate::limits::{
    FILE_RESULTS, MEMBER_NAMES_BYTES, MODEL_MEMORY, MODEL_TENSORS, PACKAGE_BYTES, PACKAGE_DEPTH,
    PACKAGE_ENTRIES, PACKAGE_MEMBERS, PACKAGE_RATIO, PACKAGE_RESULTS, RESULTS_AT_ONCE, RESULTS_AT_ONCE_RATIO,
    RESULTS_RATIO, RUN_RESULTS,
};
use amdgpu_object::source::return_free_memory;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How much may still be unpacked, over a package and all packages in it.
///
/// Packages of each depth have counters of their own, and so has what is inflated of their members: one
/// thread takes from each where members are looked at one after the other, so that what is refused does not
/// depend on threads.
#[derive(Debug)]
pub struct InflateBudget {
    depths: [Counters; PACKAGE_DEPTH],
    /// Bytes that containers among the members inflate to.
    contents: AtomicU64,
    entries: AtomicU64,
    /// Memory that is left for what is found.
    results: AtomicU64,
    /// Memory that was taken of it.
    kept: AtomicU64,
    /// How much of that is in proportion to the package.
    usual: u64,
    /// Whether anything was refused.
    refused: AtomicBool,
    /// Whether memory for what is found was refused.
    is_full: AtomicBool,
    /// Whether nothing of the package is used any more.
    is_given_up: AtomicBool,
    /// Whether members are looked at one after the other.
    in_order: bool,
}

/// What packages of one depth may still take.
#[derive(Debug)]
struct Counters {
    bytes: AtomicU64,
    members: AtomicU64,
    names: AtomicU64,
}

/// The part of an [`InflateBudget`] that packages of one depth have.
#[derive(Debug, Clone, Copy)]
pub struct DepthShare<'b> {
    budget: &'b InflateBudget,
    depth: usize,
}

impl InflateBudget {
    /// For a package of `bytes` bytes. Packages in it, and what containers inflate to, have a quarter each of
    /// what it has.
    pub fn for_package(bytes: u64) -> Self {
        let usual = bytes / RESULTS_AT_ONCE_RATIO;
        let results = PACKAGE_RESULTS.saturating_add(bytes / RESULTS_RATIO);
        let bytes = PACKAGE_BYTES.saturating_add(bytes.saturating_mul(PACKAGE_RATIO));
        let counters = |depth: usize| Counters {
            bytes: AtomicU64::new(if depth == 0 { bytes } else { bytes / 4 }),
            members: AtomicU64::new(PACKAGE_MEMBERS as u64),
            names: AtomicU64::new(MEMBER_NAMES_BYTES / if depth == 0 { 1 } else { 4 }),
        };
        InflateBudget {
            depths: std::array::from_fn(counters),
            contents: AtomicU64::new(bytes),
            entries: AtomicU64::new(PACKAGE_ENTRIES),
            results: AtomicU64::new(results),
            kept: AtomicU64::new(0),
            usual,
            refused: AtomicBool::new(false),
            is_full: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
            in_order: false,
        }
    }

    /// The same, for members that are looked at one after the other: what is refused does not depend on
    /// threads then.
    pub fn in_order(bytes: u64) -> Self {
        InflateBudget { in_order: true, ..InflateBudget::for_package(bytes) }
    }

    /// Whether it is one of those.
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// What packages that lie in so many others may take.
    pub fn at(&self, depth: usize) -> DepthShare<'_> {
        DepthShare { budget: self, depth: depth.min(PACKAGE_DEPTH - 1) }
    }

    /// Whether anything was refused. Then, where several threads took from it, what was depends on them.
    pub fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Acquire)
    }

    /// Where it is noted that something is refused, unless members are looked at one after the other.
    pub fn refusing(&self) -> Option<&AtomicBool> {
        Some(&self.refused).filter(|_| !self.in_order)
    }

    /// Takes `bytes` that a container among the members inflates to.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take(&self, bytes: u64) -> Result<(), GivenUp> {
        self.take_from(&self.contents, bytes, || TOO_MUCH.into())
    }

    /// Takes the entries of a member's bundles from it.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take_entries(&self, entries: u64) -> Result<(), GivenUp> {
        self.take_from(&self.entries, entries, || {
            format!(
                "the bundles of the package have more than {PACKAGE_ENTRIES} entries, or fewer at longer places; the rest is not read"
            )
        })
    }

    /// Takes the memory of what was found in a member, and says how much of it is out of proportion. Where that
    /// grows, free memory is returned to the system: what is kept of many small members lies between what was
    /// freed of them.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take_results(&self, bytes: u64) -> Result<u64, GivenUp> {
        self.take_from(&self.results, bytes, || NO_ROOM.into())
            .inspect_err(|_| self.is_full.store(true, Ordering::Release))?;
        let before = self.kept.fetch_add(bytes, Ordering::AcqRel);
        let unusual = |kept: u64| kept.saturating_sub(self.usual);
        let (before, now) = (unusual(before), unusual(before + bytes));
        if now / UNUSUAL_TO_TRIM > before / UNUSUAL_TO_TRIM {
            return_free_memory();
        }
        Ok(now - before)
    }

    /// Whether there is memory for what will be found in further members: once it was refused, none is looked
    /// at.
    ///
    /// # Errors
    /// The sentence with which it was refused.
    pub fn has_room(&self) -> Result<(), &'static str> {
        if self.is_full.load(Ordering::Acquire) { Err(NO_ROOM) } else { Ok(()) }
    }

    /// Has readers take no further member of the package, since nothing of it is used: it is looked at again.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Release);
    }

    /// Memory of what was found in it so far.
    pub fn results(&self) -> u64 {
        self.kept.load(Ordering::Acquire)
    }

    /// How much of that is out of proportion.
    pub fn unusual_results(&self) -> u64 {
        self.results().saturating_sub(self.usual)
    }

    fn take_from(&self, from: &AtomicU64, amount: u64, what: impl Fn() -> String) -> Result<(), GivenUp> {
        take(from, amount).ok_or_else(|| {
            self.refused.store(true, Ordering::Release);
            what().into()
        })
    }
}

/// After so many bytes that are out of proportion to a package free memory is returned to the system.
const UNUSUAL_TO_TRIM: u64 = 4 << 20;

const NO_ROOM: &str = "what is found in the package takes more memory than is believed of one of its size; the rest is not read";

const TOO_MUCH: &str =
    "the package unpacks to more than is believed of one of its size; the rest is not read";

impl DepthShare<'_> {
    fn counters(&self) -> Option<&Counters> {
        self.budget.depths.get(self.depth)
    }

    /// Bytes that are left.
    pub fn left(&self) -> u64 {
        self.counters().map_or(0, |counters| counters.bytes.load(Ordering::Acquire))
    }

    /// Takes `bytes` that a member is unpacked to.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take(&self, bytes: u64) -> Result<(), GivenUp> {
        let Some(counters) = self.counters() else { return Err(TOO_MUCH.into()) };
        self.budget.take_from(&counters.bytes, bytes, || TOO_MUCH.into())
    }

    /// Takes one member of this name.
    ///
    /// # Errors
    /// A sentence, if there were too many already.
    pub fn take_member(&self, name: &str) -> Result<(), GivenUp> {
        let Some(counters) = self.counters() else { return Err(TOO_MUCH.into()) };
        if self.budget.is_given_up.load(Ordering::Acquire) {
            return Err("the package is looked at again".into());
        }
        let many = || format!("more than {PACKAGE_MEMBERS} members; the rest is not read");
        self.budget.take_from(&counters.members, 1, many)?;
        let long = || "the names of the members take more memory than is given to them; the rest is not read";
        self.budget.take_from(&counters.names, name.len() as u64, || long().into())
    }
}

/// Memory of what was found in packages and files of one run and was not counted yet, as far as it is out of
/// proportion to them.
#[derive(Debug, Default)]
pub struct InFlight(AtomicU64);

impl InFlight {
    /// Adds what was found.
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Takes it off again, when it was counted or given up.
    pub fn give_back(&self, bytes: u64) {
        self.0.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Whether no package is looked at beside others any more.
    pub fn is_full(&self) -> bool {
        self.0.load(Ordering::Acquire) > RESULTS_AT_ONCE
    }
}

/// Memory for what is found in the packages and files of one run, in walking order.
#[derive(Debug)]
pub struct RunResults(u64);

impl Default for RunResults {
    fn default() -> Self {
        RunResults(RUN_RESULTS)
    }
}

impl RunResults {
    /// Takes the memory of what was found in a package of so many bytes.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take(&mut self, package: u64, bytes: u64) -> Result<(), GivenUp> {
        self.0 = self.0.saturating_add(package / RESULTS_RATIO);
        self.0 = self.0.checked_sub(bytes).ok_or(
            "what was found in this and the packages before it takes more memory than is believed of their size: audit it by itself",
        )?;
        Ok(())
    }

    /// How much of what was found in a file of so many bytes is out of proportion to it, in bytes.
    pub fn unusual_of_file(file: u64, bytes: u64) -> u64 {
        bytes.saturating_sub(FILE_RESULTS.saturating_add(file / RESULTS_RATIO))
    }

    /// Takes that memory of a file that lies in no package.
    ///
    /// # Errors
    /// A sentence, where less is left.
    pub fn take_file(&mut self, unusual: u64) -> Result<(), GivenUp> {
        self.0 = self.0.checked_sub(unusual).ok_or(
            "what was found in this and the files before it takes more memory than is believed of their size; it is left out",
        )?;
        Ok(())
    }
}

/// What may still be kept of one model, over all files that it is split into.
#[derive(Debug, Clone)]
pub struct ModelBudget {
    /// For names, shapes and metadata, in bytes.
    memory: u64,
    tensors: usize,
}

impl Default for ModelBudget {
    fn default() -> Self {
        ModelBudget { memory: MODEL_MEMORY, tensors: MODEL_TENSORS }
    }
}

impl ModelBudget {
    /// Whether a further tensor may be kept.
    pub fn has_room(&self) -> bool {
        self.tensors > 0
    }

    /// Counts a tensor that is kept.
    pub fn take_tensor(&mut self) {
        self.tensors = self.tensors.saturating_sub(1);
    }

    /// Takes memory for something that is kept, and says whether so much was left. What is refused leaves
    /// nothing for what stands behind it, so that no model is kept with gaps.
    pub fn take(&mut self, bytes: u64) -> bool {
        let left = self.memory.checked_sub(bytes);
        self.memory = left.unwrap_or(0);
        left.is_some()
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
        let small = InflateBudget::for_package(34_000);
        let of_depth = |depth| small.at(depth).left();
        assert_eq!(of_depth(0), PACKAGE_BYTES + 34_000 * PACKAGE_RATIO);
        let all: u64 = (0..PACKAGE_DEPTH).map(of_depth).sum();
        // 16 bombs at once, one for each of 16 threads.
        assert!(all * 16 < 2 << 30);
        assert!(!small.was_refused());
        for depth in 0..PACKAGE_DEPTH {
            assert!(small.at(depth).take(of_depth(depth)).is_ok() && small.at(depth).take(1).is_err());
        }
        assert!(small.was_refused());
        assert!(small.take_entries(PACKAGE_ENTRIES).is_ok() && small.take_entries(1).is_err());
        let results = PACKAGE_RESULTS + 34_000 / RESULTS_RATIO;
        assert!(small.take_results(results).is_ok() && small.has_room().is_ok());
        assert!(small.take_results(1).is_err() && small.has_room().is_err());
        assert!(small.at(1).take_member("a").is_ok());
        small.give_up();
        assert!(small.at(1).take_member("b").is_err());
        assert_eq!((small.results(), small.unusual_results()), (results, results - 8500));
    }
}
