//! What changed between the kernels of two trees: which are gone, new or renamed, and which have other numbers
//! or code.

use super::kernel_table::{AWAITED, KernelTable, NAMES, Numbers, OCCUPANCY, WAITS};
use super::merged_names::{MergedNames, Ranked};
use crate::report::v1::{
    CodeChange, KernelChange, KernelChanges, KernelCodeChanges, KernelName, KernelRename, KernelTargetChange,
    NumberChange,
};
use crate::target::TargetId;
use rayon::prelude::*;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Numbers whose growth is a regression: values that do not fit go to memory.
const WORSE: [&str; 2] = ["spills", "scratch"];

impl KernelTable {
    /// Kernels that `new` has and this table lacks, and the reverse.
    pub fn changes(&self, new: &KernelTable) -> KernelChanges {
        let mut all = KernelChanges::default();
        let mut names = MergedNames::merge(self, new);
        let targets: BTreeSet<&TargetId> = self.targets.keys().chain(new.targets.keys()).collect();
        for target in targets {
            let (before, after) = (names.kernels(self, target, 0), names.kernels(new, target, 1));
            let written: Arc<str> = target.to_string().into();
            let (of_old, of_new) = (different(&before), different(&after));
            let row = KernelTargetChange {
                target: written.to_string(),
                before: of_old,
                after: of_new,
                ..KernelTargetChange::default()
            };
            // If one side lacks the target entirely, the count says enough.
            if before.is_empty() || after.is_empty() {
                all.targets.push(KernelTargetChange { lost: of_old, added: of_new, ..row });
                continue;
            }
            let Joined { lost, added, both } = join(&before, &after).with_moved(&before, &after);
            let (lost, added, renamed) = names.under_other_names(lost, added);
            let pairs = in_common_files(both.into_iter().chain(renamed.iter().copied()).collect());
            let in_files = in_several_files(&pairs);
            let code = of_code(&pairs);
            let changed: Vec<KernelChange> = pairs
                .iter()
                .filter(|((_, old), (_, now))| old != now)
                .map(|((_, old), ((name, file), now))| {
                    let file = in_files.contains(name).then(|| names.file(*file)).flatten();
                    change(names.kernel(&written, *name), file, old, now)
                })
                .filter(|change| !change.numbers.is_empty() || change.code > Some(CodeChange::Addresses))
                .collect();
            let mut other_names: Vec<(u32, u32)> =
                renamed.iter().map(|((before, _), (after, _))| (before.0, after.0)).collect();
            other_names.sort_unstable();
            other_names.dedup();
            all.targets.push(KernelTargetChange {
                lost: lost.len() as u64,
                added: added.len() as u64,
                renamed: other_names.len() as u64,
                changed: names_of(&changed, |_| true),
                spill_more: names_of(&changed, spills_more),
                lower_occupancy: names_of(&changed, has_lower_occupancy),
                code,
                ..row
            });
            all.lost.extend(lost.iter().map(|((name, _), _)| names.kernel(&written, *name)));
            all.added.extend(added.iter().map(|((name, _), _)| names.kernel(&written, *name)));
            all.renamed.extend(other_names.iter().map(|(before, after)| KernelRename {
                target: Arc::clone(&written),
                before: names.name(*before),
                after: names.name(*after),
            }));
            all.changed.extend(changed);
        }
        all.changed.sort_rows_by_key(|change| !change.is_worse);
        all
    }
}

/// How many names there are.
fn different(kernels: &[Ranked]) -> u64 {
    kernels.chunk_by(|((a, _), _), ((b, _), _)| a == b).count() as u64
}

/// Without pairs of other files where a name is compared in files that both sides have: variants of a library
/// that one release dropped are not those that the next one added.
fn in_common_files(mut pairs: Vec<(Ranked, Ranked)>) -> Vec<(Ranked, Ranked)> {
    let is_common = |((_, file), _): &Ranked| *file > 0;
    let common: BTreeSet<u32> = pairs
        .iter()
        .filter(|(old, new)| is_common(old) && is_common(new))
        .map(|(_, ((name, _), _))| *name)
        .collect();
    pairs.retain(|(old, new)| is_common(old) && is_common(new) || !common.contains(&new.0.0));
    pairs
}

/// How many names have such a change in one of their files.
fn names_of(changes: &[KernelChange], is_one: impl Fn(&KernelChange) -> bool) -> u64 {
    let names = changes.iter().filter(|change| is_one(change)).map(|change| &change.kernel.name);
    names.collect::<BTreeSet<_>>().len() as u64
}

/// The names that are compared in more than one file.
fn in_several_files(pairs: &[(Ranked, Ranked)]) -> BTreeSet<u32> {
    let mut names: Vec<u32> = pairs.iter().map(|(_, ((name, _), _))| *name).collect();
    names.par_sort_unstable();
    names.windows(2).filter(|two| two.first() == two.last()).filter_map(|two| two.first().copied()).collect()
}

/// The kernels of two sorted lists, by which of them has them.
#[derive(Default)]
struct Joined {
    lost: Vec<Ranked>,
    added: Vec<Ranked>,
    both: Vec<(Ranked, Ranked)>,
}

impl Joined {
    /// A kernel that is in another file now is not lost. Where both sides have it in files that the other side
    /// has it not in, these are compared.
    fn with_moved(mut self, before: &[Ranked], after: &[Ranked]) -> Joined {
        let mut news: KeyMap<u32, Vec<Ranked>> = KeyMap::new();
        for kernel in self.added.drain(..).rev() {
            news.entry(kernel.0.0).or_default().push(kernel);
        }
        let has = |side: &[Ranked], name: u32| {
            let at = side.partition_point(|((own, _), _)| *own < name);
            side.get(at).is_some_and(|((own, _), _)| *own == name)
        };
        let mut lost: Vec<Ranked> = Vec::new();
        for kernel in self.lost {
            match news.get_mut(&kernel.0.0).and_then(Vec::pop) {
                Some(new) => self.both.push((kernel, new)),
                None if has(after, kernel.0.0) => {}
                None => lost.push(kernel),
            }
        }
        let added = news.into_iter().filter(|(name, _)| !has(before, *name));
        Joined {
            lost,
            added: added.flat_map(|(_, kernels)| kernels.into_iter().rev()).collect(),
            both: self.both,
        }
    }
}

/// Merges two sorted lists.
fn join(before: &[Ranked], after: &[Ranked]) -> Joined {
    let mut joined = Joined::default();
    let (mut old, mut new) = (before.iter().copied().peekable(), after.iter().copied().peekable());
    loop {
        match (old.peek(), new.peek()) {
            (Some((a, _)), Some((b, _))) if a == b => joined.both.extend(old.next().zip(new.next())),
            (Some((a, _)), Some((b, _))) if a > b => joined.added.extend(new.next()),
            (Some(_), _) => joined.lost.extend(old.next()),
            (None, Some(_)) => joined.added.extend(new.next()),
            (None, None) => return joined,
        }
    }
}

/// What changed in the code of a kernel; nothing where it is the same, or was not compared.
fn code_change(old: &Numbers, new: &Numbers) -> Option<CodeChange> {
    let (old, new) = old.code.zip(new.code)?;
    let is_same = |place: usize| old.get(place) == new.get(place);
    match () {
        () if is_same(0) => None,
        () if is_same(1) => Some(CodeChange::Addresses),
        () if is_same(2) => Some(CodeChange::Registers),
        () if is_same(3) => Some(CodeChange::Waits),
        () if is_same(4) => Some(CodeChange::Order),
        () => Some(CodeChange::Instructions),
    }
}

/// How many kernels of both sides changed in which way; nothing where no code was compared.
fn of_code(pairs: &[(Ranked, Ranked)]) -> Option<KernelCodeChanges> {
    let mut all = KernelCodeChanges::default();
    let mut any = false;
    for ((_, old), (_, new)) in pairs {
        if old.code.is_none() || new.code.is_none() {
            continue;
        }
        any = true;
        match code_change(old, new) {
            None => all.same += 1,
            Some(CodeChange::Addresses) => all.addresses += 1,
            Some(CodeChange::Registers) => all.registers += 1,
            Some(CodeChange::Order) => all.order += 1,
            Some(change @ (CodeChange::Waits | CodeChange::Instructions)) => {
                match change {
                    CodeChange::Waits => all.waits += 1,
                    _ => all.instructions += 1,
                }
                let awaited = |numbers: &Numbers| -> u64 {
                    AWAITED.iter().filter_map(|place| numbers.values.get(*place)).map(|n| u64::from(*n)).sum()
                };
                let waits_less = new.values.get(WAITS) < old.values.get(WAITS);
                all.fewer_waits += u64::from(waits_less && awaited(new) >= awaited(old));
            }
        }
    }
    any.then_some(all)
}

fn change(kernel: KernelName, file: Option<Arc<str>>, old: &Numbers, new: &Numbers) -> KernelChange {
    let pairs = NAMES.iter().zip(old.values.iter().zip(&new.values));
    let is_known = |what: &str, old: u32, new: u32| what != OCCUPANCY || (old > 0 && new > 0);
    let differ = pairs.filter(|(what, (old, new))| old != new && is_known(what, **old, **new));
    let numbers: Vec<NumberChange> = differ
        .map(|(what, (old, new))| NumberChange {
            what: (*what).to_owned(),
            before: u64::from(*old),
            after: u64::from(*new),
        })
        .collect();
    let code = code_change(old, new);
    let mut change = KernelChange { kernel, file, is_worse: false, code, numbers };
    change.is_worse = spills_more(&change) || has_lower_occupancy(&change);
    change
}

fn spills_more(change: &KernelChange) -> bool {
    change.numbers.iter().any(|n| WORSE.contains(&n.what.as_str()) && n.after > n.before)
}

fn has_lower_occupancy(change: &KernelChange) -> bool {
    change.numbers.iter().any(|n| n.what == OCCUPANCY && n.after < n.before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::merged_names::before_arguments;

    fn table(names: &[&str]) -> KernelTable {
        in_files(&names.iter().map(|name| ("lib.so", *name, 0)).collect::<Vec<_>>())
    }

    /// Kernels by file and name, with their registers.
    fn in_files(kernels: &[(&str, &str, u32)]) -> KernelTable {
        let mut table = KernelTable::default();
        let mut stored = Vec::new();
        for (file, name, vgprs) in kernels {
            let mut numbers = Numbers { values: [0; NAMES.len()], code: None };
            numbers.values[0] = *vgprs;
            stored.push((table.names.number(name), table.files.number(file), numbers));
        }
        table.targets.insert(TargetId::parse("gfx900").unwrap(), stored);
        table
    }

    #[test]
    fn a_kernel_with_another_name_is_new_in_no_other_file() {
        // `f(int)` is `f(long)` now, in a file that both have and in one that came; `g(int)` is gone from two.
        let old = in_files(&[("a6.so", "_Z1gi", 1), ("a7.so", "_Z1fi", 8), ("a7.so", "_Z1gi", 1)]);
        let new = in_files(&[("a7.so", "_Z1fl", 8), ("a8.so", "_Z1fl", 8), ("a8.so", "_Z1hi", 1)]);
        let row = &old.changes(&new).targets[0];
        assert_eq!((row.before, row.after, row.lost, row.added, row.renamed), (2, 2, 1, 1, 1));
        // What came is what was there but for what is gone.
        assert_eq!(row.before - row.lost + row.added, row.after);
    }

    /// A wheel has a library for each release of ROCm. Of a release that one side lacks nothing is compared with
    /// the others.
    #[test]
    fn kernels_of_files_that_both_sides_have_are_compared_file_by_file() {
        let old = in_files(&[("a6.so", "f", 8), ("a7.so", "f", 16), ("a7.so", "g", 1), ("a7.so", "h", 1)]);
        let new = in_files(&[("a7.so", "f", 16), ("a8.so", "f", 64), ("a7.so", "i", 1), ("a8.so", "h", 1)]);
        let found = old.changes(&new);
        let names = |list: &[KernelName]| list.iter().map(|own| own.name.to_string()).collect::<Vec<_>>();
        assert_eq!((names(&found.lost), names(&found.added)), (vec!["g".into()], vec!["i".into()]));
        // `f` of a7 is as it was, and those of a6 and a8 are of two releases of ROCm. `h` moved.
        assert!(found.changed.is_empty());
        let row = &found.targets[0];
        assert_eq!((row.before, row.after, row.lost, row.added, row.changed), (3, 3, 1, 1, 0));
        // A library that was renamed is compared with what took its place.
        let found = in_files(&[("a6.so", "f", 8)]).changes(&in_files(&[("a8.so", "f", 64)]));
        assert_eq!((found.changed.len(), found.changed[0].file.as_deref()), (1, None));
        // The same in two files that both have: the file is named.
        let old = in_files(&[("a6.so", "f", 8), ("a7.so", "f", 16)]);
        let new = in_files(&[("a6.so", "f", 8), ("a7.so", "f", 17)]);
        let found = old.changes(&new);
        assert_eq!(found.changed.len(), 1);
        assert_eq!(found.changed[0].file.as_deref(), Some("a7.so"));
        // One that a file lost and another still has is not lost, and one that got another name in both is
        // paired twice.
        let new = in_files(&[("a6.so", "f", 8), ("a7.so", "other", 1)]);
        assert!(old.changes(&new).lost.is_empty());
        let old = in_files(&[("a6.so", "_Z1fi", 8), ("a7.so", "_Z1fi", 16)]);
        let new = in_files(&[("a6.so", "_Z1fii", 9), ("a7.so", "_Z1fii", 16)]);
        let found = old.changes(&new);
        assert_eq!((found.renamed.len(), found.changed.len()), (1, 1));
        assert_eq!(found.changed[0].file.as_deref(), Some("a6.so"));
    }

    /// Lost, added, and pairs.
    fn changes(old: &[&str], new: &[&str]) -> (Vec<String>, Vec<String>, Vec<(String, String)>) {
        let found = table(old).changes(&table(new));
        let shown = |list: &[KernelName]| list.iter().map(|kernel| kernel.name.to_string()).collect();
        let pairs = found.renamed.iter().map(|pair| (pair.before.to_string(), pair.after.to_string()));
        (shown(&found.lost), shown(&found.added), pairs.collect())
    }

    #[test]
    fn fewer_waves_are_worse_and_unknown_ones_are_no_change() {
        let with = |occupancy: u32| {
            let mut table = table(&["f"]);
            let kernels = table.targets.values_mut().flatten();
            kernels.for_each(|(_, _, numbers)| numbers.values[6] = occupancy);
            table
        };
        let compared = |before, after| with(before).changes(&with(after));
        let worse = compared(5, 4);
        assert_eq!((worse.targets[0].lower_occupancy, worse.targets[0].spill_more), (1, 0));
        assert_eq!((worse.changed[0].is_worse, worse.changed[0].numbers[0].after), (true, 4));
        assert!(!compared(4, 5).changed[0].is_worse);
        assert!(compared(0, 5).changed.is_empty() && compared(5, 0).changed.is_empty());
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
            assert_eq!(before_arguments(name), expected);
        }
        // f<1>(int), f<2>(int), h<hip_bfloat16>(), and f<1>(int, int), g(int), h<__hip_bfloat16>().
        let found = changes(
            &["_Z1fILi1EEvi", "_Z1fILi2EEvi", "_Z1hI12hip_bfloat16Evv"],
            &["_Z1fILi1EEvii", "_Z1gi", "_Z1hI14__hip_bfloat16Evv"],
        );
        let pairs =
            [("_Z1fILi1EEvi", "_Z1fILi1EEvii"), ("_Z1hI12hip_bfloat16Evv", "_Z1hI14__hip_bfloat16Evv")];
        let pairs = pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
        assert_eq!(found, (vec!["_Z1fILi2EEvi".into()], vec!["_Z1gi".into()], pairs));
    }

    #[test]
    fn parameters_that_only_one_release_writes_make_no_other_kernel() {
        // Names from rocBLAS 5.5 and 6.4, shortened.
        let old = "Cijk_Alik_Bljk_HB_MT32x32x32_SN_1LDSB0_APM1_GRVW4_GSU1_ISA900_LBSPP0_TT4_4_WG8_8_1_WGM8";
        let new =
            "Cijk_Alik_Bljk_HB_MT32x32x32_SN_1LDSB0_APM1_ABV0_GRVW4_GSU1_ISA900_LBSPPA0_TT4_4_WG8_8_1_WGM8";
        let (other, another) = (old.replace("GSU1", "GSU4"), new.replace("WG8_8_1", "WG8_8_2"));
        // A second kernel that differs only in what the old release does not write is new.
        let second = new.replace("ABV0", "ABV1");
        let found = changes(&[old, &other], &[new, &another, &second]);
        assert_eq!(found, (vec![other], vec![another, second], vec![(old.into(), new.into())]));
    }

    #[test]
    fn of_two_kernels_of_a_name_the_larger_numbers_are_compared() {
        let mut old = table(&["a", "a", "b"]);
        old.targets
            .values_mut()
            .flatten()
            .zip([1, 9, 3])
            .for_each(|((_, _, needs), vgprs)| needs.values[0] = vgprs);
        let mut new = table(&["b", "a"]);
        new.targets
            .values_mut()
            .flatten()
            .zip([3, 8])
            .for_each(|((_, _, needs), vgprs)| needs.values[0] = vgprs);
        let found = old.changes(&new);
        let [row] = &found.targets[..] else { panic!("{:?}", found.targets) };
        assert_eq!((row.before, row.after, row.changed), (2, 2, 1));
        assert_eq!((found.changed[0].numbers[0].before, found.changed[0].numbers[0].after), (9, 8));
    }
}
