//! Catalogs held against the code objects beside them: whether a solution states what its kernel is.
//!
//! A solution says how large its tile and its work group are; the launch is computed from that. The kernel
//! says the same in its name, and its metadata say how much LDS and how many registers it takes. Of rocBLAS
//! 5.2 and 6.4 and hipBLASLt 1.1 and 1.2 as Debian ships them all solutions agree with their kernels.
#![deny(clippy::indexing_slicing)]

#[cfg(feature = "engines")]
mod fingerprint;
mod kernels;
mod stated;

use super::consistency::FolderOwner;
use super::consistency::defects::PLACES;
use super::library::{code_object_name, is_fallback};
use super::name::{self, Name, Role};
use super::packed;
use amdgpu_object::target::TargetId;
use kernels::Kernels;
use rayon::prelude::*;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rule::Rule;
use rocm_audit_files::finding::rules::tensile as rules;
use rocm_audit_files::input::folder::Folder;
use stated::StatedSolution;

/// One contradiction.
struct Contradiction {
    rule: &'static Rule,
    /// What contradicts what.
    what: String,
}

/// The contradictions of one catalog.
struct OfCatalog {
    target: String,
    catalog: String,
    all: Vec<Contradiction>,
}

/// Holds the catalogs of a folder against its code objects, those of the processors that are asked for; of
/// all where none is.
pub fn check(folder: &Folder, owner: FolderOwner, asked: &[String]) -> Vec<Finding> {
    let is_asked = |target: &TargetId| asked.is_empty() || asked.contains(&target.processor);
    let names = folder.names();
    let catalog = |file: &String| {
        let parsed = Name::parse(file)?;
        let is_catalog = parsed.role == Role::Catalog && name::plain(file).ends_with(".dat");
        let target = parsed.target.filter(|target| is_catalog && is_asked(target))?;
        Some((file.clone(), target))
    };
    let catalogs: Vec<(String, TargetId)> = names.iter().filter_map(catalog).collect();
    #[cfg(feature = "engines")]
    let helpers = fingerprint::Helpers::new(folder);
    let one = |(file, target): &(String, TargetId)| {
        let opened = folder.open(file).ok()?;
        let bytes = packed::content(file, opened.bytes())?;
        // What is wrong with a catalog or a code object is said where the folder's files are compared.
        let solutions = stated::solutions(&bytes).ok()?;
        let stem = name::plain(file).trim_end_matches(".dat");
        let mut all = Vec::new();
        for source in [false, true] {
            let own = || solutions.iter().filter(|solution| solution.source == source);
            if own().next().is_none() || is_fallback(stem) {
                continue;
            }
            let code = code_object_name(stem, source && owner == FolderOwner::RocBlas, &target.processor);
            let kernels = Kernels::open(folder, &code, &target.processor);
            own().for_each(|solution| contradictions(solution, &target.processor, &kernels, &mut all));
            kernels.over_limits(&code, &mut |what| {
                all.push(Contradiction { rule: &rules::KERNEL_OVER_LIMITS, what });
            });
            #[cfg(feature = "engines")]
            for what in fingerprint::differing(folder, &helpers, &code, own()) {
                all.push(Contradiction { rule: &rules::FINGERPRINT_DIFFERS, what });
            }
        }
        Some(OfCatalog { target: target.processor.clone(), catalog: file.clone(), all })
    };
    let found: Vec<OfCatalog> = catalogs.par_iter().with_max_len(1).filter_map(one).collect();
    findings(folder, &found)
}

/// One finding for each rule and target.
fn findings(folder: &Folder, found: &[OfCatalog]) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for OfCatalog { target, catalog, all: own } in found {
        for Contradiction { rule, what } in own {
            let known = all.iter().position(|f| f.rule == *rule && f.target.as_ref() == Some(target));
            let at = known.unwrap_or_else(|| {
                all.push(Finding { target: Some(target.clone()), count: 0, ..Finding::new(rule) });
                all.len() - 1
            });
            let Some(finding) = all.get_mut(at) else { continue };
            finding.count += 1;
            if finding.locations.len() < PLACES {
                let path = folder.path_of(catalog).to_string_lossy().into_owned();
                finding.locations.push(Location { path, what: what.clone(), ..Location::default() });
            }
        }
    }
    all
}

/// What a solution states and its kernel does not bear out.
fn contradictions(
    solution: &StatedSolution<'_>,
    processor: &str,
    kernels: &Kernels,
    all: &mut Vec<Contradiction>,
) {
    let kernel = String::from_utf8_lossy(solution.kernel);
    let mut add = |rule: &'static Rule, what: String| {
        let what = format!("solution {} of {kernel}: {what}", solution.index);
        all.push(Contradiction { rule, what });
    };
    let differs = &rules::SOLUTION_UNLIKE_KERNEL;
    let numbers = |all: &[u64]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ");
    let tile = stated::numbers_in_name(&kernel, "MT");
    if let (Some([m, n, depth]), Some([own_m, own_n])) = (tile.as_deref(), solution.tile) {
        let own_depth = solution.depth.unwrap_or(*depth);
        if [*m, *n, *depth] != [own_m, own_n, own_depth] {
            let own = numbers(&[own_m, own_n, own_depth]);
            add(
                differs,
                format!("a tile of {own}, and the kernel is named for {}", numbers(&[*m, *n, *depth])),
            );
        }
    }
    if let (Some(named), Some(own)) = (stated::numbers_in_name(&kernel, "WG"), solution.work_group)
        && named.len() == own.len()
        && named != own
    {
        let what =
            format!("a work group of {}, and the kernel is named for {}", numbers(&own), numbers(&named));
        add(differs, what);
    }
    if let Some(isa) =
        stated::isa_in_name(&kernel).filter(|isa| *isa != "000" && format!("gfx{isa}") != processor)
    {
        add(differs, format!("the catalog is for {processor}, and the kernel is named for gfx{isa}"));
    }
    let Some(facts) = kernels.find_kernel(solution.kernel) else { return };
    let items = solution.work_group.map(|sides| sides.into_iter().fold(1, u64::saturating_mul));
    let groups = items.and_then(|items| facts.groups(items));
    if let (Some(stated), Some((groups, limit))) = (solution.occupancy, groups)
        && stated > groups
    {
        let what =
            format!("{stated} work groups for each compute unit, and its {limit} leave room for {groups}");
        add(&rules::OCCUPANCY_OVERSTATED, what);
    }
}

#[cfg(test)]
mod tests;
