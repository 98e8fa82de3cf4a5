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
    code: Option<[u64; 5]>,
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
    /// Names of files, without folders.
    files: Vec<Arc<str>>,
    /// A target's kernels in reading order; a kernel in two files occurs twice.
    targets: BTreeMap<TargetId, Vec<StoredKernel>>,
}

/// The numbers of a kernel's name and of its file, and what it needs.
type StoredKernel = (u32, u32, Numbers);

impl KernelSink for KernelTable {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
            let Some(first) = of_one.first() else { continue };
            let mut kernels = self.targets.remove(&first.place.target).unwrap_or_default();
            kernels.reserve(of_one.len());
            let shown = &first.place.shown;
            let file = self.file(shown.rsplit(['/', '!', '\\']).next().unwrap_or(shown));
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
                let code = code.map(|own| {
                    [own.bytes(), own.instructions(), own.renamed(), own.unwaited(), own.unordered()]
                });
                kernels.push((self.number(kernel.name()), file, Numbers { values, code }));
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

    /// The number of a file's name. There are few, and one comes many times in a row.
    fn file(&mut self, name: &str) -> u32 {
        let known = self.files.iter().rposition(|known| **known == *name);
        known.unwrap_or_else(|| {
            self.files.push(name.into());
            self.files.len() - 1
        }) as u32
    }

    /// The kernels of one processor, under another name.
    #[must_use]
    pub fn of_processor(mut self, processor: &str, name: &str) -> Self {
        let mut own = KernelTable::default();
        for (target, kernels) in std::mem::take(&mut self.targets) {
            if target.processor != processor {
                continue;
            }
            let renamed = kernels.into_iter().filter_map(|(kernel, file, numbers)| {
                let (kernel, file) = (self.names.get(kernel as usize)?, self.files.get(file as usize)?);
                let file = own.file(&without_processor(file, processor));
                Some((own.number(&without_processor(kernel, processor)), file, numbers))
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
            let pairs: Vec<(Ranked, Ranked)> = both.into_iter().chain(renamed.iter().copied()).collect();
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
        all.changed.sort_by_key(|change| !change.is_worse);
        all
    }
}

/// A kernel of a target: the rank of its name in the common order with the number of its file, and its
/// numbers. Files that only one side has are 0, which is one file: variants of a library that a release renames
/// are compared together.
type Ranked = ((u32, u32), Numbers);

/// How many names there are.
fn different(kernels: &[Ranked]) -> u64 {
    kernels.chunk_by(|((a, _), _), ((b, _), _)| a == b).count() as u64
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

/// The names of two tables in one order.
struct MergedNames<'t> {
    sorted: Vec<&'t Arc<str>>,
    /// For each table, the ranks of its names in that order.
    ranks: [Vec<u32>; 2],
    /// The files of both tables, and for each table the numbers of its files, from 1 on.
    files: Vec<&'t Arc<str>>,
    of_files: [Vec<u32>; 2],
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
        let files: Vec<&Arc<str>> = old.files.iter().filter(|name| new.files.contains(name)).collect();
        let of_files = [old, new].map(|table| {
            let place = |name| files.iter().position(|known| *known == name).map_or(0, |at| at as u32 + 1);
            table.files.iter().map(place).collect()
        });
        MergedNames { sorted, ranks, files, of_files, demangled: HashMap::new(), common }
    }

    /// The kernels of a target in one of the tables by name and file, each once.
    fn kernels(&self, table: &KernelTable, target: &TargetId, side: usize) -> Vec<Ranked> {
        let ranks = self.ranks.get(side).map_or(&[][..], Vec::as_slice);
        let own = table.targets.get(target).into_iter().flatten();
        let files = self.of_files.get(side).map_or(&[][..], Vec::as_slice);
        let key = |number: u32, file: u32| Some((*ranks.get(number as usize)?, *files.get(file as usize)?));
        let mut kernels: Vec<Ranked> =
            own.filter_map(|(number, file, needs)| Some((key(*number, *file)?, *needs))).collect();
        kernels.par_sort_unstable_by_key(|(key, numbers)| (*key, numbers.code));
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

    /// The name of a file that both tables have.
    fn file(&self, number: u32) -> Option<Arc<str>> {
        let place = (number as usize).checked_sub(1)?;
        self.files.get(place).map(|name| Arc::clone(name))
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
        // Those of the same file first. Several kernels that share a hash are paired in order.
        let (mut gone, mut added, mut renamed) = (lost, added, Vec::new());
        for in_one_file in [true, false] {
            let mut news: HashMap<(u128, u32), Vec<Ranked>> = HashMap::new();
            let mut key = |kernel: &Ranked| {
                let file = if in_one_file { kernel.0.1 } else { 0 };
                (self.common(kernel.0.0), file)
            };
            for kernel in added.drain(..).rev() {
                news.entry(key(&kernel)).or_default().push(kernel);
            }
            for kernel in std::mem::take(&mut gone) {
                match news.get_mut(&key(&kernel)).and_then(Vec::pop) {
                    Some(new) => renamed.push((kernel, new)),
                    None => gone.push(kernel),
                }
            }
            added.extend(news.into_values().flatten());
            added.sort_unstable_by_key(|(key, _)| *key);
        }
        // What is gone from several files is gone once.
        for list in [&mut gone, &mut added] {
            list.dedup_by_key(|(key, _)| key.0);
        }
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

impl Joined {
    /// A kernel that is in another file now is not lost. Where both sides have it in files that the other side
    /// has it not in, these are compared.
    fn with_moved(mut self, before: &[Ranked], after: &[Ranked]) -> Joined {
        let mut news: BTreeMap<u32, Vec<Ranked>> = BTreeMap::new();
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
        in_files(&names.iter().map(|name| ("lib.so", *name, 0)).collect::<Vec<_>>())
    }

    /// Kernels by file and name, with their registers.
    fn in_files(kernels: &[(&str, &str, u32)]) -> KernelTable {
        let mut table = KernelTable::default();
        let mut stored = Vec::new();
        for (file, name, vgprs) in kernels {
            let mut numbers = Numbers { values: [0; NAMES.len()], code: None };
            numbers.values[0] = *vgprs;
            stored.push((table.number(name), table.file(file), numbers));
        }
        table.targets.insert(TargetId::parse("gfx900").unwrap(), stored);
        table
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
        // `f` of a7 is as it was; those of a6 and a8 are what is left, and are compared with each other. `h`
        // moved.
        let changed: Vec<_> = found.changed.iter().map(|own| (own.file.clone(), own.numbers.len())).collect();
        assert_eq!(changed, [(None, 1)]);
        let row = &found.targets[0];
        assert_eq!((row.before, row.after, row.lost, row.added, row.changed), (3, 3, 1, 1, 1));
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
