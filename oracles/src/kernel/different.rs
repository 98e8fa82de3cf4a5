//! Walks the kernels of files whose code differs, and sums up what is found in each.

use super::all::each_object;
use anyhow::{Result, bail};
use rocm_audit::kernel::waits::Undecided;
use rocm_audit::kernel::{Code, KernelObject};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// A kernel whose code was not seen before.
pub struct DifferentKernel<'k> {
    pub code: &'k Code<'k>,
    pub symbol: &'k str,
    pub target: &'k str,
    /// What kernels with the same code for the same processor have in common.
    pub hash: u64,
    /// Whether it is one of those whose code is changed.
    pub is_changed: bool,
}

impl DifferentKernel<'_> {
    pub fn processor(&self) -> &str {
        processor(self.target)
    }

    /// The instruction at an offset; empty where none begins.
    pub fn text(&self, offset: u32) -> String {
        self.code.instruction(offset).map(|one| one.to_string()).unwrap_or_default()
    }
}

fn processor(target: &str) -> &str {
    target.split(':').next().unwrap_or(target)
}

/// What one list counts beside the others.
pub trait Counted: Default + Send {
    fn add(&mut self, other: Self);
}

/// What is found of all kernels.
#[derive(Default)]
pub struct Sums<C> {
    pub kernels: u64,
    pub different: u64,
    pub undecided: BTreeMap<Undecided, u64>,
    pub alarms: Vec<String>,
    /// Those that have alarms, by their hashes.
    pub alarming: BTreeSet<u64>,
    pub counted: C,
    /// All kernels by their hashes.
    by_hash: BTreeMap<u64, u64>,
    /// Changed instructions and how many were found, by the processor and how they were changed.
    changed: BTreeMap<(String, &'static str), (u64, u64)>,
    /// Those that were not, by a title and the reason, with the first of each by its text.
    missed: BTreeMap<(String, String), (u64, String)>,
}

impl<C: Counted> Sums<C> {
    /// Looks at the kernels of files and folders; `words` are their paths and, behind `--change`, of how many
    /// different kernels one is changed.
    pub fn of_kernels(
        words: &[&str],
        look: &(impl Fn(&DifferentKernel<'_>, &mut Sums<C>) + Sync),
    ) -> Result<Sums<C>> {
        let (paths, one_in) = match words {
            [paths @ .., "--change", one_in] => (paths, Some(one_in.parse::<u64>()?)),
            paths => (paths, None),
        };
        let (sums, seen) = (Mutex::new(Sums::default()), Mutex::new(BTreeSet::new()));
        each_object(paths, &|opened: &KernelObject<'_>, target: &str| {
            let mut own = Sums::default();
            for kernel in opened.kernels() {
                let Some(code) = opened.code(kernel) else { continue };
                own.kernels += 1;
                let hash = hash(&code, target);
                *own.by_hash.entry(hash).or_default() += 1;
                if seen.lock().is_ok_and(|mut seen| !seen.insert(hash)) {
                    continue;
                }
                own.different += 1;
                let is_changed = one_in.is_some_and(|one_in| hash.is_multiple_of(one_in));
                let symbol = kernel.symbol();
                look(&DifferentKernel { code: &code, symbol, target, hash, is_changed }, &mut own);
            }
            if let Ok(mut sums) = sums.lock() {
                sums.add(own);
            }
        })?;
        let mut sums: Sums<C> = sums.into_inner().unwrap_or_default();
        sums.alarms.sort();
        Ok(sums)
    }

    fn add(&mut self, other: Self) {
        self.kernels += other.kernels;
        self.different += other.different;
        other.undecided.into_iter().for_each(|(why, count)| *self.undecided.entry(why).or_default() += count);
        self.alarms.extend(other.alarms);
        self.alarming.extend(other.alarming);
        other.by_hash.into_iter().for_each(|(hash, count)| *self.by_hash.entry(hash).or_default() += count);
        self.counted.add(other.counted);
        for (key, (every, found)) in other.changed {
            let sum = self.changed.entry(key).or_default();
            *sum = (sum.0 + every, sum.1 + found);
        }
        for (key, (count, first)) in other.missed {
            self.add_missed(key, count, first);
        }
    }

    pub fn add_undecided(&mut self, why: Option<Undecided>) {
        if let Some(why) = why {
            *self.undecided.entry(why).or_default() += 1;
        }
    }

    /// Kernels that have alarms, all with the same code counted.
    pub fn kernels_with_alarms(&self) -> u64 {
        self.kernels_among(&self.alarming)
    }

    /// Kernels with some hashes, all with the same code counted.
    pub fn kernels_among(&self, hashes: &BTreeSet<u64>) -> u64 {
        hashes.iter().filter_map(|hash| self.by_hash.get(hash)).sum()
    }

    /// Counts a changed instruction, and whether anything was found.
    pub fn add_changed(&mut self, processor: &str, how: &'static str, is_found: bool) {
        let sum = self.changed.entry((processor.to_owned(), how)).or_default();
        *sum = (sum.0 + 1, sum.1 + u64::from(is_found));
    }

    /// Counts changed instructions that were not found; kernels come in no order, so the first is the first by
    /// its text.
    pub fn add_missed(&mut self, key: (String, String), count: u64, example: String) {
        let sum = self.missed.entry(key).or_insert_with(|| (0, example.clone()));
        sum.0 += count;
        if example < sum.1 {
            sum.1 = example;
        }
    }

    pub fn print_alarms(&self) {
        self.alarms.iter().for_each(|alarm| println!("{alarm}"));
    }

    /// Prints what was changed and not found.
    ///
    /// # Errors
    ///
    /// Where there were no kernels at all.
    pub fn print_changed(&self) -> Result<()> {
        for ((target, how), (all, found)) in &self.changed {
            println!("{target} {how}: {found} of {all} found");
        }
        for ((title, why), (count, first)) in &self.missed {
            println!("not found, {title}: {count} {why}; {first}");
        }
        if self.kernels == 0 { bail!("no kernels") } else { Ok(()) }
    }
}

/// The same in every run: of the processor, the lanes and the bytes.
fn hash(code: &Code<'_>, target: &str) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(processor(target).as_bytes());
    hasher.update(code.lanes().to_le_bytes());
    hasher.update(code.bytes(0, code.size()));
    let digest: [u8; 32] = hasher.finalize().into();
    digest.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}
