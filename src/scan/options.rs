//! What a run is asked for, and how it says how far it is.

use super::SCANNERS;
use crate::codeobject::fingerprint::FingerprintCache;
use crate::container::bundle_reader::Depth;
use crate::error::AuditError;
use crate::input::exclude::Exclusion;
use crate::inventory::UserPlace;
use crate::target::TargetId;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What to do.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Follow symbolic links inside of roots.
    pub follow_links: bool,
    /// Inflate compressed bundles to their end and verify their hashes.
    pub verify: bool,
    /// Decode machine code.
    pub instructions: bool,
    /// If given, to make a fingerprint of each kernel's code, where machine code is decoded. Its instructions
    /// are then not counted one kernel at a time.
    pub fingerprints: Option<Arc<FingerprintCache>>,
    /// Targets whose kernels have fingerprints; `None` for all.
    pub fingerprints_of: Option<Vec<TargetId>>,
    /// Targets whose machine code is decoded; all where none is named.
    pub targets: Vec<TargetId>,
    /// GPUs that the question is about: entries of bundles that load on none of them are not read, only
    /// counted. All are where none is named.
    pub only_for: Vec<TargetId>,
    /// A processor on which instructions are looked for that it does not have, where machine code is decoded.
    pub legal_on: Option<String>,
    /// The only files that are opened, by their paths; all where nothing is said. A second look at code opens
    /// those that have it.
    pub only_files: Option<Arc<BTreeSet<PathBuf>>>,
    /// Paths below roots, and members of packages, to leave out.
    pub exclude: Exclusion,
    /// Scanners to use, by id; all where it is empty.
    pub only: Vec<String>,
    /// Scanners not to use.
    pub skip: Vec<String>,
    /// Whether the inventory keeps each code object, not only sums of them.
    pub keep_code_objects: bool,
    /// Ends the run before the next file or bundle, when its holder says so.
    pub stop: StopSignal,
    /// Places of the user's caches that are among the roots where something is there; reports name them.
    pub user_places: Vec<UserPlace>,
    /// How long one file may be read; what is left of it then is not read. By a clock, so that two runs may
    /// differ.
    pub time_per_file: Option<Duration>,
}

impl Options {
    /// # Errors
    /// Where a scanner is named that does not exist.
    pub fn check(&self) -> Result<(), AuditError> {
        for id in self.only.iter().chain(&self.skip) {
            if !SCANNERS.iter().any(|s| s.id == id) {
                let known: Vec<_> = SCANNERS.iter().map(|s| s.id).collect();
                return Err(AuditError::Usage(format!(
                    "{id}: no such scanner; there are {}",
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn uses(&self, id: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|s| s == id)) && !self.skip.iter().any(|s| s == id)
    }

    pub(crate) fn depth(&self) -> Depth {
        match self.instructions {
            _ if self.verify => Depth::Whole,
            // A hash says nothing of what two kernels have in common.
            true if self.fingerprints.is_some() => Depth::Code,
            true => Depth::Whole,
            false => Depth::Metadata,
        }
    }
}

/// Ends a run from another thread. Copies of it are the same one.
#[derive(Debug, Clone, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Says that the run is to end.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Hears how far a run is.
pub trait Progress: Sync {
    /// The tree was walked: so many files and bytes are going to be looked at.
    fn begin(&self, files: u64, bytes: u64);
    /// One more file was looked at.
    fn advance(&self, shown: &str, bytes: u64);
}

/// Says nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _files: u64, _bytes: u64) {}
    fn advance(&self, _shown: &str, _bytes: u64) {}
}
