//! Members of packages that were looked at.

use crate::finding::Finding;
use crate::input::walk::Entry;
use crate::inventory::outcome::{EntryOutcome, PackageOutcome};

/// A member of a package that was looked at.
pub(super) struct LookedAt {
    pub entry: Entry,
    pub outcome: EntryOutcome,
    pub faults: Vec<Finding>,
    /// Why it is left out, where no memory is left for what was found.
    pub left_out: Option<String>,
}

impl LookedAt {
    /// About how much memory it takes to keep, in bytes.
    pub fn memory(&self) -> u64 {
        let faults: u64 = self.faults.iter().map(Finding::memory).sum();
        match self.outcome.memory() {
            0 => faults,
            found => faults + found + self.entry.memory(),
        }
    }

    pub fn add_to(self, package: &mut PackageOutcome) {
        if let Some(what) = self.left_out {
            let bytes = self.entry.kind.bytes();
            return package.leave_out(bytes, &what);
        }
        package.add_findings(self.faults);
        package.add(self.entry, self.outcome);
    }
}
