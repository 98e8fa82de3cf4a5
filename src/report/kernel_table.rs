//! The kernels of a tree by target and name, small enough to be held for two trees at once.

use super::v1::{KernelChange, KernelChanges, KernelName, KernelTargetChange, NumberChange};
use crate::codeobject::demangle;
use crate::inventory::kernel_row::KernelRow;
use crate::scan::kernel_sink::KernelSink;
use crate::target::TargetId;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

/// What a kernel needs, the largest number of all kernels of its name and target.
type Numbers = [u32; NAMES.len()];

/// The numbers that are compared, by the names that reports give them.
const NAMES: [&str; 6] = ["vgprs", "agprs", "sgprs", "spills", "scratch", "lds"];
/// Those that are worse where they grow: what does not fit goes to memory.
const WORSE: [&str; 2] = ["spills", "scratch"];

/// All kernels of a tree.
#[derive(Debug, Default)]
pub struct KernelTable {
    /// A bundle has the same names for each of its targets: each is kept once.
    names: BTreeSet<Arc<str>>,
    targets: BTreeMap<TargetId, BTreeMap<Arc<str>, Numbers>>,
}

impl KernelSink for KernelTable {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for row in rows {
            let kernel = &row.kernel;
            let name = match self.names.get(&*kernel.name) {
                Some(known) => Arc::clone(known),
                None => {
                    let name: Arc<str> = kernel.name.as_ref().into();
                    self.names.insert(Arc::clone(&name));
                    name
                }
            };
            let spills = kernel.sgpr_spills.unwrap_or(0).saturating_add(kernel.vgpr_spills.unwrap_or(0));
            let stated = [kernel.vgprs, kernel.agprs, kernel.sgprs, Some(spills), kernel.scratch, kernel.lds];
            let own = stated.map(|number| u32::try_from(number.unwrap_or(0)).unwrap_or(u32::MAX));
            let kernels = match self.targets.get_mut(&row.place.target) {
                Some(kernels) => kernels,
                None => self.targets.entry(row.place.target.clone()).or_default(),
            };
            let known = kernels.entry(name).or_insert(own);
            known.iter_mut().zip(own).for_each(|(known, own)| *known = own.max(*known));
        }
        Ok(())
    }
}

impl KernelTable {
    /// What `new` has that this has not, and the reverse.
    pub fn changes(&self, new: &KernelTable) -> KernelChanges {
        let mut all =
            KernelChanges { targets: Vec::new(), lost: Vec::new(), added: Vec::new(), changed: Vec::new() };
        let targets: BTreeSet<&TargetId> = self.targets.keys().chain(new.targets.keys()).collect();
        let nothing = BTreeMap::new();
        for target in targets {
            let (old, new) =
                (self.targets.get(target).unwrap_or(&nothing), new.targets.get(target).unwrap_or(&nothing));
            let written = target.to_string();
            let named = |name: &str| KernelName {
                target: written.clone(),
                name: name.to_owned(),
                demangled: demangle(name),
            };
            let lost: Vec<&Arc<str>> = old.keys().filter(|name| !new.contains_key(*name)).collect();
            let added: Vec<&Arc<str>> = new.keys().filter(|name| !old.contains_key(*name)).collect();
            let both = old.iter().filter_map(|(name, old)| Some((name, old, new.get(name)?)));
            let differ = both.filter(|(_, old, new)| old != new);
            let changed: Vec<KernelChange> = differ
                .map(|(name, old, new)| {
                    let pairs = NAMES.iter().zip(old.iter().zip(new));
                    let numbers: Vec<NumberChange> = pairs
                        .filter(|(_, (old, new))| old != new)
                        .map(|(what, (old, new))| NumberChange {
                            what: (*what).to_owned(),
                            before: u64::from(*old),
                            after: u64::from(*new),
                        })
                        .collect();
                    let is_worse =
                        numbers.iter().any(|n| WORSE.contains(&n.what.as_str()) && n.after > n.before);
                    KernelChange { kernel: named(name), is_worse, numbers }
                })
                .collect();
            all.targets.push(KernelTargetChange {
                target: written.clone(),
                before: old.len() as u64,
                after: new.len() as u64,
                lost: lost.len() as u64,
                added: added.len() as u64,
                changed: changed.len() as u64,
                spill_more: changed.iter().filter(|change| change.is_worse).count() as u64,
            });
            // Of a target that one side does not have at all, the number says enough.
            if !old.is_empty() && !new.is_empty() {
                all.lost.extend(lost.into_iter().map(|name| named(name)));
                all.added.extend(added.into_iter().map(|name| named(name)));
                all.changed.extend(changed);
            }
        }
        all.changed.sort_by_key(|change| !change.is_worse);
        all
    }
}
