//! Whether what is here for a target agrees: a library with its folder, libraries with each other, variants
//! of a package.

use super::package_sets;
use crate::engines::tensile::name::Role;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::{code, tensile};
use crate::inventory::kernel_manifest::{KernelManifest, ManifestOf, ManifestRow};
use crate::inventory::{Artifact, ArtifactKind, Inventory, Uncounted};
use crate::locator::file_name;
use crate::scan::library_names;
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

/// Places of a finding that are kept.
const MOST_PLACES: usize = 20;

/// All of it.
pub(super) fn agreement_findings(inventory: &Inventory) -> Vec<Finding> {
    let mut all: Vec<Finding> = library_folder(inventory).into_iter().collect();
    all.extend(own_code(inventory));
    all.extend(xnack_states(inventory));
    all.extend(xnack_of_apus(inventory));
    all.extend(variants(inventory));
    all.extend(convolutions(inventory));
    all.extend(firmware(inventory));
    all.extend(own_lists(inventory));
    all.extend(revisions(inventory));
    all.extend(databases(inventory));
    all.extend(super::miopen_release::databases_of_others(inventory));
    #[cfg(feature = "engines")]
    all.extend(super::model_files::unfit_models(inventory));
    all.extend(manifests(inventory));
    all.extend(package_sets::package_set_findings(inventory));
    all
}

/// Tables of kernels that name code objects which are not here, one finding for each. A table of AITER's
/// without any code object beside it is of a source tree or of a part of a package.
fn manifests(inventory: &Inventory) -> Vec<Finding> {
    if inventory.manifests.is_empty() {
        return Vec::new();
    }
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let here: BTreeSet<&str> = inventory.artifacts.iter().map(|artifact| artifact.shown.as_str()).collect();
    let folders: BTreeSet<String> = here.iter().map(|path| folder(path)).collect();
    // What the tables of archives hold: `ENTRY@TARGET`.
    let mut entries: KeyMap<&str, BTreeSet<&str>> = KeyMap::new();
    for artifact in &inventory.artifacts {
        let own = artifact.device.iter().flat_map(|device| device.entries.keys());
        let own = own.filter_map(|id| Some(id.rsplit_once('@')?.0));
        entries.entry(&artifact.shown).or_default().extend(own);
    }
    let of_table = |table: &KernelManifest| {
        let lost = |row: &ManifestRow| {
            let path = table.place(row);
            match (here.contains(path.as_str()), &row.entry) {
                (false, _) => Some(format!("{} is not here, which has {}", row.file, row.kernel)),
                (true, Some(entry))
                    if !entries.get(path.as_str()).is_some_and(|all| all.contains(entry.as_str())) =>
                {
                    Some(format!("{} has no entry {entry}, which has {}", row.file, row.kernel))
                }
                _ => None,
            }
        };
        let lost: Vec<(&ManifestRow, String)> =
            table.rows.iter().filter_map(|row| Some((row, lost(row)?))).collect();
        let beside = table.of != ManifestOf::Aiter
            || table.rows.iter().any(|row| folders.contains(&folder(&table.place(row))));
        if lost.is_empty() || !beside {
            return None;
        }
        let place = |(row, what): &(&ManifestRow, String)| {
            let what = format!("line {}: {what}", row.line);
            Location { offset: Some(row.offset), ..Location::file(&table.shown, what) }
        };
        Some(Finding {
            count: lost.len() as u64,
            locations: lost.iter().take(MOST_PLACES).map(place).collect(),
            ..Finding::new(&code::MANIFEST_KERNEL_MISSING)
        })
    };
    inventory.manifests.iter().filter_map(of_table).collect()
}

fn is_rocblas(path: &str) -> bool {
    file_name(path).starts_with("librocblas.so") || file_name(path).eq_ignore_ascii_case("rocblas.dll")
}

fn is_catalog_folder(artifact: &Artifact) -> bool {
    artifact.library == "rocBLAS" && matches!(artifact.kind, ArtifactKind::Tensile(..))
}

/// rocBLAS without any catalog. What was skipped or not unpacked is not missing, and a file alone is not
/// judged.
fn library_folder(inventory: &Inventory) -> Option<Finding> {
    let library = inventory.artifacts.iter().find(|a| a.library == "rocBLAS" && is_rocblas(&a.shown))?;
    let is_alone = inventory.files.count == 1;
    let has_catalogs = inventory.artifacts.iter().any(is_catalog_folder);
    (!is_alone && !has_catalogs && !inventory.remainder.contains_key(&Uncounted::Skipped)).then(|| {
        Finding::of_file(
            &tensile::LIBRARY_FOLDER_MISSING,
            &library.shown,
            "no file named TensileLibrary* is here",
        )
    })
}

/// Targets of rocBLAS's library against those of its folder.
fn own_code(inventory: &Inventory) -> Vec<Finding> {
    let of_rocblas = || inventory.artifacts.iter().filter(|artifact| artifact.library == "rocBLAS");
    let libraries: Vec<&Artifact> = of_rocblas().filter(|artifact| is_rocblas(&artifact.shown)).collect();
    let own: BTreeSet<&str> = libraries
        .iter()
        .filter_map(|artifact| artifact.device.as_ref())
        .flat_map(|device| &device.targets)
        .filter(|(_, code)| code.runnable() > 0)
        .map(|(target, _)| target.processor.as_str())
        .collect();
    let mut folder: KeyMap<&str, &Artifact> = KeyMap::new();
    let mut one_catalog = false;
    for artifact in of_rocblas() {
        let ArtifactKind::Tensile(role, _) = &artifact.kind else { continue };
        match (&artifact.named_target, role) {
            (Some(target), Role::LazyCatalog | Role::MergedCatalog | Role::CodeObject) => {
                folder.entry(&target.processor).or_insert(artifact);
            }
            // A catalog of everything is of no target by its name.
            (None, Role::MergedCatalog) => one_catalog = true,
            _ => {}
        }
    }
    let Some(library) = libraries.first().filter(|_| !own.is_empty() && !folder.is_empty() && !one_catalog)
    else {
        return Vec::new();
    };
    let only_folder = folder.iter().filter(|(target, _)| !own.contains(*target)).map(|(target, artifact)| {
        (
            *target,
            Location::file(&artifact.shown, format!("{} has no code for it", file_name(&library.shown))),
        )
    });
    let only_library = own.iter().filter(|target| !folder.contains_key(*target)).map(|target| {
        (
            *target,
            Location::file(&library.shown, "has code for it, and the library folder no catalog".to_owned()),
        )
    });
    let finding = |(target, place): (&str, Location)| Finding {
        target: Some(target.to_owned()),
        ..Finding::at(&tensile::CATALOGS_WITHOUT_OWN_CODE, place)
    };
    only_folder.chain(only_library).map(finding).collect()
}

/// The target IDs of code in the inventory, each with its file.
fn targets(inventory: &Inventory) -> impl Iterator<Item = (&Artifact, &TargetId)> {
    inventory.artifacts.iter().flat_map(|artifact| {
        let code = artifact.device.iter().flat_map(|device| &device.targets);
        code.filter(|(_, code)| code.runnable() > 0).map(move |(target, _)| (artifact, target))
    })
}

fn xnack_states(inventory: &Inventory) -> Vec<Finding> {
    /// By library: the states of XNACK that its code is for, and a file of it.
    type Libraries<'a> = KeyMap<&'a str, (BTreeSet<Option<bool>>, &'a str)>;
    // By processor.
    let mut all: KeyMap<&str, Libraries<'_>> = KeyMap::new();
    for (artifact, target) in targets(inventory) {
        let libraries = all.entry(&target.processor).or_default();
        let entry = libraries.entry(&artifact.library).or_insert((BTreeSet::new(), &artifact.shown));
        entry.0.insert(target.xnack);
    }
    let mut found = Vec::new();
    for (processor, libraries) in all {
        // Code for any state serves both.
        let serves = |states: &BTreeSet<Option<bool>>| {
            let has = |on: bool| states.contains(&None) || states.contains(&Some(on));
            (has(true), has(false))
        };
        let kinds: BTreeSet<(bool, bool)> = libraries.values().map(|(states, _)| serves(states)).collect();
        if kinds.len() < 2 {
            continue;
        }
        let place = |(library, (states, path)): (&&str, &(BTreeSet<Option<bool>>, &str))| {
            let name = |state: &Option<bool>| match state {
                None => "any state",
                Some(true) => "xnack+",
                Some(false) => "xnack-",
            };
            let names: Vec<&str> = states.iter().map(name).collect();
            Location::file(*path, format!("{library}: {}", names.join(", ")))
        };
        found.push(Finding {
            target: Some(processor.to_owned()),
            count: libraries.len() as u64,
            locations: libraries.iter().take(MOST_PLACES).map(place).collect(),
            ..Finding::new(&code::XNACK_STATES_DIFFER)
        });
    }
    found
}

/// Processors of APUs that runtimes list without XNACK. Source: rocm-systems#8237.
const NEUTRAL: [&str; 3] = ["gfx902", "gfx909", "gfx90c"];

fn xnack_of_apus(inventory: &Inventory) -> Vec<Finding> {
    let fixed = targets(inventory)
        .filter(|(_, target)| NEUTRAL.contains(&target.processor.as_str()) && target.xnack.is_some());
    let finding = |(artifact, target): (&Artifact, &TargetId)| Finding {
        target: Some(target.to_string()),
        ..Finding::of_file(&code::XNACK_FIXED_FOR_APU, &artifact.shown, "has code for it")
    };
    fixed.map(finding).collect()
}

/// The name of a file up to the release of ROCm that it is for: `libbitsandbytes` of
/// `libbitsandbytes_rocm62.so`.
fn variant_of(path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let at = file.find("_rocm").or_else(|| file.find("-rocm"))?;
    let (stem, rest) = (file.get(..at)?, file.get(at + 5..)?);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits >= 2).then(|| format!("{folder}/{stem}{}", rest.get(digits..).unwrap_or_default()))
}

fn variants(inventory: &Inventory) -> Vec<Finding> {
    let mut groups: KeyMap<String, Vec<&Artifact>> = KeyMap::new();
    for artifact in inventory.artifacts.iter().filter(|artifact| artifact.device.is_some()) {
        if let Some(group) = variant_of(&artifact.shown) {
            groups.entry(group).or_default().push(artifact);
        }
    }
    let mut found = Vec::new();
    for files in groups.values().filter(|files| files.len() > 1) {
        let of = |artifact: &&Artifact| -> BTreeSet<String> {
            let code = artifact.device.iter().flat_map(|device| &device.targets);
            code.filter(|(_, code)| code.runnable() > 0).map(|(target, _)| target.processor.clone()).collect()
        };
        let sets: Vec<(&Artifact, BTreeSet<String>)> = files.iter().map(|one| (*one, of(one))).collect();
        let all: BTreeSet<&String> = sets.iter().flat_map(|(_, targets)| targets).collect();
        let lacks = |targets: &BTreeSet<String>| -> Vec<&str> {
            let lacking = all.iter().filter(|target| !targets.contains(**target));
            let mut lacking: Vec<&str> = lacking.map(|target| target.as_str()).collect();
            lacking.sort_rows_by_key(|target| Processor::rank(target));
            lacking
        };
        let differing: BTreeSet<&str> = sets.iter().flat_map(|(_, targets)| lacks(targets)).collect();
        if differing.is_empty() {
            continue;
        }
        let lacking = sets.iter().filter(|(_, targets)| targets.len() < all.len());
        let place = |(one, targets): &(&Artifact, BTreeSet<String>)| {
            Location::file(&one.shown, format!("has no code for {}", lacks(targets).join(", ")))
        };
        found.push(Finding {
            count: differing.len() as u64,
            detail: format!("not in all of {} variants", files.len()),
            locations: lacking.take(MOST_PLACES).map(place).collect(),
            ..Finding::new(&code::VARIANTS_DIFFER)
        });
    }
    found
}

/// The beginning of the name of MIOpen's library of grouped convolutions.
const CONVOLUTIONS: &str = "libMIOpenCKGroupedConv_";

fn convolutions(inventory: &Inventory) -> Vec<Finding> {
    let here =
        || inventory.artifacts.iter().filter(|artifact| file_name(&artifact.shown).starts_with(CONVOLUTIONS));
    let stem =
        |artifact: &Artifact| file_name(&artifact.shown).split(".so").next().unwrap_or_default().to_owned();
    let plain: BTreeSet<String> = here().filter(|one| one.shown.ends_with(".so")).map(stem).collect();
    // Links are not followed, so that one of the plain name is not seen if there are any.
    let unasked = here().filter(|one| !one.shown.ends_with(".so") && !plain.contains(&stem(one)));
    let finding = |artifact: &Artifact| Finding {
        target: stem(artifact).strip_prefix(CONVOLUTIONS).map(str::to_owned),
        ..Finding::of_file(
            &code::CONVOLUTIONS_UNVERSIONED_MISSING,
            &artifact.shown,
            format!("{}.so is asked for", stem(artifact)),
        )
    };
    unasked.filter(|_| inventory.links == 0).map(finding).collect()
}

/// Releases of MES firmware with known faults: the beginning of the codename, the release. Source: ROCm#5724.
const FAULTY: [(&str, u32); 1] = [("gc_11_5", 0x83)];

fn firmware(inventory: &Inventory) -> Vec<Finding> {
    let found = inventory.artifacts.iter().filter_map(|artifact| match &artifact.kind {
        ArtifactKind::Firmware { codename, mes_release: Some(release), .. } => {
            let is_faulty = FAULTY.iter().any(|(name, known)| codename.starts_with(name) && known == release);
            let what = format!("MES release {release:#x}");
            is_faulty.then(|| Finding::of_file(&code::FIRMWARE_WITH_FAULT, &artifact.shown, what))
        }
        _ => None,
    });
    found.collect()
}

/// So many names make a list.
const LEAST_LISTED: usize = 3;

/// Lists of a library that lack a processor, each with the path of its file.
pub(super) fn own_lists_without<'a>(
    inventory: &'a Inventory,
    library: &'a str,
    processor: &'a str,
) -> impl Iterator<Item = (&'a str, &'a [&'static str])> {
    let lists = inventory.own_lists.iter().filter(|(_, names)| names.len() >= LEAST_LISTED);
    let lists =
        lists.filter(move |(path, _)| library_names::library_name(&path.replace('\\', "/")) == library);
    lists
        .filter(move |(_, names)| !names.contains(&processor))
        .map(|(path, names)| (path.as_str(), &names[..]))
}

/// Targets that a program has code for and its own list of GPUs lacks.
fn own_lists(inventory: &Inventory) -> Vec<Finding> {
    let mut all: KeyMap<&str, Finding> = KeyMap::new();
    if inventory.own_lists.is_empty() {
        return Vec::new();
    }
    for (artifact, target) in targets(inventory).filter(|(_, target)| !is_generic(target)) {
        if let Some((path, names)) = own_lists_without(inventory, &artifact.library, &target.processor).next()
        {
            all.entry(&target.processor).or_insert_with(|| {
                let what = format!(
                    "its list has {}; {} has code for {}",
                    names.join(", "),
                    artifact.shown,
                    target.processor
                );
                let finding = Finding::of_file(&code::TARGET_NOT_LISTED, path, what);
                Finding { target: Some(target.processor.clone()), ..finding }
            });
        }
    }
    all.into_values().collect()
}

fn is_generic(target: &TargetId) -> bool {
    target.processor.ends_with("-generic")
}

/// The processor and revision that a folder is of: `gfx1250v0`. Source: rocm-libraries#11182.
fn revision_of(folder: &str) -> Option<(&'static str, u8)> {
    let (name, revision) = folder.rsplit_once('v')?;
    let revision = revision.parse().ok().filter(|revision| *revision < 2)?;
    Processor::by_name(name).map(|processor| (processor.name(), revision))
}

/// Folders of hipBLASLt for one revision of a GPU without that for the other.
fn revisions(inventory: &Inventory) -> Vec<Finding> {
    let mut all: KeyMap<(String, &str), KeyMap<u8, &str>> = KeyMap::new();
    for artifact in inventory.artifacts.iter().filter(|artifact| artifact.library == "hipBLASLt") {
        let mut parent = String::new();
        for folder in artifact.shown.split('/') {
            if let Some((processor, revision)) = revision_of(folder) {
                all.entry((parent.clone(), processor))
                    .or_default()
                    .entry(revision)
                    .or_insert(&artifact.shown);
            }
            parent.push_str(folder);
            parent.push('/');
        }
    }
    let of = |((parent, processor), here): ((String, &str), KeyMap<u8, &str>)| {
        let (revision, path) = here.first_key_value().filter(|_| here.len() == 1)?;
        let what = format!("{parent}{processor}v{} is not here", 1 - revision);
        let finding = Finding::of_file(&tensile::REVISION_FOLDER_MISSING, path, what);
        Some(Finding { target: Some(processor.to_owned()), ..finding })
    };
    all.into_iter().filter_map(of).collect()
}

/// Databases of MIOpen for targets for which its libraries, where they have code at all, have none.
fn databases(inventory: &Inventory) -> Option<Finding> {
    let built: BTreeSet<&str> = targets(inventory)
        .filter(|(artifact, _)| {
            artifact.library == "MIOpen" && matches!(artifact.kind, ArtifactKind::DeviceCode)
        })
        .map(|(_, target)| target.processor.as_str())
        .collect();
    let serves = |processor: &str| {
        let generic = Processor::by_name(processor).and_then(|known| known.generic());
        built.contains(processor) || generic.is_some_and(|generic| built.contains(generic))
    };
    let mut first: KeyMap<&str, &Artifact> = KeyMap::new();
    for artifact in inventory.artifacts.iter().filter(|_| !built.is_empty()) {
        let is_database = matches!(artifact.kind, ArtifactKind::FindDb(_) | ArtifactKind::PerfDb(_));
        let target = artifact.named_target.as_ref().filter(|_| is_database);
        if let Some(target) = target.filter(|target| !serves(&target.processor)) {
            first.entry(&target.processor).or_insert(artifact);
        }
    }
    if first.is_empty() {
        return None;
    }
    let place = |(target, artifact): (&&str, &&Artifact)| {
        Location::file(&artifact.shown, format!("for {target}, and there is code for {}", list(&built)))
    };
    Some(Finding {
        count: first.len() as u64,
        locations: first.iter().take(MOST_PLACES).map(place).collect(),
        ..Finding::new(&code::DATABASE_WITHOUT_CODE)
    })
}

fn list(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}
