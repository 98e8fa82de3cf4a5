//! A tree's kernels by target and name, compact enough to keep for two trees at once.

use super::snapshot::without_processor;
use crate::codeobject::fingerprint::{COUNTED, CodeFingerprint};
use crate::engines::tensile::kernel_id::Folded;
use crate::inventory::kernel_row::KernelRow;
use crate::kernel::occupancy::Occupancy;
use crate::locator::file_name;
use crate::scan::kernel_sink::KernelSink;
use crate::target::TargetId;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, BuildHasherDefault};
use std::io;
use std::sync::{Arc, LazyLock};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// A kernel's resources and code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    /// The largest numbers over all kernels of its name and target.
    pub(super) values: [u32; NAMES.len()],
    /// The hashes of its [`CodeFingerprint`], from the strictest to the loosest, summed over these kernels; none
    /// where code was not compared.
    pub(super) code: Option<[u64; 5]>,
}

/// The compared numbers, under the names that reports use.
pub(super) const NAMES: [&str; 15] = [
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
pub(super) const WAITS: usize = FIRST_COUNTED;
pub(super) const AWAITED: [usize; 2] = [FIRST_COUNTED + 2, FIRST_COUNTED + 3];
/// Waves of the kernel that a SIMD unit holds; 0 if that is not known. Of several kernels of a name the
/// smallest number counts.
pub(super) const OCCUPANCY: &str = "occupancy";

/// Hashes a name, or what a name states. A release has 100,000 names of 500 bytes. Each run draws a seed of its
/// own, so that no file can contain names that were made to share a hash.
pub(super) fn name_hash(name: &[u8]) -> u128 {
    static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    xxh3_128_with_seed(name, *SEED)
}

/// Values by a [`name_hash`].
pub(super) type ByHash<V> = HashMap<u128, V, BuildHasherDefault<Folded>>;

/// Names that come many times: each is stored once and referred to by its number.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberedNames {
    all: Vec<Arc<str>>,
    hashes: Vec<u128>,
    numbers: ByHash<u32>,
}

impl NumberedNames {
    /// The number of a name; a new name gets the next number.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        let (hash, next) = (name_hash(name.as_bytes()), self.all.len() as u32);
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.all.push(name.into());
            self.hashes.push(hash);
        }
        number
    }

    /// The number of a name, by its hash, if it is there.
    pub(super) fn number_of(&self, hash: u128) -> Option<u32> {
        self.numbers.get(&hash).copied()
    }

    /// All of them by their numbers.
    pub(super) fn all(&self) -> &[Arc<str>] {
        &self.all
    }

    /// All of them by their numbers, with their hashes.
    pub(super) fn hashed(&self) -> impl Iterator<Item = (&Arc<str>, u128)> {
        self.all.iter().zip(self.hashes.iter().copied())
    }
}

/// All kernels of a tree.
#[derive(Debug, Clone, Default)]
pub struct KernelTable {
    /// Every target of a bundle has the same names.
    pub(super) names: NumberedNames,
    /// Names of files, without folders.
    pub(super) files: NumberedNames,
    /// A target's kernels in reading order; a kernel in two files occurs twice.
    pub(super) targets: BTreeMap<TargetId, Vec<StoredKernel>>,
}

/// The numbers of a kernel's name and of its file, and what it needs.
pub(super) type StoredKernel = (u32, u32, Numbers);

impl KernelSink for KernelTable {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
            let Some(first) = of_one.first() else { continue };
            let mut kernels = self.targets.remove(&first.place.target).unwrap_or_default();
            kernels.reserve(of_one.len());
            let file = self.files.number(file_name(&first.place.shown));
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
                kernels.push((self.names.number(kernel.name()), file, Numbers { values, code }));
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
    /// The targets that it has kernels for.
    pub fn targets(&self) -> impl Iterator<Item = &TargetId> {
        self.targets.keys()
    }

    /// The kernels of one processor, under another name.
    #[must_use]
    pub fn of_processor(mut self, processor: &str, name: &str) -> Self {
        let mut own = KernelTable::default();
        let files = self.files.all().iter().map(|file| own.files.number(&without_processor(file, processor)));
        let files: Vec<u32> = files.collect();
        for (target, kernels) in std::mem::take(&mut self.targets) {
            if target.processor != processor {
                continue;
            }
            let renamed = kernels.into_iter().filter_map(|(kernel, file, numbers)| {
                let (kernel, file) = (self.names.all().get(kernel as usize)?, *files.get(file as usize)?);
                Some((own.names.number(&without_processor(kernel, processor)), file, numbers))
            });
            let renamed = renamed.collect();
            own.targets.insert(TargetId { processor: name.to_owned(), ..target }, renamed);
        }
        own
    }
}
