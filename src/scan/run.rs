//! The main job: roots to an inventory, on all cores, in a fixed order and with bounded memory.

pub use super::options::{Options, Progress, Silent, StopSignal};

use super::Settings;
use super::dispatch::{DeferReason, Dispatch};
use super::kernel_sink::{KernelFilter, KernelSink, Latch};
use super::library_names;
use crate::budget::{InFlight, RunResults};
use crate::codeobject::disassembly::DecodeOptions;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::input::install::{Install, Wants};
use crate::input::keeper::Keeper;
use crate::input::walk;
use crate::input::walk::{Entry, PathKind};
use crate::inventory::Inventory;
use crate::inventory::kernel_row::KernelRow;
use crate::inventory::outcome::EntryOutcome;
use crate::limits::{BATCH_BYTES, BATCH_FILES, PACKAGE_MEMORY};
use crate::source::member_memory::MemberMemory;
use crate::source::return_free_memory;
use rayon::prelude::*;
use std::path::PathBuf;

/// A kernel inventory: which kernels it has, and where its rows go, in walking order.
pub struct KernelInventory<'a> {
    /// The kernels.
    pub filter: KernelFilter<'a>,
    /// Takes the rows.
    pub sink: &'a mut dyn KernelSink,
}

/// Memory for members of packages is kept for further ones as long as this lives.
struct IdleMemory;

impl Drop for IdleMemory {
    fn drop(&mut self) {
        MemberMemory::give_up_idle();
    }
}

/// Audits roots: files or folders.
///
/// # Errors
/// Where an option is off, the kernel inventory cannot be written, or [`Options::stop`] ended the run.
/// Unreadable and malformed files are not errors: they are in [`Inventory::findings`].
pub fn audit(
    roots: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    kernels: Option<KernelInventory<'_>>,
) -> Result<Inventory, AuditError> {
    read(roots, options, progress, kernels, None).map(|(inventory, _)| inventory)
}

/// The same, and the files themselves for questions that come later: those of the file system, and the
/// members of packages that `wants` takes; without it no files. Nothing is walked or unpacked twice.
///
/// # Errors
/// As for [`audit`].
pub fn read(
    roots: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    mut kernels: Option<KernelInventory<'_>>,
    wants: Option<&Wants<'_>>,
) -> Result<(Inventory, Install), AuditError> {
    let keeper = wants.map(Keeper::new);
    options.check()?;
    let how = walk::Options { follow_links: options.follow_links, exclude: options.exclude.clone() };
    let walk::TreeWalk { mut entries, excluded, processor_folders } = walk::walk(roots, &how);
    if let Some(only) = &options.only_files {
        entries.retain(|entry| only.contains(&entry.path));
    }
    let sizes =
        entries.iter().filter_map(|e| if let PathKind::File(bytes) = e.kind { Some(bytes) } else { None });
    progress.begin(sizes.clone().count() as u64, sizes.sum());
    let _idle = IdleMemory;
    let mut inventory = Inventory {
        excluded,
        processor_folders,
        keep_code_objects: options.keep_code_objects,
        user_places: options.user_places.clone(),
        roots: roots.iter().map(|r| r.to_string_lossy().into_owned()).collect(),
        ..Inventory::default()
    };
    let filter = kernels.as_ref().map(|kernels| kernels.filter);
    let settings = Settings {
        depth: options.depth(),
        kernels: filter.as_ref(),
        describe: false,
        allowance: None,
        stop: Some(&options.stop),
        deadline: None,
        trap_stubs: true,
        instructions: options.instructions.then(|| DecodeOptions {
            kernels: filter.is_some() && options.fingerprints.is_none(),
            fingerprints: options.fingerprints.as_deref(),
            fingerprints_of: options.fingerprints_of.as_deref(),
            targets: &options.targets,
            legal_on: options.legal_on.as_deref(),
            ..DecodeOptions::default()
        }),
        only_for: &options.only_for,
        only_with: None,
        too_large_beside: None,
    };
    let flight = InFlight::default();
    let dispatch = Dispatch {
        options,
        settings,
        progress,
        keeper: keeper.as_ref(),
        flight: &flight,
        beside: None,
        in_order: false,
    };
    let mut counting = Counting {
        inventory: &mut inventory,
        results: RunResults::default(),
        latch: kernels.as_mut().map(|kernels| Latch::new(&mut *kernels.sink)),
    };
    let mut rest = &entries[..];
    let mut ahead = None;
    while !rest.is_empty() {
        if options.stop.is_stopped() {
            return Err(AuditError::Stopped);
        }
        let (batch, behind) = rest.split_at(batch_size(rest, filter.is_some()));
        let next = behind.split_at(batch_size(behind, filter.is_some())).0;
        ahead = read_batch(&dispatch, batch, ahead, next, &mut counting);
        rest = behind;
        if counting.latch.as_ref().is_some_and(Latch::has_failed) {
            break;
        }
    }
    let Counting { latch, .. } = counting;
    latch.map_or(Ok(()), Latch::finish).map_err(|e| AuditError::io("write", "the kernel inventory", e))?;
    if options.stop.is_stopped() {
        return Err(AuditError::Stopped);
    }
    library_names::settle(&mut inventory.artifacts);
    inventory.finish();
    let install = keeper.map(|keeper| keeper.finish(roots, &entries)).unwrap_or_default();
    inventory.add_findings(install.faults().to_vec());
    Ok((inventory, install))
}

/// What looking at an entry gave, and the rows of its kernels.
type Looked = (EntryOutcome, Vec<KernelRow>);

/// Packages in groups; each group fits into the memory for streams, or is one package.
fn groups(large: &[(usize, u64)]) -> Vec<&[(usize, u64)]> {
    let mut groups = Vec::new();
    let (mut first, mut held) = (0, 0u64);
    for (index, (_, memory)) in large.iter().enumerate() {
        if index > first && held.saturating_add(*memory) > PACKAGE_MEMORY {
            groups.extend(large.get(first..index));
            (first, held) = (index, 0);
        }
        held = held.saturating_add(*memory);
    }
    groups.extend(large.get(first..).filter(|group| !group.is_empty()));
    groups
}

/// Memory for what was found in a package or a file, in bytes, from which on free memory is returned to the
/// system: finding it took many times as much.
const RESULTS_TO_TRIM: u64 = 4 << 20;

/// Counts what was found and hands on rows of kernels, in walking order.
struct Counting<'i> {
    inventory: &'i mut Inventory,
    results: RunResults,
    latch: Option<Latch<'i>>,
}

impl Counting<'_> {
    fn rows(&mut self, rows: Vec<KernelRow>) {
        if let Some(latch) = &mut self.latch {
            latch.rows(rows);
        }
    }

    fn add(&mut self, entry: &Entry, outcome: EntryOutcome, flight: &InFlight) {
        let (bytes, found, in_flight, taken) = match &outcome {
            EntryOutcome::Package(package) => {
                let taken = self.results.take(package.bytes, package.kept);
                (package.bytes, package.kept, package.in_flight, taken)
            }
            EntryOutcome::File(file) => {
                (file.bytes, file.in_flight, file.in_flight, self.results.take_file(file.in_flight))
            }
            _ => return self.inventory.add(entry, outcome),
        };
        let outcome = match taken {
            Ok(()) => outcome,
            Err(what) => {
                let what = Some(Finding::of_file(&read::TOO_MANY_PARTS, &entry.shown, what));
                EntryOutcome::Unreadable { bytes, found: what }
            }
        };
        self.inventory.add(entry, outcome);
        flight.give_back(in_flight);
        if found > RESULTS_TO_TRIM {
            return_free_memory();
        }
    }
}

/// What looking at the entries of a batch gave, in their order.
type LookedAtBatch = Vec<Result<Looked, DeferReason>>;

/// Reads a batch of entries, on all cores, and counts what was found. `looked` is what looking at them gave, if
/// that was done before. Returns the same for the `next` batch, if it was looked at meanwhile.
fn read_batch(
    dispatch: &Dispatch<'_>,
    batch: &[Entry],
    looked: Option<LookedAtBatch>,
    next: &[Entry],
    counting: &mut Counting<'_>,
) -> Option<LookedAtBatch> {
    if let [entry] = batch {
        // The rows of a large file are handed on as its bundles are read.
        let read = || {
            let outcome = dispatch.entry(entry, &mut |rows| counting.rows(rows));
            counting.add(entry, outcome, dispatch.flight);
        };
        return beside_next(dispatch, next, read);
    }
    let looked = looked.unwrap_or_else(|| look_at(dispatch, batch));
    // What was put off takes much memory.
    match looked.iter().all(Result::is_ok) {
        true => beside_next(dispatch, next, || count(dispatch, batch, looked, counting)),
        false => {
            count(dispatch, batch, looked, counting);
            None
        }
    }
}

/// Does some work while cores that have none look at the next batch, where kernels have rows: batches are small
/// then.
fn beside_next(dispatch: &Dispatch<'_>, next: &[Entry], work: impl FnOnce()) -> Option<LookedAtBatch> {
    if next.len() < 2 || dispatch.settings.kernels.is_none() {
        work();
        return None;
    }
    let mut looked = None;
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| looked = Some(look_at(dispatch, next)));
        work();
    });
    looked
}

/// Looks at the entries of a batch, but for large ones.
fn look_at(dispatch: &Dispatch<'_>, batch: &[Entry]) -> LookedAtBatch {
    let look = |entry: &Entry| {
        let mut rows = Vec::new();
        let outcome = dispatch.entry_unless_large(entry, &mut |more| rows.extend(more));
        outcome.map(|outcome| (outcome, rows))
    };
    // The largest first, so that no core is left with one when all others are done.
    let mut order: Vec<(usize, &Entry)> = batch.iter().enumerate().collect();
    order.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.kind.bytes()));
    let looked = order.into_iter().par_bridge().map(|(at, entry)| (at, look(entry)));
    let mut looked: Vec<_> = looked.collect();
    looked.sort_by_key(|(at, _)| *at);
    looked.into_iter().map(|(_, looked)| looked).collect()
}

/// Counts what was found in the entries of a batch, and reads those that were put off.
fn count(dispatch: &Dispatch<'_>, batch: &[Entry], mut read: LookedAtBatch, counting: &mut Counting<'_>) {
    // Packages whose streams take much memory come then, as many at once as fit into their share. None waits
    // for another, so that none can wait for ever.
    let large: Vec<(usize, u64)> = read
        .iter()
        .enumerate()
        .filter_map(
            |(at, one)| if let Err(DeferReason::Stream(memory)) = one { Some((at, *memory)) } else { None },
        )
        .collect();
    let mut groups = groups(&large).into_iter();
    for (at, entry) in batch.iter().enumerate() {
        if let Some(Err(DeferReason::Stream(_))) = read.get(at) {
            let group = groups.next().unwrap_or_default();
            for (at, one) in look_beside(dispatch, batch, group) {
                if let Some(slot) = read.get_mut(at) {
                    *slot = one;
                }
            }
        }
        let Some(slot) = read.get_mut(at) else { continue };
        let (outcome, rows) = std::mem::replace(slot, Err(DeferReason::Results)).unwrap_or_else(|why| {
            let mut rows = Vec::new();
            let outcome = dispatch.entry_alone(entry, &why, &mut |more| rows.extend(more));
            (outcome, rows)
        });
        counting.rows(rows);
        counting.add(entry, outcome, dispatch.flight);
    }
}

/// Looks at the entries of one group, with their places in the batch.
fn look_beside(
    dispatch: &Dispatch<'_>,
    batch: &[Entry],
    group: &[(usize, u64)],
) -> Vec<(usize, Result<Looked, DeferReason>)> {
    let look = |(at, _): &(usize, u64)| {
        let mut rows = Vec::new();
        let entry = batch.get(*at)?;
        let outcome = dispatch.entry_beside(entry, &mut |more| rows.extend(more));
        Some((*at, outcome.map(|outcome| (outcome, rows))))
    };
    group.par_iter().filter_map(look).collect()
}

/// How many of the next entries are read at once. A kernel inventory can be larger than the files it is of.
fn batch_size(entries: &[Entry], inventory: bool) -> usize {
    let mut bytes = 0u64;
    let mut fits = |entry: &&Entry| {
        if let (PathKind::File(size), true) = (&entry.kind, inventory) {
            bytes += size;
        }
        bytes <= BATCH_BYTES
    };
    entries.iter().take(BATCH_FILES).take_while(|entry| fits(entry)).count().max(1).min(entries.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_looked_at_together_fit_into_their_memory() {
        let mib =
            |sizes: &[u64]| sizes.iter().enumerate().map(|(at, size)| (at, size << 20)).collect::<Vec<_>>();
        let lens = |sizes: &[u64]| groups(&mib(sizes)).iter().map(|group| group.len()).collect::<Vec<_>>();
        assert_eq!(lens(&[]), [0usize; 0]);
        assert_eq!(lens(&[129; 8]), [1; 8]);
        assert_eq!(lens(&[9; 12]), [10, 2]);
        assert_eq!(lens(&[33, 33, 129, 9]), [2, 1, 1]);
    }
}
