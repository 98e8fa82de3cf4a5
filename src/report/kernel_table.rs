//! The kernels of a tree by target and name, small enough to be held for two trees at once.

use super::snapshot::without_processor;
use super::v1::{KernelChange, KernelChanges, KernelName, KernelRename, KernelTargetChange, NumberChange};
use crate::codeobject::demangle;
use crate::inventory::kernel_row::KernelRow;
use crate::scan::kernel_sink::KernelSink;
use crate::target::TargetId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
    /// A bundle has the same names for each of its targets: each is kept once, and is a number from here on.
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    targets: BTreeMap<TargetId, HashMap<u32, Numbers>>,
}

impl KernelSink for KernelTable {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
            let Some(first) = of_one.first() else { continue };
            let mut kernels = self.targets.remove(&first.place.target).unwrap_or_default();
            for KernelRow { kernel, .. } in of_one {
                let spills = kernel.sgpr_spills.unwrap_or(0).saturating_add(kernel.vgpr_spills.unwrap_or(0));
                let stated =
                    [kernel.vgprs, kernel.agprs, kernel.sgprs, Some(spills), kernel.scratch, kernel.lds];
                let own = stated.map(|number| u32::try_from(number.unwrap_or(0)).unwrap_or(u32::MAX));
                let known = kernels.entry(self.number(&kernel.name)).or_insert(own);
                known.iter_mut().zip(own).for_each(|(known, own)| *known = own.max(*known));
            }
            self.targets.insert(first.place.target.clone(), kernels);
        }
        Ok(())
    }
}

impl KernelTable {
    /// The number of a name, which it gets where it has none.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let (name, number) = (Arc::<str>::from(name), self.names.len() as u32);
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| name)
    }

    /// The kernels of one processor, under another name.
    #[must_use]
    pub fn of_processor(mut self, processor: &str, name: &str) -> Self {
        let mut own = KernelTable::default();
        for (target, kernels) in std::mem::take(&mut self.targets) {
            if target.processor != processor {
                continue;
            }
            let renamed = kernels.into_iter().map(|(kernel, numbers)| {
                (own.number(&without_processor(self.name(kernel), processor)), numbers)
            });
            let renamed = renamed.collect();
            own.targets.insert(TargetId { processor: name.to_owned(), ..target }, renamed);
        }
        own
    }

    /// What `new` has that this has not, and the reverse.
    pub fn changes(&self, new: &KernelTable) -> KernelChanges {
        let mut all = KernelChanges::default();
        let targets: BTreeSet<&TargetId> = self.targets.keys().chain(new.targets.keys()).collect();
        let there = |one: &KernelTable, other: &KernelTable| -> Vec<Option<u32>> {
            one.names.iter().map(|name| other.numbers.get(name).copied()).collect()
        };
        let (in_new, in_old) = (there(self, new), there(new, self));
        let nothing = HashMap::new();
        let mut written_out = Demangled::default();
        for target in targets {
            let (before, after) =
                (self.targets.get(target).unwrap_or(&nothing), new.targets.get(target).unwrap_or(&nothing));
            let written = target.to_string();
            // Of a target that one side does not have at all, the number says enough.
            if before.is_empty() || after.is_empty() {
                let (lost, added) = (before.len() as u64, after.len() as u64);
                let row = KernelTargetChange {
                    before: lost,
                    after: added,
                    lost,
                    added,
                    ..KernelTargetChange::default()
                };
                all.targets.push(KernelTargetChange { target: written, ..row });
                continue;
            }
            let mut named = |name: &str| written_out.name(&written, name);
            let lost = only((self, before), after, &in_new, &mut named);
            let added = only((new, after), before, &in_old, &mut named);
            let (lost, added, renamed) = with_other_arguments(lost, added);
            let both = before.iter().filter_map(|(number, old)| {
                let there = in_new.get(*number as usize).copied().flatten()?;
                Some((self.name(*number), old, after.get(&there)?))
            });
            let pairs = renamed.iter().filter_map(|pair| {
                let old = before.get(self.numbers.get(pair.before.as_str())?)?;
                let now = after.get(new.numbers.get(pair.after.as_str())?)?;
                Some((pair.after.as_str(), old, now))
            });
            let mut differ: Vec<_> = both.filter(|(_, old, new)| old != new).collect();
            differ.sort_unstable_by_key(|(name, ..)| *name);
            differ.extend(pairs.filter(|(_, old, new)| old != new));
            let changed: Vec<KernelChange> =
                differ.into_iter().map(|(name, old, new)| change(named(name), old, new)).collect();
            all.targets.push(KernelTargetChange {
                target: written.clone(),
                before: before.len() as u64,
                after: after.len() as u64,
                lost: lost.len() as u64,
                added: added.len() as u64,
                renamed: renamed.len() as u64,
                changed: changed.len() as u64,
                spill_more: changed.iter().filter(|change| change.is_worse).count() as u64,
            });
            all.lost.extend(lost);
            all.added.extend(added);
            all.renamed.extend(renamed);
            all.changed.extend(changed);
        }
        all.changed.sort_by_key(|change| !change.is_worse);
        all
    }
}

/// The kernels that a table has for a target and `other` has not, by name. `there` has the numbers of its names in the other table.
fn only(
    (table, own): (&KernelTable, &HashMap<u32, Numbers>),
    other: &HashMap<u32, Numbers>,
    there: &[Option<u32>],
    named: &mut dyn FnMut(&str) -> KernelName,
) -> Vec<KernelName> {
    let is_there = |number: &u32| {
        there.get(*number as usize).copied().flatten().is_some_and(|there| other.contains_key(&there))
    };
    let mut names: Vec<&str> =
        own.keys().filter(|number| !is_there(number)).map(|number| table.name(*number)).collect();
    names.sort_unstable();
    names.into_iter().map(named).collect()
}

/// Names as programmers write them, each made once: targets have much the same kernels.
#[derive(Default)]
struct Demangled(HashMap<String, Option<String>>);

impl Demangled {
    fn name(&mut self, target: &str, name: &str) -> KernelName {
        let demangled = match self.0.get(name) {
            Some(known) => known.clone(),
            // What is no C++ name is told from one at a glance.
            None if !name.starts_with("_Z") => None,
            None => self.0.entry(name.to_owned()).or_insert_with(|| demangle(name)).clone(),
        };
        KernelName { target: target.to_owned(), name: name.to_owned(), demangled }
    }
}

fn change(kernel: KernelName, old: &Numbers, new: &Numbers) -> KernelChange {
    let pairs = NAMES.iter().zip(old.iter().zip(new));
    let differ = pairs.filter(|(_, (old, new))| old != new);
    let numbers: Vec<NumberChange> = differ
        .map(|(what, (old, new))| NumberChange {
            what: (*what).to_owned(),
            before: u64::from(*old),
            after: u64::from(*new),
        })
        .collect();
    let is_worse = numbers.iter().any(|n| WORSE.contains(&n.what.as_str()) && n.after > n.before);
    KernelChange { kernel, is_worse, numbers }
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
