//! The names of the kernels of two trees in one order, and which of them mean one kernel.

use super::kernel_table::{ByHash, KernelTable, NAMES, NumberedNames, Numbers, OCCUPANCY, name_hash};
use crate::codeobject::demangle;
use crate::engines::tensile::kernel_name::{Initials, StatedReader};
use crate::report::v1::KernelName;
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A kernel of a target: the rank of its name in the common order with the number of its file, and its
/// numbers. Files that only one side has are 0, which is one file: variants of a library that a release renames
/// are compared together.
pub(super) type Ranked = ((u32, u32), Numbers);

/// The names of two tables in one order.
pub(super) struct MergedNames<'t> {
    sorted: Vec<&'t Arc<str>>,
    /// For each table, the ranks of its names in that order.
    ranks: [Vec<u32>; 2],
    /// The files of both tables, and for each table the numbers of its files, from 1 on.
    files: Vec<&'t Arc<str>>,
    of_files: [Vec<u32>; 2],
    /// Names as programmers write them, made on demand and once.
    demangled: HashMap<u32, Option<Arc<str>>>,
    /// What names of solutions' kernels of both tables state.
    initials: Initials,
    /// For each name the hash of the part that all spellings of the kernel share, made on demand and once.
    common: Vec<Option<u128>>,
}

/// A name of two tables, with its number in each one that has it.
type SharedName<'t> = (&'t Arc<str>, [Option<u32>; 2]);

/// The names of two tables, in no order.
fn of_tables<'t>(old: &'t NumberedNames, new: &'t NumberedNames) -> Vec<SharedName<'t>> {
    let of_old =
        old.hashed().zip(0..).map(|((name, hash), number)| (name, [Some(number), new.number_of(hash)]));
    let of_new = new.hashed().zip(0..).filter(|((_, hash), _)| old.number_of(*hash).is_none());
    of_old.chain(of_new.map(|((name, _), number)| (name, [None, Some(number)]))).collect()
}

/// For each table the places of names in such a list, counted from a first one on; 0 for those that are not in it.
fn places(among: &[SharedName<'_>], first: u32, tables: [&NumberedNames; 2]) -> [Vec<u32>; 2] {
    let mut places = tables.map(|table| vec![0; table.all().len()]);
    for ((_, numbers), place) in among.iter().zip(first..) {
        for (own, number) in places.iter_mut().zip(numbers) {
            let at = number.and_then(|number| own.get_mut(number as usize));
            at.into_iter().for_each(|at| *at = place);
        }
    }
    places
}

impl<'t> MergedNames<'t> {
    pub(super) fn merge(old: &'t KernelTable, new: &'t KernelTable) -> Self {
        let mut names = of_tables(&old.names, &new.names);
        names.par_sort_unstable_by_key(|(name, _)| *name);
        let of = |wanted: [bool; 2]| {
            let own = names
                .par_iter()
                .filter(move |(_, numbers)| numbers.each_ref().map(Option::is_some) == wanted);
            Initials::of(own.map(|(name, _)| name.as_ref()))
        };
        let initials = of([true, false]).and(&of([false, true])).or(of([true, true]));
        let mut files = of_tables(&old.files, &new.files);
        files.retain(|(_, numbers)| numbers.iter().all(Option::is_some));
        MergedNames {
            ranks: places(&names, 0, [&old.names, &new.names]),
            of_files: places(&files, 1, [&old.files, &new.files]),
            files: files.into_iter().map(|(name, _)| name).collect(),
            demangled: HashMap::new(),
            initials,
            common: vec![None; names.len()],
            sorted: names.into_iter().map(|(name, _)| name).collect(),
        }
    }

    /// The kernels of a target in one of the tables by name and file, each once.
    pub(super) fn kernels(&self, table: &KernelTable, target: &TargetId, side: usize) -> Vec<Ranked> {
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
    pub(super) fn file(&self, number: u32) -> Option<Arc<str>> {
        let place = (number as usize).checked_sub(1)?;
        self.files.get(place).map(|name| Arc::clone(name))
    }

    pub(super) fn name(&self, rank: u32) -> Arc<str> {
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

    pub(super) fn kernel(&mut self, target: &Arc<str>, rank: u32) -> KernelName {
        let (name, demangled) = (self.name(rank), self.demangled(rank));
        KernelName { target: Arc::clone(target), name, demangled }
    }

    /// A hash that all names of one kernel share, whichever release wrote them.
    fn common(&mut self, rank: u32) -> u128 {
        if let Some(Some(known)) = self.common.get(rank as usize) {
            return *known;
        }
        let common = match self.demangled(rank) {
            Some(demangled) => name_hash(spelling(&demangled).as_bytes()),
            None => name_hash(self.name(rank).as_bytes()),
        };
        self.common.get_mut(rank as usize).into_iter().for_each(|place| *place = Some(common));
        common
    }

    /// Makes these hashes for names of solutions' kernels, on all cores.
    fn make_common(&mut self, mut ranks: Vec<u32>) {
        ranks.retain(|rank| self.common.get(*rank as usize).is_some_and(Option::is_none));
        // Each beside its likes.
        ranks.sort_unstable();
        ranks.dedup();
        let (sorted, initials) = (&self.sorted, &self.initials);
        let common = |reader: &mut StatedReader<'_>, rank: u32| {
            let stated = reader.stated(sorted.get(rank as usize)?)?;
            Some((rank, name_hash(stated)))
        };
        let made: Vec<(u32, u128)> = ranks
            .into_par_iter()
            .map_init(|| initials.reader(), |reader, rank| common(reader, rank))
            .flatten()
            .collect();
        for (rank, hash) in made {
            self.common.get_mut(rank as usize).into_iter().for_each(|place| *place = Some(hash));
        }
    }

    /// Removes from both lists kernels that only changed their names: an added argument in the source changes
    /// a kernel's mangled name, and later releases of Tensile write more parameters into names.
    pub(super) fn under_other_names(
        &mut self,
        lost: Vec<Ranked>,
        added: Vec<Ranked>,
    ) -> (Vec<Ranked>, Vec<Ranked>, Vec<(Ranked, Ranked)>) {
        self.make_common(lost.iter().chain(&added).map(|(key, _)| key.0).collect());
        // Those of the same file first. Several kernels that share a hash are paired in order.
        let (mut gone, mut added, mut renamed) = (lost, added, Vec::new());
        for in_one_file in [true, false] {
            let mut news: ByHash<Vec<Ranked>> = ByHash::default();
            // The number of a file makes of a hash another one.
            let mut key = |kernel: &Ranked| {
                let file = if in_one_file { kernel.0.1 } else { 0 };
                self.common(kernel.0.0).wrapping_add(u128::from(file))
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
        // What is gone from several files is gone once, and what has another name in one file has it in all.
        let (befores, afters): (BTreeSet<u32>, BTreeSet<u32>) =
            renamed.iter().map(|((before, _), (after, _))| (before.0, after.0)).unzip();
        for (list, known) in [(&mut gone, befores), (&mut added, afters)] {
            list.retain(|(key, _)| !known.contains(&key.0));
            list.dedup_by_key(|(key, _)| key.0);
        }
        (gone, added, renamed)
    }
}

/// The part that two spellings of a kernel share: ROCm 7 put two underscores before HIP's types.
fn spelling(demangled: &str) -> String {
    before_arguments(demangled).replace("__hip_", "hip_")
}

/// `void mul_mat_q<8>` for `void mul_mat_q<8>(char const*, int)`; the whole name if it has no arguments.
pub(super) fn before_arguments(name: &str) -> &str {
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
