//! What libraries need from others: which of it is here and found by the loader, which comes from elsewhere,
//! and how new it has to be.
//!
//! The loader of Linux looks in the folders of `DT_RPATH` or `DT_RUNPATH`, then in its own.
//! `LD_LIBRARY_PATH`, `ld.so.conf` and what a process has loaded before are of a run and not in the files, so
//! that what only they lead to is said as a state of its own. Source: ld.so(8).

use super::linking::{READS_V6, v6};
use crate::finding::Finding;
use crate::finding::rules::linking as rules;
use crate::inventory::linkage::{Linkage, stem, version_numbers};
use crate::inventory::{Artifact, Inventory};
use crate::locator::{file_name, without_dots};
use crate::scan::linkage::is_rocm;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// What the libraries and programs of the field need.
#[derive(Debug, Default)]
pub struct Needs<'i> {
    /// One for each file, in walking order.
    pub files: Vec<FileNeeds<'i>>,
    /// For each library and kind of version the highest that is asked of it, and by how many files.
    pub versions: Vec<Version<'i>>,
    /// Whether there are more libraries than are kept, so that nothing can be said to be missing.
    pub is_cut: bool,
}

/// What one file needs.
#[derive(Debug)]
pub struct FileNeeds<'i> {
    /// The file.
    pub file: &'i Linkage,
    /// Each library that it names.
    pub needed: Vec<Needed<'i>>,
    /// Each library of ROCm that it may open by name at run time.
    pub opens: Vec<Needed<'i>>,
    /// The least release of the HIP runtime that has what it asks of it; nothing where it says none.
    pub least_runtime: Option<LeastRuntime>,
    /// Search paths that lead to fixed places which are not of the system: where the file was built.
    pub absolute: Vec<&'i str>,
}

/// A library that a file needs.
#[derive(Debug)]
pub struct Needed<'i> {
    /// Its name: `librocblas.so.4`.
    pub name: &'i str,
    /// Where it is.
    pub place: NeededLibraryPlace,
}

/// Where a needed library is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeededLibraryPlace {
    /// Here, and the loader finds it by the file's own search paths or its own folders: its path.
    Here(String),
    /// Here, but nothing in the file leads to it: `LD_LIBRARY_PATH`, `ld.so.conf` or a process that has
    /// loaded it before has to.
    Unreachable(String),
    /// Not here: of the C library or the compiler, which every system has.
    System,
    /// Not here: one of ROCm's.
    Rocm,
    /// Not here, and of others.
    Other,
}

/// The highest version that is asked of a library.
#[derive(Debug)]
pub struct Version<'i> {
    /// The library: `libamdhip64.so.6`.
    pub library: &'i str,
    /// The version: `hip_6.0`.
    pub version: &'i str,
    /// Files that ask for it.
    pub asked_by: Vec<&'i str>,
}

/// The least release of the HIP runtime that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeastRuntime {
    /// Its first two numbers.
    pub release: (u32, u32),
    /// What says so.
    pub why: String,
}

/// An empty search path.
const WORKING_FOLDER: &str = "the folder in which the program was started (an empty entry)";

/// What the C library, its loader and the compilers' runtimes are called up to the version. Windows has its
/// own in `System32`.
const SYSTEM: [&str; 14] = [
    "libc",
    "libm",
    "libdl",
    "librt",
    "libpthread",
    "libresolv",
    "libutil",
    "libnsl",
    "libgcc_s",
    "libstdc++",
    "ld-linux-x86-64",
    "ld-linux-aarch64",
    "libatomic",
    "libanl",
];

/// The beginnings of the names of Windows' own libraries.
const WINDOWS: [&str; 16] = [
    "kernel32",
    "user32",
    "advapi32",
    "api-ms-win-",
    "ext-ms-win-",
    "vcruntime",
    "msvcp",
    "msvcrt",
    "ucrtbase",
    "ntdll",
    "ole32",
    "shell32",
    "ws2_32",
    "bcrypt",
    "gdi32",
    "dbghelp",
];

/// Folders in which the loader looks by itself, below the root of a system, also those of Debian's and
/// Fedora's.
const OWN_FOLDERS: [&str; 8] = [
    "lib",
    "usr/lib",
    "lib64",
    "usr/lib64",
    "lib/x86_64-linux-gnu",
    "usr/lib/x86_64-linux-gnu",
    "lib/aarch64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
];

fn is_of_system(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SYSTEM.contains(&stem(name))
        || lower.ends_with(".dll") && WINDOWS.iter().any(|own| lower.starts_with(own))
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl<'i> Needs<'i> {
    /// What the libraries of an inventory need.
    pub fn from_inventory(inventory: &'i Inventory) -> Self {
        let with_code =
            |artifact: &&Artifact| artifact.device.as_ref().is_some_and(|device| !device.targets.is_empty());
        let codes: KeyMap<&str, &Artifact> = inventory
            .artifacts
            .iter()
            .filter(with_code)
            .map(|artifact| (artifact.shown.as_str(), artifact))
            .collect();
        let of_rocm = |file: &&Linkage| {
            is_rocm(file.name())
                || file.needed.iter().any(|name| is_rocm(name))
                || codes.contains_key(file.shown.as_str())
        };
        let own = inventory.linkage.iter().filter(of_rocm);
        let files: Vec<FileNeeds<'i>> =
            own.map(|file| file_needs(inventory, file, codes.get(file.shown.as_str()).copied())).collect();
        let mut highest: KeyMap<(&str, &str), Version<'i>> = KeyMap::new();
        for file in files.iter().map(|one| one.file) {
            for (library, version) in &file.versions {
                let (name, numbers) = version_numbers(version);
                let known = highest.entry((library, name)).or_insert_with(|| Version {
                    library,
                    version,
                    asked_by: Vec::new(),
                });
                let before = version_numbers(known.version).1;
                if numbers > before {
                    (known.version, known.asked_by) = (version, vec![file.shown.as_str()]);
                } else if numbers == before {
                    known.asked_by.push(&file.shown);
                }
            }
        }
        Needs { files, versions: highest.into_values().collect(), is_cut: inventory.libraries_more > 0 }
    }

    /// The least release of the HIP runtime that has what all files ask of it, each by itself; nothing where
    /// nothing says so.
    pub fn least_runtime(&self) -> Option<&LeastRuntime> {
        let all = self.files.iter().filter_map(|one| one.least_runtime.as_ref());
        // Of those that say the same, the first one speaks.
        all.reduce(|most, one| if one.release > most.release { one } else { most })
    }

    /// What is wrong with it. What is missing is said where the HIP runtime is here, since one library of
    /// many always lacks others; or in any case, where that is what was asked.
    pub fn findings(&self, is_asked: bool) -> Vec<Finding> {
        let mut all = Vec::new();
        let has_runtime =
            !self.is_cut && (is_asked || self.files.iter().any(|one| one.file.stem() == "libamdhip64"));
        for one in &self.files {
            let missing: Vec<&str> = one
                .needed
                .iter()
                .filter(|needed| needed.place == NeededLibraryPlace::Rocm)
                .map(|needed| needed.name)
                .collect();
            if has_runtime && !missing.is_empty() {
                let what = format!("needs {}", missing.join(", "));
                let finding = Finding::of_file(&rules::NEEDED_NOT_HERE, &one.file.shown, what);
                all.push(Finding { count: missing.len() as u64, ..finding });
            }
            if !one.absolute.is_empty() {
                let what = format!("looks in {}", one.absolute.join(", "));
                all.push(Finding::of_file(&rules::RUNPATH_ABSOLUTE, &one.file.shown, what));
            }
        }
        all
    }
}

fn file_needs<'i>(inventory: &'i Inventory, file: &'i Linkage, code: Option<&Artifact>) -> FileNeeds<'i> {
    let own_folder = folder_of(&file.installed);
    let is_dll =
        file.soname.is_none() && file.needed.iter().any(|name| name.to_ascii_lowercase().ends_with(".dll"));
    // Folders below the root, in the order of the loader.
    let mut folders: Vec<String> = Vec::new();
    let mut absolute = Vec::new();
    for path in file.search.folders() {
        let from_origin = path.replace("${ORIGIN}", "$ORIGIN");
        if let Some(below) = from_origin.strip_prefix("$ORIGIN") {
            folders.extend(without_dots(&format!("{own_folder}/{below}")));
            continue;
        }
        if !path.starts_with(['/', '$']) {
            absolute.push(if path.is_empty() { WORKING_FOLDER } else { path.as_str() });
        }
        let Some(fixed) = path.strip_prefix('/').and_then(without_dots) else { continue };
        // A root may be a whole system, or stand at the place that is named.
        let root = file.on_disk.as_deref().and_then(|path| path.strip_suffix(file.installed.as_str()));
        let within = root.and_then(|root| format!("/{fixed}/").strip_prefix(root).map(str::to_owned));
        let is_own = OWN_FOLDERS.contains(&fixed.as_str());
        let stands_here = within.is_some() || has_folder(inventory, &fixed);
        folders.extend(within.and_then(|below| without_dots(&below)));
        if !is_own && !stands_here {
            absolute.push(path.as_str());
        }
        folders.push(fixed);
    }
    // A program of Windows finds what lies beside it first.
    let own = if is_dll { vec![own_folder.to_owned()] } else { OWN_FOLDERS.map(str::to_owned).to_vec() };
    folders.extend(own);
    let placed = |name: &'i String| Needed { name, place: place(inventory, name, &folders, is_dll) };
    FileNeeds {
        file,
        needed: file.needed.iter().map(placed).collect(),
        opens: file.named.iter().map(placed).collect(),
        least_runtime: least_runtime(file, code),
        absolute,
    }
}

/// The least release of the HIP runtime that a file can do with.
fn least_runtime(file: &Linkage, code: Option<&Artifact>) -> Option<LeastRuntime> {
    let own = file_name(&file.shown);
    let of_symbols = file.versions.iter().filter(|(library, _)| stem(library) == "libamdhip64").map(
        |(library, version)| {
            let numbers = version_numbers(version).1;
            let number =
                |at: usize| numbers.get(at).and_then(|number| u32::try_from(*number).ok()).unwrap_or(0);
            let why = format!("{own} asks {library} for symbols of version {version}");
            LeastRuntime { release: (number(0), number(1)), why }
        },
    );
    let of_names = file.needed.iter().filter_map(|name| {
        let lower = name.to_ascii_lowercase();
        let major = lower
            .strip_prefix("libamdhip64.so.")
            .or_else(|| lower.strip_prefix("amdhip64_")?.strip_suffix(".dll"))?;
        let release = (major.split('.').next()?.parse().ok()?, 0);
        Some(LeastRuntime { release, why: format!("{own} is linked with {name}") })
    });
    let of_code = code
        .filter(|code| v6(code) > 0)
        .map(|_| LeastRuntime { release: READS_V6, why: format!("{own} has code objects of version 6") });
    let all = of_symbols.chain(of_names).chain(of_code);
    all.reduce(|most, one| if one.release > most.release { one } else { most })
}

/// Whether a shared library lies in a folder.
fn has_folder(inventory: &Inventory, folder: &str) -> bool {
    inventory.shared_libraries.values().flatten().any(|path| folder_of(path) == folder)
}

fn place(inventory: &Inventory, name: &str, folders: &[String], is_dll: bool) -> NeededLibraryPlace {
    let nowhere = BTreeSet::new();
    // Names of files on Windows are alike whatever the case of their letters.
    let mut here = inventory.shared_libraries.get(file_name(name)).unwrap_or(&nowhere);
    if is_dll && here.is_empty() {
        let alike = inventory.shared_libraries.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        here = alike.map_or(&nowhere, |(_, paths)| paths);
    }
    let found = folders.iter().find_map(|folder| here.iter().find(|path| folder_of(path) == folder));
    match (found, here.first()) {
        (Some(path), _) => NeededLibraryPlace::Here(path.clone()),
        (None, Some(path)) => NeededLibraryPlace::Unreachable(path.clone()),
        _ if is_of_system(name) => NeededLibraryPlace::System,
        _ if is_rocm(name) => NeededLibraryPlace::Rocm,
        _ => NeededLibraryPlace::Other,
    }
}
