//! The kernels of a tree by target and name, small enough to be held for two trees at once.

use super::snapshot::{ANY_PROCESSOR, replace_word};
use super::v1::{KernelChange, KernelChanges, KernelName, KernelRename, KernelTargetChange, NumberChange};
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
    /// The kernels of one processor, under another name.
    #[must_use]
    pub fn of_processor(self, processor: &str, name: &str) -> Self {
        // Tensile writes the processor of a kernel into its name: `_ISA906_`.
        let isa = processor.replace("gfx", "ISA");
        let renamed = |kernel: &Arc<str>| -> Arc<str> {
            let own = replace_word(kernel, processor, ANY_PROCESSOR);
            replace_word(&own, &isa, "ISA*").into()
        };
        let own = self.targets.into_iter().filter(|(target, _)| target.processor == processor);
        let targets = own.map(|(target, kernels)| {
            let kernels = kernels.into_iter().map(|(kernel, numbers)| (renamed(&kernel), numbers));
            (TargetId { processor: name.to_owned(), ..target }, kernels.collect())
        });
        KernelTable { targets: targets.collect(), ..KernelTable::default() }
    }

    /// What `new` has that this has not, and the reverse.
    pub fn changes(&self, new: &KernelTable) -> KernelChanges {
        let mut all = KernelChanges::default();
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
            let lost: Vec<KernelName> =
                old.keys().filter(|name| !new.contains_key(*name)).map(|name| named(name)).collect();
            let added: Vec<KernelName> =
                new.keys().filter(|name| !old.contains_key(*name)).map(|name| named(name)).collect();
            let (lost, added, renamed) = with_other_arguments(lost, added);
            let both = old.iter().filter_map(|(name, old)| Some((name.as_ref(), old, new.get(name)?)));
            let pairs = renamed.iter().filter_map(|pair| {
                Some((pair.after.as_str(), old.get(pair.before.as_str())?, new.get(pair.after.as_str())?))
            });
            let differ = both.chain(pairs).filter(|(_, old, new)| old != new);
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
                renamed: renamed.len() as u64,
                changed: changed.len() as u64,
                spill_more: changed.iter().filter(|change| change.is_worse).count() as u64,
            });
            // Of a target that one side does not have at all, the number says enough.
            if !old.is_empty() && !new.is_empty() {
                all.lost.extend(lost);
                all.added.extend(added);
                all.renamed.extend(renamed);
                all.changed.extend(changed);
            }
        }
        all.changed.sort_by_key(|change| !change.is_worse);
        all
    }
}

/// Takes out of both lists what differs in its arguments only: a source that adds one gives each kernel another mangled name.
fn with_other_arguments(
    lost: Vec<KernelName>,
    added: Vec<KernelName>,
) -> (Vec<KernelName>, Vec<KernelName>, Vec<KernelRename>) {
    let mut news: BTreeMap<String, Vec<KernelName>> = BTreeMap::new();
    for kernel in added {
        news.entry(spelling(&kernel)).or_default().push(kernel);
    }
    let (mut gone, mut renamed) = (Vec::new(), Vec::new());
    for kernel in lost {
        let same = news.get_mut(&spelling(&kernel)).and_then(Vec::pop);
        match same {
            Some(new) => {
                renamed.push(KernelRename { target: kernel.target, before: kernel.name, after: new.name });
            }
            None => gone.push(kernel),
        }
    }
    let mut added: Vec<KernelName> = news.into_values().flatten().collect();
    added.sort_by(|a, b| a.name.cmp(&b.name));
    (gone, added, renamed)
}

/// What two spellings of a kernel have in common: ROCm 7 gives types of HIP two underscores, which they had not before.
fn spelling(kernel: &KernelName) -> String {
    before_arguments(kernel).replace("__hip_", "hip_")
}

/// `void mul_mat_q<8>` of `void mul_mat_q<8>(char const*, int)`; the whole of a name that has no arguments.
fn before_arguments(kernel: &KernelName) -> &str {
    let name = kernel.demangled.as_deref().unwrap_or(&kernel.name);
    let mut depth = 0u32;
    for (at, byte) in name.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return name.get(..at).unwrap_or(name);
                }
            }
            _ if depth == 0 => return name,
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(demangled: &str) -> KernelName {
        KernelName {
            target: "gfx900".into(),
            name: format!("mangled {demangled}"),
            demangled: Some(demangled.into()),
        }
    }

    #[test]
    fn other_arguments_are_no_other_kernel() {
        let names = [
            ("void f<(T)8, 1>(char const*, int (*)(int))", "void f<(T)8, 1>"),
            ("f(int)", "f"),
            ("f", "f"),
            ("Cijk_(x", "Cijk_(x"),
            (")", ")"),
        ];
        for (name, expected) in names {
            assert_eq!(before_arguments(&kernel(name)), expected);
        }
        let (lost, added, renamed) = with_other_arguments(
            vec![kernel("f<1>(int)"), kernel("f<2>(int)"), kernel("h<hip_bfloat16>()")],
            vec![kernel("f<1>(int, int)"), kernel("g(int)"), kernel("h<__hip_bfloat16>()")],
        );
        let shown = |list: &[KernelName]| -> Vec<String> {
            list.iter().filter_map(|kernel| kernel.demangled.clone()).collect()
        };
        assert_eq!((shown(&lost), shown(&added)), (vec!["f<2>(int)".to_owned()], vec!["g(int)".to_owned()]));
        assert_eq!(renamed.len(), 2);
    }
}
