//! A tree's kernels by target and name, compact enough to keep for two trees at once.

use super::snapshot::without_processor;
use crate::codeobject::fingerprint::{COUNTED, CodeFingerprint};
use crate::engines::tensile::kernel_name::NameHash;
use crate::inventory::kernel_row::KernelRow;
use crate::kernel::occupancy::Occupancy;
use crate::scan::kernel_sink::KernelSink;
use crate::target::TargetId;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

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
/// All kernels of a tree.
#[derive(Debug, Clone, Default)]
pub struct KernelTable {
    /// Every target of a bundle has the same names, so each name is stored once and referred to by number.
    pub(super) names: Vec<Arc<str>>,
    pub(super) numbers: HashMap<Arc<str>, u32, NameHash>,
    /// Names of files, without folders.
    pub(super) files: Vec<Arc<str>>,
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
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let (name, number) = (Arc::<str>::from(name), self.names.len() as u32);
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The number of a file's name. There are few, and one comes many times in a row.
    pub(super) fn file(&mut self, name: &str) -> u32 {
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
}
