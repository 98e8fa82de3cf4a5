//! What was compiled or measured at run time and kept: which caches are here, for which targets, and whether
//! what is installed beside them would still take it.

use crate::finding::Finding;
use crate::finding::amount::plural;
use crate::finding::rules::code as rules;
use crate::inventory::{Artifact, Inventory};
use crate::limits::{BROKEN_CACHE_ENTRIES, CACHE_FOLDERS};
use rocm_audit_files::key_map::KeyMap;
use std::collections::{BTreeMap, BTreeSet};

/// A cache, or a database of a user.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// Whose: `Triton`, `comgr`, `MIOpen`, `rocFFT`.
    pub of: &'static str,
    /// The version that wrote it, where that is known.
    pub version: Option<String>,
    /// Its folders, as far as they can be told apart. Where each entry has a folder, the folder around them.
    pub folders: BTreeSet<String>,
    /// Its entries.
    pub entries: u64,
    /// Entries by target; of some the target is not known.
    pub targets: BTreeMap<String, u64>,
    /// Bytes of its files.
    pub bytes: u64,
    /// Entries that no code object stands beside, or one for another target: what each is.
    pub broken: Vec<Broken>,
    /// The version that is installed beside it, where that is another one: it does not look at these entries.
    pub stale_for: Option<String>,
}

/// An entry that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "BrokenEntry"))]
pub struct Broken {
    /// Its metadata.
    pub path: String,
    /// The kernel, and what it is said to be for.
    pub what: String,
}

/// What is wrong with caches.
pub(super) fn findings(caches: &[Cache]) -> Vec<Finding> {
    let mut all = Vec::new();
    for cache in caches {
        let broken =
            cache.broken.iter().map(|one| Finding::of_file(&rules::CACHE_ENTRY_BROKEN, &one.path, &one.what));
        all.extend(broken);
        if let Some(installed) = &cache.stale_for {
            let own = cache.version.as_deref().unwrap_or_default();
            let folder = cache.folders.first().map_or("", String::as_str);
            let what = format!(
                "{} by {} {own}; {installed} is installed",
                plural(cache.entries, "entry", "entries"),
                cache.of
            );
            all.push(Finding::of_file(&rules::CACHE_STALE, folder, what));
        }
    }
    all
}

/// The packages that install Triton.
const TRITON: [&str; 4] = ["triton", "pytorch_triton_rocm", "pytorch-triton-rocm", "triton_rocm"];

/// All caches, in the order of their names and versions.
pub(super) fn find_caches(inventory: &Inventory) -> Vec<Cache> {
    let mut all: KeyMap<(&'static str, Option<String>), Cache> = KeyMap::new();
    // An audit of an install has many artifacts and no such kernel.
    let looked_up = inventory.artifacts.iter().filter(|_| !inventory.compiled.is_empty());
    let by_path: KeyMap<&str, &Artifact> =
        looked_up.map(|artifact| (artifact.shown.as_str(), artifact)).collect();
    for kernel in &inventory.compiled {
        let key = ("Triton", kernel.version.clone());
        let cache = all.entry(key).or_insert_with(|| Cache {
            of: "Triton",
            version: kernel.version.clone(),
            ..Cache::default()
        });
        let code = by_path.get(kernel.code_object().as_str());
        let fits = code.is_some_and(|code| {
            code.device
                .as_ref()
                .is_some_and(|device| device.targets.keys().any(|own| own.loads_on(&kernel.target)))
        });
        cache.add(&kernel.shown, 2, code.map_or(0, |code| code.bytes), Some(kernel.target.to_string()));
        if !fits && cache.broken.len() < BROKEN_CACHE_ENTRIES {
            let here = if code.is_some() {
                "its code object is for another target"
            } else {
                "its code object is not there"
            };
            let what = format!("{} for {}: {here}", kernel.name, kernel.target);
            cache.broken.push(Broken { path: kernel.shown.clone(), what });
        }
    }
    for artifact in &inventory.artifacts {
        let Some((of, depth)) = artifact.cache() else { continue };
        let cache = all.entry((of, None)).or_insert_with(|| Cache { of, ..Cache::default() });
        let device = artifact.device.iter().flat_map(|device| device.targets.keys());
        let target = device.chain(&artifact.named_target).next().map(ToString::to_string);
        cache.add(&artifact.shown, depth, artifact.bytes, target);
    }
    let installed = TRITON.iter().find_map(|name| inventory.ownership.version_of(name));
    for cache in all.values_mut().filter(|cache| cache.of == "Triton") {
        let other = installed.clone().filter(|installed| {
            // Local parts say who built it: 3.9.0+rocm7.2 writes 3.9.0.
            cache.version.as_deref().is_some_and(|own| installed.split('+').next() != own.split('+').next())
        });
        cache.stale_for = other;
    }
    all.into_values().collect()
}

impl Cache {
    /// Adds a file that lies so many folders below the folder of the cache.
    fn add(&mut self, path: &str, depth: usize, bytes: u64, target: Option<String>) {
        let mut folder = path;
        for _ in 0..depth {
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
        if self.folders.len() < CACHE_FOLDERS {
            self.folders.insert(folder.to_owned());
        }
        self.entries += 1;
        self.bytes += bytes;
        if let Some(target) = target {
            *self.targets.entry(target).or_default() += 1;
        }
    }
}
