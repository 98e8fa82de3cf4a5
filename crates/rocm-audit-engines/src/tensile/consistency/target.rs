//! The files of one target, from the master catalog to the kernels.

use super::content::CatalogContent;
use super::{FolderFile, FolderOwner, LibraryFolder, TargetState};
use crate::tensile::catalog::CatalogError;
use crate::tensile::catalog_summary::Shipped;
use crate::tensile::code_file::UnreadCodeFile;
use crate::tensile::code_objects::{KernelId, Kernels, XNACK};
use crate::tensile::coverage::Chain;
use crate::tensile::library::{is_fallback, master_catalogs};
use amdgpu_object::target::TargetId;
use rocm_audit_files::finding::amount::plural;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rule::Rule;
use rocm_audit_files::finding::rules::tensile as rules;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A kernel that one of HIP's headers leaves in every object that includes it. Its copies count only if other
/// kernels of the target have copies too.
const LEFTOVER: &str = "_ZL24set_hip_f8_bias_mode_bitb";

/// Where the solutions of a catalog look for their kernels.
pub(super) struct KernelSources {
    /// The catalog's file.
    pub(super) catalog: String,
    /// Without extension; empty for a master catalog that holds everything.
    pub(super) stem: String,
    fallback: bool,
    /// Of a catalog that holds everything, the solutions that rows for the target lead to.
    only: Option<BTreeSet<usize>>,
}

/// A finding before it is noted: its rule, how many, where.
pub(super) type Found = (&'static Rule, u64, Location);

impl KernelSources {
    /// Whether a solution of the catalog is one for the target.
    pub(super) fn has(&self, solution: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&solution))
    }
}

/// `1,461 solutions need`, `1 solution needs`.
pub(super) fn needing(solutions: u64) -> String {
    let verb = if solutions == 1 { "needs" } else { "need" };
    format!("{} {verb}", plural(solutions, "solution", "solutions"))
}

/// The files that can stand for a code object's name: with either sign of XNACK, and without.
pub(super) fn variants(name: &str) -> impl Iterator<Item = String> {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    XNACK.iter().map(move |xnack| format!("{stem}{xnack}.{extension}"))
}

impl LibraryFolder {
    /// A lazy master catalog whose rows ask for other processors only is of another target than its name.
    fn check_owner(&mut self, target: &str, master: &str) {
        let Some(Ok(read)) = self.catalogs.get(master) else { return };
        let asked: BTreeSet<&str> =
            read.outline.rows.iter().filter_map(|row| row.processor.as_deref()).collect();
        if master.contains("_lazy_") && !asked.is_empty() && !asked.contains(target) {
            let names: Vec<&str> = asked.into_iter().collect();
            let example = self.example(master, None, format!("its rows are for {}", names.join(", ")));
            self.defects.add(&rules::OF_ANOTHER_TARGET, Some(target), 1, Some(example));
        }
    }

    /// Checks a target and says what it has.
    pub(super) fn check_target(&mut self, target: &str) -> TargetState {
        let mut state = TargetState { target: target.to_owned(), ..TargetState::default() };
        if self.hollow.contains(target) {
            let what = "has no catalog, and what lies beside it is not looked at".to_owned();
            let example = self.example(target, None, what);
            self.defects.add(&rules::OWN_FOLDER_EMPTY, Some(target), 1, Some(example));
            return state;
        }
        let Some(master) = self.master_or_why(target) else { return state };
        let Some(places) = self.kernel_sources(target, &master, &mut state) else { return state };
        self.check_catalogs(target, &places, &mut state);
        let mut chains: Vec<Option<Chain>> = Vec::new();
        for device in self.devices(target) {
            let of_device = self.check_device(&device, &places, &state);
            let both = chains.iter().zip(&of_device).map(|(a, b)| Some((*a)?.worse((*b)?)));
            chains = if chains.is_empty() { of_device } else { both.collect() };
        }
        for (place, chain) in places.iter().zip(&chains) {
            match chain {
                Some(chain) if place.stem.is_empty() => state.whole = Some(*chain),
                chain => state.coverage.add(&place.stem, *chain),
            }
        }
        state.code_objects = self.code_of(target).count() as u64;
        state.code_bytes =
            self.code_of(target).filter_map(|name| self.files.get(name)).map(|f| f.bytes).sum();
        if state.native_catalogs == 0 && state.catalogs > 0 {
            let example = self.example(&master, None, format!("{} fallback catalogs", state.catalogs));
            self.defects.add(&rules::NO_NATIVE, Some(target), 1, Some(example));
        }
        self.check_twins(target);
        self.check_extra_kernels(target, &places);
        state
    }

    /// The master catalog of a target; where it has none, that is noted.
    fn master_or_why(&mut self, target: &str) -> Option<String> {
        if let Some(master) = self.master(target) {
            return Some(master);
        }
        if let Some(place) = self.stream_not_read(&master_catalogs(target)) {
            self.defects.add(&rules::FORM_NOT_READ, Some(target), 1, Some(place));
            return None;
        }
        let is_of_target =
            |file: &FolderFile| file.name.target.as_ref().is_some_and(|own| own.processor == target);
        let count = self.files.values().filter(|file| is_of_target(file)).count();
        if count == 0 || self.owner == FolderOwner::HipBlasLt {
            let here: Vec<String> = self.all_targets().into_iter().filter(|other| other != target).collect();
            let place = self.example("", None, format!("it serves {}", here.join(", ")));
            self.defects.add(&rules::TARGET_NOT_SERVED, Some(target), 1, Some(place));
            return None;
        }
        let what = format!("{count} files are for {target}");
        let example = self.example(&format!("TensileLibrary_lazy_{target}.dat"), None, what);
        self.defects.add(&rules::MASTER_MISSING, Some(target), 1, Some(example));
        None
    }

    /// The catalogs that a master catalog leads to, as far as they are here; `None` where it cannot be read,
    /// which is noted.
    fn kernel_sources(
        &mut self,
        target: &str,
        master: &str,
        state: &mut TargetState,
    ) -> Option<Vec<KernelSources>> {
        let extension = master.rsplit_once('.').map_or("dat", |(_, extension)| extension).to_owned();
        let leads_to: Vec<(String, u64)> = match self.catalogs.get(master)? {
            Ok(read) => {
                let rows =
                    read.outline.rows.iter().filter(|r| r.processor.as_deref().is_none_or(|p| p == target));
                let numbers: BTreeSet<usize> = rows.flat_map(|row| row.leads_to.iter().copied()).collect();
                numbers.iter().filter_map(|at| read.outline.placeholders.get(*at).cloned()).collect()
            }
            Err(error) => {
                let example = super::example_of(error);
                let is_other_form = self.not_read.contains(master);
                let rule = if is_other_form { &rules::FORM_NOT_READ } else { &rules::MASTER_UNREADABLE };
                self.defects.add(rule, Some(target), 1, Some(example));
                return None;
            }
        };
        state.is_served = true;
        self.check_owner(target, master);
        state.catalog_bytes = self.files.get(master).map_or(0, |file| file.bytes);
        let mut places = Vec::new();
        if leads_to.is_empty() && !master.contains("_lazy_") {
            // Everything is in one catalog, which names no code object.
            let rows = self.catalogs.get(master).and_then(|read| Some(&read.as_ref().ok()?.outline.rows));
            let rows = rows.into_iter().flatten();
            let own = rows.filter(|row| row.processor.as_deref().is_none_or(|p| p == target));
            let only = Some(own.flat_map(|row| row.reaches.iter().copied()).collect());
            places.push(KernelSources {
                catalog: master.to_owned(),
                stem: String::new(),
                fallback: false,
                only,
            });
        }
        for (stem, at) in leads_to {
            let catalog = format!("{stem}.{extension}");
            self.led_to.insert(stem.clone());
            if !self.files.contains_key(&catalog) {
                state.coverage.add(&stem, None);
                let (rule, example) = match self.stream_not_read(std::slice::from_ref(&catalog)) {
                    Some(place) => (&rules::FORM_NOT_READ, place),
                    None => {
                        let place = self.example(master, Some(at), format!("names {catalog}"));
                        (&rules::CATALOG_MISSING, place)
                    }
                };
                self.defects.add(rule, Some(target), 1, Some(example));
                continue;
            }
            let fallback = is_fallback(&stem);
            places.push(KernelSources { catalog, stem, fallback, only: None });
        }
        Some(places)
    }

    /// The files with code that the solutions of a target use, and its helpers.
    fn code_of<'f>(&'f self, target: &'f str) -> impl Iterator<Item = &'f String> {
        self.used.iter().filter(move |name| {
            let own = self.files.get(*name).and_then(|file| file.name.target.as_ref());
            own.is_some_and(|own| own.processor == target)
        })
    }

    /// What the catalogs of a target say, without looking at code.
    fn check_catalogs(&mut self, target: &str, places: &[KernelSources], state: &mut TargetState) {
        let mut kernels: HashSet<KernelId> = HashSet::new();
        let (mut found, mut of_all): (Vec<Found>, Vec<Found>) = (Vec::new(), Vec::new());
        let first =
            self.all_targets().iter().find(|other| self.has_master(other)).is_some_and(|t| t == target);
        for place in places {
            let bytes = self.files.get(&place.catalog).map_or(0, |file| file.bytes);
            let read = match self.catalogs.get(&place.catalog) {
                Some(Ok(read)) => read,
                Some(Err(error)) => {
                    let is_other_form = self.not_read.contains(&place.catalog);
                    let rule = if is_other_form { &rules::FORM_NOT_READ } else { &rules::CATALOG_UNREADABLE };
                    found.push((rule, 1, super::example_of(error)));
                    continue;
                }
                None => continue,
            };
            let CatalogContent { outline, kernels: own } = &**read;
            if let Some((count, error)) = &outline.unreadable {
                let is_packed = self.from_streams.contains(&place.catalog);
                let error = if is_packed { error.clone().in_unpacked() } else { error.clone() };
                let error = CatalogError::malformed_at(&self.path.join(&place.catalog), error);
                found.push((&rules::SOLUTION_UNREADABLE, *count, super::example_of(&error)));
            }
            let mut note = |kind, count, what: String| {
                if count > 0 {
                    found.push((kind, count, self.example(&place.catalog, None, what)));
                }
            };
            state.catalogs += 1;
            state.native_catalogs += u64::from(!place.fallback);
            state.catalog_bytes += bytes;
            let of_target = outline.solutions.iter().zip(own).enumerate().filter(|(at, _)| place.has(*at));
            for (_, (solution, kernel)) in of_target {
                state.solutions += 1;
                state.source_kernels += u64::from(solution.source_kernel);
                kernels.insert(*kernel);
            }
            let unreached = outline.solutions.iter().filter(|s| !s.reached).count() as u64;
            let asks = |(at, s): &(usize, &Shipped)| s.outside_cache_key && place.has(*at);
            let history = outline.solutions.iter().enumerate().filter(asks).count() as u64;
            let all = outline.solutions.len();
            note(
                &rules::NODE_UNKNOWN,
                outline.unknown_nodes,
                format!("{} of its nodes", outline.unknown_nodes),
            );
            note(&rules::HISTORY, history, format!("{history} of {all} solutions"));
            if let (false, Some((name, at))) = (place.stem.is_empty(), outline.placeholders.first()) {
                let example = self.example(&place.catalog, Some(*at), format!("leads on to {name}"));
                found.push((&rules::CATALOG_NESTED, 1, example));
            }
            // Fallback catalogs, and a catalog with everything in it, are shared by all targets and are
            // reported once.
            let shared = place.fallback || place.only.is_some();
            if unreached > 0 && outline.unknown_nodes == 0 && (!shared || first) {
                let what = format!("{unreached} of {all} solutions");
                let whose = if shared { &mut of_all } else { &mut found };
                whose.push((
                    &rules::SOLUTION_UNREACHABLE,
                    unreached,
                    self.example(&place.catalog, None, what),
                ));
            }
            if outline.tables > 0 && outline.tuned == 0 {
                let example = self.example(&place.catalog, None, format!("{all} solutions, no row"));
                found.push((&rules::TABLE_EMPTY, 1, example));
            }
        }
        state.kernels = kernels.len() as u64;
        for (kind, count, example) in found {
            self.defects.add(kind, Some(target), count, Some(example));
        }
        for (kind, count, example) in of_all {
            self.defects.add(kind, None, count, Some(example));
        }
    }

    /// The devices of a target whose files differ: with and without XNACK where files exist for either.
    fn devices(&self, target: &str) -> Vec<TargetId> {
        let bare = TargetId::bare(target);
        let signed = |file: &super::FolderFile| {
            file.name.target.as_ref().is_some_and(|t| t.processor == target && t.xnack.is_some())
        };
        if !self.files.values().any(signed) {
            return vec![bare];
        }
        [false, true].map(|xnack| TargetId { xnack: Some(xnack), ..bare.clone() }).into()
    }

    /// The file that the loader takes for a name: of three variants the first that exists and that the device
    /// accepts.
    pub(super) fn loaded(&self, name: &str, device: &TargetId) -> Result<String, (&'static Rule, Location)> {
        let mut refused = None;
        for file in variants(name) {
            match self.supplies.get(&file) {
                Some(Ok(supply)) if supply.targets.iter().any(|t| t.loads_on(device)) => return Ok(file),
                Some(Ok(supply)) => {
                    let named = self.files.get(&file).and_then(|f| f.name.target.as_ref());
                    // A variant for the other sign is rightly refused.
                    if named.is_none_or(|named| named.loads_on(device)) {
                        let list =
                            supply.targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                        let example = self.example(&file, None, format!("is for {list}"));
                        refused = Some((&rules::CODE_OBJECT_REFUSED, example));
                    }
                }
                Some(Err(UnreadCodeFile::Unreadable(what))) => {
                    refused = Some((&rules::CODE_OBJECT_UNREADABLE, self.example(&file, None, what.clone())));
                }
                Some(Err(UnreadCodeFile::Malformed(error))) => {
                    let example = self.example(&file, Some(error.offset()), error.what().to_owned());
                    refused = Some((&rules::CODE_OBJECT_UNREADABLE, example));
                }
                None => {}
            }
        }
        Err(refused
            .unwrap_or_else(|| (&rules::CODE_OBJECT_MISSING, self.example(name, None, "is not there"))))
    }

    /// The files that a library without lazy loading opens for a device, and their kernels.
    pub(super) fn merged<'f>(
        &'f self,
        device: &'f TargetId,
    ) -> impl Iterator<Item = (&'f String, &'f Kernels)> {
        self.supplies.iter().filter_map(|(name, supply)| {
            let supply = supply.as_ref().ok().filter(|_| name.contains(&device.processor))?;
            supply.targets.iter().any(|target| target.loads_on(device)).then_some((name, &supply.kernels))
        })
    }

    /// Kernels that several files of a target have; variants for the two signs of XNACK count as one file.
    fn check_twins(&mut self, target: &str) {
        let leftover = KernelId::from_name(LEFTOVER.as_bytes());
        let mut seen: HashMap<KernelId, (&str, bool)> = HashMap::new();
        let (mut twins, mut example) = (0, None);
        for name in self.code_of(target) {
            let Some(Ok(supply)) = self.supplies.get(name) else { continue };
            let stem = XNACK
                .iter()
                .skip(1)
                .fold(name.as_str(), |stem, sign| stem.split_once(sign).map_or(stem, |(stem, _)| stem));
            for kernel in supply.kernels.iter().filter(|kernel| **kernel != leftover) {
                let (first, counted) = seen.entry(*kernel).or_insert((stem, false));
                if *first != stem && !*counted {
                    *counted = true;
                    twins += 1;
                    example.get_or_insert_with(|| (name.clone(), format!("shares kernels with {first}")));
                }
            }
        }
        if let Some((file, what)) = example {
            let files = self.code_of(target).filter_map(|name| self.supplies.get(name)?.as_ref().ok());
            if files.filter(|supply| supply.kernels.contains(&leftover)).count() > 1 {
                twins += 1;
            }
            let example = self.example(&file, None, what);
            self.defects.add(&rules::KERNEL_TWINS, Some(target), twins, Some(example));
        }
    }

    /// Kernels of a target that no solution has.
    fn check_extra_kernels(&mut self, target: &str, places: &[KernelSources]) {
        let reads = places.iter().filter_map(|place| self.catalogs.get(&place.catalog)?.as_ref().ok());
        let mut known: HashSet<KernelId> = reads.flat_map(|read| read.kernels.iter().copied()).collect();
        known.insert(KernelId::from_name(LEFTOVER.as_bytes()));
        let mut found = Vec::new();
        for name in self.code_of(target).filter(|name| !name.starts_with("Kernels.so-")) {
            let Some(Ok(supply)) = self.supplies.get(name) else { continue };
            let extra = supply.kernels.iter().filter(|kernel| !known.contains(kernel)).count() as u64;
            if extra > 0 {
                found.push((name.clone(), extra, format!("{extra} of {} kernels", supply.kernels.len())));
            }
        }
        for (file, count, what) in found {
            let example = self.example(&file, None, what);
            self.defects.add(&rules::KERNEL_ORPHANED, Some(target), count, Some(example));
        }
    }
}
