//! A tree's kernels by target and name, compact enough to keep for two trees at once.

use super::snapshot::without_processor;
use crate::codeobject::demangle;
use crate::codeobject::fingerprint::{COUNTED, CodeFingerprint};
use crate::engines::tensile::kernel_name::{Initials, NameHash};
use crate::inventory::kernel_row::KernelRow;
use crate::kernel::occupancy::Occupancy;
use crate::report::v1::{
    CodeChange, KernelChange, KernelChanges, KernelCodeChanges, KernelName, KernelRename, KernelTargetChange,
    NumberChange,
};
use crate::scan::kernel_sink::KernelSink;
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// A kernel's resources and code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    /// The largest numbers over all kernels of its name and target.
    values: [u32; NAMES.len()],
    /// The hashes of its [`CodeFingerprint`], from the strictest to the loosest, summed over these kernels; none
    /// where code was not compared.
    code: Option<[u64; 4]>,
}

/// The compared numbers, under the names that reports use.
const NAMES: [&str; 15] = [
    "vgprs",
    "agprs",
    "sgprs",
    "spills",
    "scratch",
    "lds",
    OCCUPANCY,
    "instructions",
    "code-bytes",
    COUNTED[0].0,
    COUNTED[1].0,
    COUNTED[2].0,
    COUNTED[3].0,
    COUNTED[4].0,
    COUNTED[5].0,
];
/// The place of the first of [`COUNTED`] among them.
const FIRST_COUNTED: usize = NAMES.len() - COUNTED.len();
/// The places of the numbers of waits and of what is waited for, in the order of [`COUNTED`].
const WAITS: usize = FIRST_COUNTED;
const AWAITED: [usize; 2] = [FIRST_COUNTED + 2, FIRST_COUNTED + 3];
/// Waves of the kernel that a SIMD unit holds; 0 if that is not known. Of several kernels of a name the
/// smallest number counts.
const OCCUPANCY: &str = "occupancy";
/// Numbers whose growth is a regression: values that do not fit go to memory.
const WORSE: [&str; 2] = ["spills", "scratch"];

/// All kernels of a tree.
#[derive(Debug, Clone, Default)]
pub struct KernelTable {
    /// Every target of a bundle has the same names, so each name is stored once and referred to by number.
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32, NameHash>,
    /// A target's kernels in reading order; a kernel in two files occurs twice.
    targets: BTreeMap<TargetId, Vec<(u32, Numbers)>>,
}

impl KernelSink for KernelTable {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
            let Some(first) = of_one.first() else { continue };
            let mut kernels = self.targets.remove(&first.place.target).unwrap_or_default();
            kernels.reserve(of_one.len());
            for KernelRow { kernel, .. } in of_one {
                let spills =
                    kernel.sgpr_spills().unwrap_or(0).saturating_add(kernel.vgpr_spills().unwrap_or(0));
                let stated = [
                    kernel.vgprs(),
                    kernel.agprs(),
                    kernel.sgprs(),
                    Some(spills),
                    kernel.scratch(),
                    kernel.lds(),
                ];
                let [vgprs, agprs, sgprs, spills, scratch, lds] =
                    stated.map(|number| u32::try_from(number.unwrap_or(0)).unwrap_or(u32::MAX));
                let held = Occupancy::of_metadata(&first.place.target.processor, kernel);
                let occupancy = held.map_or(0, |held| held.waves());
                let mut values = [0; NAMES.len()];
                let stated = [vgprs, agprs, sgprs, spills, scratch, lds, occupancy];
                let code = kernel.code().and_then(|code| code.fingerprint());
                let of_code = code.iter().flat_map(numbers_of_code);
                values.iter_mut().zip(stated.into_iter().chain(of_code)).for_each(|(to, from)| *to = from);
                let code = code.map(|own| [own.bytes(), own.instructions(), own.renamed(), own.unordered()]);
                kernels.push((self.number(kernel.name()), Numbers { values, code }));
            }
            self.targets.insert(first.place.target.clone(), kernels);
        }
        Ok(())
    }
}

/// The last of [`NAMES`], by a fingerprint.
fn numbers_of_code(code: &CodeFingerprint) -> impl Iterator<Item = u32> + use<> {
    let capped = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    [capped(code.total()), capped(code.size())].into_iter().chain(code.counts())
}

impl KernelTable {
    /// The number of a name; a new name gets the next number.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let (name, number) = (Arc::<str>::from(name), self.names.len() as u32);
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The kernels of one processor, under another name.
    #[must_use]
    pub fn of_processor(mut self, processor: &str, name: &str) -> Self {
        let mut own = KernelTable::default();
        for (target, kernels) in std::mem::take(&mut self.targets) {
            if target.processor != processor {
                continue;
            }
            let renamed = kernels.into_iter().filter_map(|(kernel, numbers)| {
                let kernel = self.names.get(kernel as usize)?;
                Some((own.number(&without_processor(kernel, processor)), numbers))
            });
            let renamed = renamed.collect();
            own.targets.insert(TargetId { processor: name.to_owned(), ..target }, renamed);
        }
        own
    }

    /// Kernels that `new` has and this table lacks, and the reverse.
    pub fn changes(&self, new: &KernelTable) -> KernelChanges {
        let mut all = KernelChanges::default();
        let mut names = MergedNames::merge(self, new);
        let targets: BTreeSet<&TargetId> = self.targets.keys().chain(new.targets.keys()).collect();
        for target in targets {
            let (before, after) = (names.kernels(self, target, 0), names.kernels(new, target, 1));
            let written: Arc<str> = target.to_string().into();
            let (of_old, of_new) = (before.len() as u64, after.len() as u64);
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
            let Joined { lost, added, both } = join(&before, &after);
            let (lost, added, renamed) = names.under_other_names(lost, added);
            let pairs: Vec<(Ranked, Ranked)> = both.into_iter().chain(renamed.iter().copied()).collect();
            let code = of_code(&pairs);
            let changed: Vec<KernelChange> = pairs
                .iter()
                .filter(|((_, old), (_, now))| old != now)
                .map(|((_, old), (name, now))| change(names.kernel(&written, *name), old, now))
                .filter(|change| !change.numbers.is_empty() || change.code > Some(CodeChange::Addresses))
                .collect();
            all.targets.push(KernelTargetChange {
                lost: lost.len() as u64,
                added: added.len() as u64,
                renamed: renamed.len() as u64,
                changed: changed.len() as u64,
                spill_more: changed.iter().filter(|change| spills_more(change)).count() as u64,
                lower_occupancy: changed.iter().filter(|change| has_lower_occupancy(change)).count() as u64,
                code,
                ..row
            });
            all.lost.extend(lost.iter().map(|(name, _)| names.kernel(&written, *name)));
            all.added.extend(added.iter().map(|(name, _)| names.kernel(&written, *name)));
            all.renamed.extend(renamed.iter().map(|((before, _), (after, _))| KernelRename {
                target: Arc::clone(&written),
                before: names.name(*before),
                after: names.name(*after),
            }));
            all.changed.extend(changed);
        }
        all.changed.sort_by_key(|change| !change.is_worse);
        all
    }
}

/// A kernel of a target: the rank of its name in the common order, and its numbers.
type Ranked = (u32, Numbers);

/// The names of two tables in one order.
struct MergedNames<'t> {
    sorted: Vec<&'t Arc<str>>,
    /// For each table, the ranks of its names in that order.
    ranks: [Vec<u32>; 2],
    /// Names as programmers write them, made on demand and once.
    demangled: HashMap<u32, Option<Arc<str>>>,
    /// For each name of a solution's kernel, the part that all spellings of the kernel share, if it is known.
    common: Vec<Option<u128>>,
}

impl<'t> MergedNames<'t> {
    fn merge(old: &'t KernelTable, new: &'t KernelTable) -> Self {
        let mut sorted: Vec<&Arc<str>> = old.names.iter().collect();
        sorted.extend(new.names.iter().filter(|name| !old.numbers.contains_key(*name)));
        sorted.par_sort_unstable();
        let mut ranks = [vec![0; old.names.len()], vec![0; new.names.len()]];
        for (rank, name) in sorted.iter().enumerate() {
            for (table, ranks) in [old, new].into_iter().zip(&mut ranks) {
                let number = table.numbers.get(*name).and_then(|number| ranks.get_mut(*number as usize));
                number.into_iter().for_each(|place| *place = rank as u32);
            }
        }
        let initials = Initials::in_both(&old.names, &new.names);
        let common = sorted
            .par_iter()
            .map_init(Vec::new, |stated, name| initials.stated(name, stated).then(|| xxh3_128(stated)))
            .collect();
        MergedNames { sorted, ranks, demangled: HashMap::new(), common }
    }

    /// The kernels of a target in one of the tables by name, each once.
    fn kernels(&self, table: &KernelTable, target: &TargetId, side: usize) -> Vec<Ranked> {
        let ranks = self.ranks.get(side).map_or(&[][..], Vec::as_slice);
        let own = table.targets.get(target).into_iter().flatten();
        let mut kernels: Vec<Ranked> =
            own.filter_map(|(number, needs)| Some((*ranks.get(*number as usize)?, *needs))).collect();
        kernels.par_sort_unstable_by_key(|(rank, numbers)| (*rank, numbers.code));
        // The code that was added last: a copy of it in another file adds nothing.
        let mut last = None;
        kernels.dedup_by(|(rank, own), (kept, most)| {
            let same = rank == kept;
            if same {
                for ((most, own), what) in most.values.iter_mut().zip(own.values).zip(NAMES) {
                    *most = if what == OCCUPANCY { own.min(*most) } else { own.max(*most) };
                }
                if last.unwrap_or((*kept, most.code)) != (*rank, own.code) {
                    most.code = most.code.zip(own.code).map(|(mut sum, own)| {
                        sum.iter_mut().zip(own).for_each(|(sum, own)| *sum = sum.wrapping_add(own));
                        sum
                    });
                }
                last = Some((*rank, own.code));
            } else {
                last = None;
            }
            same
        });
        kernels
    }

    fn name(&self, rank: u32) -> Arc<str> {
        self.sorted.get(rank as usize).map_or_else(|| "".into(), |name| Arc::clone(name))
    }

    fn demangled(&mut self, rank: u32) -> Option<Arc<str>> {
        let name = self.sorted.get(rank as usize)?;
        // The first two characters show whether it is a C++ name.
        if !name.starts_with("_Z") {
            return None;
        }
        self.demangled.entry(rank).or_insert_with(|| demangle(name).map(Arc::from)).clone()
    }

    fn kernel(&mut self, target: &Arc<str>, rank: u32) -> KernelName {
        let (name, demangled) = (self.name(rank), self.demangled(rank));
        KernelName { target: Arc::clone(target), name, demangled }
    }

    /// A hash that all names of one kernel share, whichever release wrote them.
    fn common(&mut self, rank: u32) -> u128 {
        if let Some(Some(known)) = self.common.get(rank as usize) {
            return *known;
        }
        let common = match self.demangled(rank) {
            Some(demangled) => xxh3_128(spelling(&demangled).as_bytes()),
            None => xxh3_128(self.name(rank).as_bytes()),
        };
        self.common.get_mut(rank as usize).into_iter().for_each(|place| *place = Some(common));
        common
    }

    /// Removes from both lists kernels that only changed their names: an added argument in the source changes
    /// a kernel's mangled name, and later releases of Tensile write more parameters into names.
    fn under_other_names(
        &mut self,
        lost: Vec<Ranked>,
        added: Vec<Ranked>,
    ) -> (Vec<Ranked>, Vec<Ranked>, Vec<(Ranked, Ranked)>) {
        // Several kernels that share a hash are paired in order.
        let mut news: HashMap<u128, Vec<Ranked>> = HashMap::new();
        for kernel in added.into_iter().rev() {
            news.entry(self.common(kernel.0)).or_default().push(kernel);
        }
        let (mut gone, mut renamed) = (Vec::new(), Vec::new());
        for kernel in lost {
            match news.get_mut(&self.common(kernel.0)).and_then(Vec::pop) {
                Some(new) => renamed.push((kernel, new)),
                None => gone.push(kernel),
            }
        }
        let mut added: Vec<Ranked> = news.into_values().flatten().collect();
        added.sort_unstable_by_key(|(rank, _)| *rank);
        (gone, added, renamed)
    }
}

/// Merges two sorted lists.
#[derive(Default)]
struct Joined {
    lost: Vec<Ranked>,
    added: Vec<Ranked>,
    both: Vec<(Ranked, Ranked)>,
}

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
        () if is_same(3) => Some(CodeChange::Order),
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
            Some(CodeChange::Instructions) => {
                all.instructions += 1;
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

fn change(kernel: KernelName, old: &Numbers, new: &Numbers) -> KernelChange {
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
    let mut change = KernelChange { kernel, is_worse: false, code, numbers };
    change.is_worse = spills_more(&change) || has_lower_occupancy(&change);
    change
}

fn spills_more(change: &KernelChange) -> bool {
    change.numbers.iter().any(|n| WORSE.contains(&n.what.as_str()) && n.after > n.before)
}

fn has_lower_occupancy(change: &KernelChange) -> bool {
    change.numbers.iter().any(|n| n.what == OCCUPANCY && n.after < n.before)
}

/// The part that two spellings of a kernel share: ROCm 7 put two underscores before HIP's types.
fn spelling(demangled: &str) -> String {
    before_arguments(demangled).replace("__hip_", "hip_")
}

/// `void mul_mat_q<8>` for `void mul_mat_q<8>(char const*, int)`; the whole name if it has no arguments.
fn before_arguments(name: &str) -> &str {
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

    fn table(names: &[&str]) -> KernelTable {
        let mut table = KernelTable::default();
        let kernels = names
            .iter()
            .map(|name| (table.number(name), Numbers { values: [0; NAMES.len()], code: None }))
            .collect();
        table.targets.insert(TargetId::parse("gfx900").unwrap(), kernels);
        table
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
            kernels.for_each(|(_, numbers)| numbers.values[6] = occupancy);
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
            .for_each(|((_, needs), vgprs)| needs.values[0] = vgprs);
        let mut new = table(&["b", "a"]);
        new.targets
            .values_mut()
            .flatten()
            .zip([3, 8])
            .for_each(|((_, needs), vgprs)| needs.values[0] = vgprs);
        let found = old.changes(&new);
        let [row] = &found.targets[..] else { panic!("{:?}", found.targets) };
        assert_eq!((row.before, row.after, row.changed), (2, 2, 1));
        assert_eq!((found.changed[0].numbers[0].before, found.changed[0].numbers[0].after), (9, 8));
    }
}
