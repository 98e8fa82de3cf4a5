//! Whether libraries, their runtime and their files fit together: what is asked for and not here, and what is
//! here twice.

use super::needs::Needs;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::linking as rules;
use crate::format::Format;
use crate::inventory::linkage::{Linkage, hash, stem};
use crate::inventory::{Artifact, ArtifactKind, Inventory};
use crate::locator::file_name;
use crate::scan::linkage::{is_cuda, is_rocm};
use crate::target::{Family, Processor};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::Path;

/// Places of a finding that are kept.
const MOST_PLACES: usize = 20;

/// All of it.
pub(super) fn linking_findings(inventory: &Inventory) -> Vec<Finding> {
    let mut all = needed(inventory);
    all.extend(symbols(inventory));
    all.extend(stubs(inventory));
    all.extend(stacks(inventory));
    all.extend(runtimes(inventory));
    all.extend(blanks(inventory));
    all.extend(too_new(inventory));
    all.extend(unknown_targets(inventory));
    all.extend(cuda(inventory));
    all.extend(images(inventory));
    all.extend(Needs::from_inventory(inventory).findings(false));
    all
}

/// ROCm's libraries of the inventory by what they are called up to the version.
fn by_stem(inventory: &Inventory) -> KeyMap<&str, Vec<&Linkage>> {
    let mut all: KeyMap<&str, Vec<&Linkage>> = KeyMap::new();
    for library in inventory.linkage.iter().filter(|library| is_rocm(library.name())) {
        all.entry(library.stem()).or_default().push(library);
    }
    all
}

fn needed(inventory: &Inventory) -> Vec<Finding> {
    let here = by_stem(inventory);
    let mut all = Vec::new();
    for library in &inventory.linkage {
        for name in library.needed.iter().filter(|name| is_rocm(name)) {
            let Some(others) = here.get(stem(name)) else { continue };
            let file = |other: &&Linkage| file_name(&other.shown) == name.as_str();
            if others.iter().any(|other| other.name() == name || file(other)) {
                continue;
            }
            let Some(other) = others.first() else { continue };
            let what = format!("asks for {name}; here is {}, {}", other.name(), other.shown);
            all.push(Finding::of_file(&rules::NEEDED_OF_ANOTHER_RELEASE, &library.shown, what));
        }
    }
    all
}

fn symbols(inventory: &Inventory) -> Vec<Finding> {
    let here = by_stem(inventory);
    let mut all = Vec::new();
    for library in &inventory.linkage {
        let mut missing: KeyMap<&str, (u64, String)> = KeyMap::new();
        for asked in &library.asks {
            let Some(exporting) = here.get(stem(&asked.library)) else { continue };
            // Where the loader wants another release, it ends before it looks for symbols.
            let is_wanted = |other: &&&Linkage| {
                let named = library.needed.iter().find(|name| stem(name) == other.stem());
                named.is_none_or(|name| other.name() == name || file_name(&other.shown) == name)
            };
            let of_name: Vec<&&Linkage> = exporting
                .iter()
                .filter(is_wanted)
                .filter(|other| asked.version.is_none() || other.name() == asked.library)
                .filter(|other| !other.exports.is_empty())
                .collect();
            let version = asked.version.as_deref().map(str::as_bytes);
            let symbol = hash(asked.name.as_bytes(), version);
            if of_name.is_empty() || of_name.iter().any(|other| other.exports.contains(&symbol)) {
                continue;
            }
            let Some(other) = of_name.first() else { continue };
            let version = asked.version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
            let example = || (0, format!("{}{version}, which {} does not export", asked.name, other.shown));
            missing.entry(stem(&asked.library)).or_insert_with(example).0 += 1;
        }
        for (count, first) in missing.into_values() {
            let what = format!("{count} symbols, the first is {first}");
            let finding = Finding::of_file(&rules::SYMBOL_UNRESOLVED, &library.shown, what);
            all.push(Finding { count, ..finding });
        }
    }
    all
}

fn stubs(inventory: &Inventory) -> Vec<Finding> {
    let found = inventory.linkage.iter().filter_map(|library| {
        let (count, first) = (library.stubs.0, library.stubs.1.as_ref()?);
        let what = format!("{count} stubs, the first is {first}");
        Some(Finding { count, ..Finding::of_file(&rules::DEVICE_STUB_UNDEFINED, &library.shown, what) })
    });
    found.collect()
}

fn stacks(inventory: &Inventory) -> Vec<Finding> {
    let asking = inventory.linkage.iter().filter(|library| library.executable_stack);
    let found = asking.map(|library| {
        Finding::of_file(
            &rules::STACK_EXECUTABLE,
            &library.shown,
            "its program header PT_GNU_STACK, or that it has none",
        )
    });
    found.collect()
}

fn runtimes(inventory: &Inventory) -> Vec<Finding> {
    let mut all = Vec::new();
    for (name, libraries) in by_stem(inventory) {
        let kinds: BTreeSet<(&str, u64)> = libraries.iter().map(|one| (one.name(), one.bytes)).collect();
        if !["libamdhip64", "libhsa-runtime64", "libamd_comgr"].contains(&name) || kinds.len() < 2 {
            continue;
        }
        let place =
            |one: &&Linkage| Location::file(&one.shown, format!("{}, {} bytes", one.name(), one.bytes));
        all.push(Finding {
            count: libraries.len() as u64,
            detail: format!("{} different files of {name}", kinds.len()),
            locations: libraries.iter().take(MOST_PLACES).map(place).collect(),
            ..Finding::new(&rules::RUNTIMES_OF_TWO_RELEASES)
        });
    }
    all
}

/// Whether a file is a shared library on disk with device code.
fn is_library_with_code(artifact: &Artifact) -> bool {
    let elf = artifact.device.as_ref().is_some_and(|device| {
        device.format == Some(Format::HostElf) && (!device.targets.is_empty() || device.kpack.is_some())
    });
    elf && artifact.locator.member.is_none()
}

fn blanks(inventory: &Inventory) -> Vec<Finding> {
    // Whatever way the root was named.
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let with_blank = |artifact: &&Artifact| {
        is_library_with_code(artifact) && whole(&artifact.locator.path).to_string_lossy().contains(' ')
    };
    let found: Vec<&Artifact> = inventory.artifacts.iter().filter(with_blank).collect();
    if found.is_empty() {
        return Vec::new();
    }
    vec![Finding {
        count: found.len() as u64,
        locations: found.iter().take(MOST_PLACES).map(|one| Location::file(&one.shown, "")).collect(),
        ..Finding::new(&rules::PATH_WITH_BLANK)
    }]
}

/// The release of ROCm's runtime that is here, the oldest, and what says so.
pub(crate) fn runtime_release(inventory: &Inventory) -> Option<((u32, u32), String)> {
    let numbers = |text: &str| {
        let mut parts = text.split('.').map(str::parse::<u32>);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    // The last number of the HSA runtime is that of ROCm in AMD's own packages: 60204 is 6.2.4.
    let of_hsa = |text: &str| {
        let last = text.rsplit('.').next()?.parse::<u32>().ok().filter(|number| *number >= 10_000)?;
        Some((last / 10_000, last / 100 % 100))
    };
    let of_libraries = inventory.linkage.iter().filter_map(|library| {
        let file = file_name(&library.shown);
        let of_hip = file.strip_prefix("libamdhip64.so.").and_then(numbers);
        let release = of_hip.or_else(|| file.strip_prefix("libhsa-runtime64.so.").and_then(of_hsa))?;
        Some((release, library.shown.clone()))
    });
    let of_statements = inventory.artifacts.iter().filter_map(|artifact| match &artifact.kind {
        ArtifactKind::Version { component, version } if component == "ROCm" || component == "torch HIP" => {
            Some((numbers(version)?, artifact.shown.clone()))
        }
        _ => None,
    });
    of_libraries.chain(of_statements).min()
}

/// The first release that reads code objects of version 6.
pub(super) const READS_V6: (u32, u32) = (6, 3);

/// Number of code objects of version 6 in a file.
pub(crate) fn v6(artifact: &Artifact) -> u64 {
    let targets = artifact.device.iter().flat_map(|device| device.targets.values());
    let versions = targets.flat_map(|code| &code.versions);
    versions.filter(|(version, _)| version.code_object() == Some(6)).map(|(_, count)| *count).sum()
}

fn too_new(inventory: &Inventory) -> Option<Finding> {
    let ((major, minor), says) = runtime_release(inventory).filter(|(release, _)| *release < READS_V6)?;
    let found: Vec<(&Artifact, u64)> =
        inventory.artifacts.iter().map(|one| (one, v6(one))).filter(|(_, count)| *count > 0).collect();
    let place = |(artifact, count): &(&Artifact, u64)| {
        Location::file(&artifact.shown, format!("{count} code objects of version 6"))
    };
    (!found.is_empty()).then(|| Finding {
        count: found.iter().map(|(_, count)| count).sum(),
        detail: format!("the runtime is of {major}.{minor}, says {says}"),
        locations: found.iter().take(MOST_PLACES).map(place).collect(),
        ..Finding::new(&rules::CODE_OBJECTS_TOO_NEW)
    })
}

fn unknown_targets(inventory: &Inventory) -> Vec<Finding> {
    let runtimes: Vec<&Linkage> =
        inventory.linkage.iter().filter(|library| !library.processors.is_empty()).collect();
    let mut missing: KeyMap<&str, Vec<&Artifact>> = KeyMap::new();
    for artifact in &inventory.artifacts {
        let code = artifact.device.iter().flat_map(|device| &device.targets);
        for (target, _) in code.filter(|(_, code)| code.runnable() > 0) {
            let known = Processor::by_name(&target.processor);
            let is_named = |one: &&Linkage| one.processors.contains(&target.processor.as_str());
            if known.is_some_and(|known| known.family() != Family::Generic)
                && !runtimes.is_empty()
                && !runtimes.iter().any(is_named)
            {
                missing.entry(&target.processor).or_default().push(artifact);
            }
        }
    }
    let runtime = runtimes.first().map_or("", |one| one.shown.as_str());
    let finding = |(target, files): (&str, Vec<&Artifact>)| Finding {
        target: Some(target.to_owned()),
        count: files.len() as u64,
        detail: format!("{runtime} does not name it"),
        locations: files.iter().take(MOST_PLACES).map(|one| Location::file(&one.shown, "")).collect(),
        ..Finding::new(&rules::RUNTIME_WITHOUT_TARGET)
    };
    missing.into_iter().map(finding).collect()
}

fn images(inventory: &Inventory) -> Vec<Finding> {
    let several = inventory.packages.iter().filter_map(|package| {
        let names: BTreeSet<&str> =
            package.layers.iter().map(|layer| layer.image.as_str()).filter(|name| !name.is_empty()).collect();
        let named: Vec<&str> = names.iter().copied().take(MOST_PLACES).collect();
        let more = if names.len() > named.len() { ", …" } else { "" };
        let what = format!("{} images: {}{more}", names.len(), named.join(", "));
        let finding = Finding::of_file(&rules::IMAGES_JUDGED_TOGETHER, &package.shown, what);
        (names.len() > 1).then_some(Finding { count: names.len() as u64, ..finding })
    });
    several.collect()
}

fn cuda(inventory: &Inventory) -> Option<Finding> {
    let has_code = |artifact: &Artifact| {
        artifact.device.as_ref().is_some_and(|device| !device.targets.is_empty() || device.kpack.is_some())
    };
    if inventory.artifacts.iter().any(has_code) {
        return None;
    }
    let linked = |library: &&Linkage| library.needed.iter().any(|name| is_cuda(name));
    let found: Vec<&Linkage> = inventory.linkage.iter().filter(linked).collect();
    let place = |one: &&Linkage| {
        let names: Vec<&str> = one.needed.iter().map(String::as_str).filter(|name| is_cuda(name)).collect();
        Location::file(&one.shown, format!("is linked with {}", names.join(", ")))
    };
    (!found.is_empty()).then(|| Finding {
        count: found.len() as u64,
        locations: found.iter().take(MOST_PLACES).map(place).collect(),
        ..Finding::new(&rules::BUILT_FOR_CUDA)
    })
}
