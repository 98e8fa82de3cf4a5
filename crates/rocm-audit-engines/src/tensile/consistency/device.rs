//! The kernels of one device: whether the solutions of its catalogs find theirs.

use super::content::CatalogContent;
use super::target::{Found, KernelSources, needing, variants};
use super::{FolderOwner, LibraryFolder, TargetState};
use crate::tensile::code_objects::{KernelId, Kernels};
use crate::tensile::coverage::Chain;
use crate::tensile::library::code_object_name;
use amdgpu_object::target::TargetId;
use rocm_audit_files::finding::amount::plural;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rule::Rule;
use rocm_audit_files::finding::rules::tensile as rules;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A kernel that is missing: the catalog, the number of its solution, and what is said besides its name.
type KernelFault = (String, usize, String);

/// What is noted while the kernels of a device are looked for.
struct DeviceCheck<'f> {
    folder: &'f LibraryFolder,
    target: &'f str,
    device: &'f TargetId,
    helper_kernels: &'f Kernels,
    /// Kernels of the files that releases with one catalog load at the start.
    merged: Vec<&'f Kernels>,
    /// Helper kernels that solutions can need, with the number of these.
    helpers: BTreeMap<&'f str, u64>,
    found: Vec<Found>,
    kernel_faults: Vec<KernelFault>,
    used: BTreeSet<String>,
}

impl LibraryFolder {
    /// Looks for the kernel of every solution of a device. Returns for each place what its catalog leads to;
    /// `None` where it could not be read.
    pub(super) fn check_device(
        &mut self,
        device: &TargetId,
        places: &[KernelSources],
        state: &TargetState,
    ) -> Vec<Option<Chain>> {
        let helper_name = format!("Kernels.so-000-{}.hsaco", state.target);
        let helper = self.loaded(&helper_name, device);
        let of_helper = helper.as_ref().ok().and_then(|file| self.supplies.get(file)?.as_ref().ok());
        let empty = Kernels::default();
        let mut check = DeviceCheck {
            folder: self,
            target: &state.target,
            device,
            helper_kernels: of_helper.map_or(&empty, |supply| &supply.kernels),
            merged: self.merged(device).map(|(_, kernels)| kernels).collect(),
            helpers: BTreeMap::new(),
            found: Vec::new(),
            kernel_faults: Vec::new(),
            used: BTreeSet::new(),
        };
        let chain = |place: &KernelSources| {
            let Some(Ok(read)) = self.catalogs.get(&place.catalog) else { return None };
            Some(check.catalog(place, read))
        };
        let chains = places.iter().map(chain).collect();
        check.helpers(&helper_name, &helper);
        let DeviceCheck { found, kernel_faults, used, .. } = check;
        self.note(&device.to_string(), found, kernel_faults);
        self.used.extend(used);
        chains
    }

    /// Notes what was found, of missing kernels the first by their names.
    fn note(&mut self, device: &str, found: Vec<Found>, kernel_faults: Vec<KernelFault>) {
        for (kind, count, example) in found {
            self.defects.add(kind, Some(device), count, Some(example));
        }
        for (catalog, number, what) in kernel_faults {
            let example = if self.defects.has_enough(&rules::KERNEL_MISSING, Some(device)) {
                None
            } else {
                let kernel = self.kernel_name(&catalog, number);
                let what = match (kernel.is_empty(), what.is_empty()) {
                    (_, true) => kernel,
                    // Not every caller has the catalog at hand, which alone has names.
                    (true, false) => "names a kernel that no code object has".to_owned(),
                    (false, false) => format!("{kernel}: {what}"),
                };
                Some(self.example(&catalog, None, what))
            };
            self.defects.add(&rules::KERNEL_MISSING, Some(device), 1, example);
        }
    }
}

impl<'f> DeviceCheck<'f> {
    /// Looks for the kernels of a catalog's solutions.
    fn catalog(&mut self, place: &KernelSources, read: &'f CatalogContent) -> Chain {
        let mut chain = Chain::default();
        let lost_helpers = self.lost_helpers(place, read);
        if place.stem.is_empty() {
            // Releases with everything in one catalog named their helpers otherwise, and load every file at
            // the start.
            self.used.extend(self.folder.merged(self.device).map(|(name, _)| name.clone()));
        } else {
            for (helper, count) in &read.outline.helpers {
                *self.helpers.entry(helper).or_default() += count;
            }
        }
        let mut files: HashMap<bool, Option<&Kernels>> = HashMap::new();
        for (number, (solution, kernel)) in read.outline.solutions.iter().zip(&read.kernels).enumerate() {
            // A node that is not known may lead to any of them.
            let is_reached = solution.reached || read.outline.unknown_nodes > 0;
            let mut count = |held: bool| {
                if is_reached {
                    let held = held && solution.helpers & lost_helpers == 0;
                    chain.add(solution.plain, solution.arrays, held);
                }
            };
            if place.stem.is_empty() {
                if place.has(number) {
                    let held = self.merged.iter().any(|kernels| kernels.contains(kernel));
                    count(held);
                    if !held {
                        let what = "no code object has it".to_owned();
                        self.kernel_faults.push((place.catalog.clone(), number, what));
                    }
                }
                continue;
            }
            let source = solution.source_kernel;
            let kernels = *files.entry(source).or_insert_with(|| self.kernels_of(&place.stem, source, read));
            let held =
                kernels.is_some_and(|own| own.contains(kernel) || self.helper_kernels.contains(kernel));
            count(held);
            if kernels.is_some() && !held {
                self.kernel_faults.push((place.catalog.clone(), number, String::new()));
            }
        }
        chain
    }

    /// The helper kernels of a catalog that are not here, a bit for each: without those that it can need, a
    /// solution fails for some sizes.
    fn lost_helpers(&self, place: &KernelSources, read: &CatalogContent) -> u64 {
        read.outline.helpers.keys().take(64).enumerate().fold(0u64, |bits, (at, name)| {
            let is_lost = !self.helper_kernels.contains(&KernelId::from_name(name.as_bytes()));
            bits | u64::from(is_lost && !place.stem.is_empty()) << at
        })
    }

    /// The kernels of the code object that a catalog's solutions load, those in HIP or those in assembly;
    /// `None` where it is not loaded, which is noted.
    fn kernels_of(&mut self, stem: &str, source: bool, read: &CatalogContent) -> Option<&'f Kernels> {
        let folder = self.folder;
        let name = code_object_name(stem, source, self.target);
        match folder.loaded(&name, self.device) {
            Ok(file) => {
                self.used.insert(file.clone());
                folder
                    .supplies
                    .get(&file)
                    .and_then(|supply| supply.as_ref().ok())
                    .map(|supply| &supply.kernels)
            }
            Err((kind, mut example)) => {
                self.used.extend(variants(&name));
                let lost = read.outline.solutions.iter().filter(|s| s.source_kernel == source).count();
                example.what.push_str(&format!("; {} it", needing(lost as u64)));
                self.found.push((kind, 1, example));
                None
            }
        }
    }

    /// Looks for the helper kernels that solutions of all catalogs can need.
    fn helpers(&mut self, name: &str, helper: &Result<String, (&'static Rule, Location)>) {
        match helper {
            Ok(file) => {
                self.used.insert(file.clone());
                for (name, count) in &self.helpers {
                    if !self.helper_kernels.contains(&KernelId::from_name(name.as_bytes())) {
                        let solutions = plural(*count, "solution", "solutions");
                        let what = format!("has no {name}, which {solutions} can need");
                        let example = self.folder.example(file, None, what);
                        self.found.push((&rules::HELPER_KERNEL_MISSING, 1, example));
                    }
                }
            }
            Err((kind, example)) => {
                self.used.extend(variants(name));
                let missing = *kind == &rules::CODE_OBJECT_MISSING;
                let kind = if missing { &rules::HELPER_MISSING } else { *kind };
                let mut example = example.clone();
                if self.folder.owner == FolderOwner::RocBlas {
                    let needed: u64 = self.helpers.values().sum();
                    example.what.push_str(&format!("; {needed} solutions can need it"));
                }
                self.found.push((kind, 1, example));
            }
        }
    }
}
