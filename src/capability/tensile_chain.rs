//! Tensile library folders from the library to the kernel: master catalog, catalogs, code objects, and the
//! kernels in them.
//!
//! What a folder has for a target is what rocBLAS or hipBLASLt would reach by it, not how many files are
//! there: the engine that checks library folders compares what the scan read of each file.

use super::library_part::{LibraryPart, LibraryParts, is_binary};
use crate::engines::tensile::consistency::content::{FileContent, LazyContent};
use crate::engines::tensile::consistency::{Consistency, FolderOwner, LibraryFolder, TargetState};
use crate::engines::tensile::coverage::{Coverage, GemmService};
use crate::engines::tensile::name::{self, Role};
use crate::engines::tensile::probing::{NEAR, Probing};
use crate::finding::Finding;
use crate::finding::rules::tensile::{HELPER_KERNEL_MISSING, MASTER_MISSING, MASTER_UNREADABLE};
use crate::finding::severity::Severity;
use crate::input::walk;
use crate::inventory::{Artifact, ArtifactKind, Inventory};
use crate::locator::file_name;
use crate::scan::library_names;
use crate::target::TargetId;
use rayon::prelude::*;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One folder of an inventory, checked.
#[derive(Debug)]
pub struct CheckedFolder<'a> {
    /// Whose code it is.
    pub part: LibraryPart<'a>,
    /// The folder as reports show paths.
    pub folder: &'a str,
    /// Whether a library can be asked for it: any of its files is a catalog, or the library is here, too. A
    /// folder of code alone is a part of a package.
    pub is_whole: bool,
    /// The processor whose folder it is, where it is named for one: the library takes it for that processor
    /// alone.
    only: Option<&'a str>,
    /// Processors with a folder of their own in it, where the library looks instead.
    elsewhere: BTreeSet<&'a str>,
    /// Processors that a file of code is for.
    with_code: BTreeSet<&'a str>,
    /// What was found.
    pub found: Consistency,
}

/// What a library folder gives a processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainState {
    /// There is code, and no catalog that leads to it, of any target: a part of a package.
    NoCatalogs,
    /// The library ends the process: no master catalog for the processor, or none that it can read.
    NoMaster(BrokenLink),
    /// Catalogs lead to what is not here. Whether some calls still run.
    Broken(BrokenLink, bool),
    /// Some operations are tuned.
    Tuned,
    /// Calls get the kernels for every target.
    Fallback,
    /// No call gets a kernel.
    Nothing,
    /// Everything is in one catalog, which names no operations, and its kernels are here.
    Whole,
}

/// The first link of a chain that is broken, and what the library then does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLink {
    /// What is missing, as a clause: `TensileLibrary_…_gfx906.co is not there`.
    pub what: String,
    /// What the library does when it gets there.
    pub then: &'static str,
}

/// All library folders of an inventory, checked for these target IDs; for all where none is asked for.
pub(super) fn folders<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    asked: &[TargetId],
) -> Vec<CheckedFolder<'a>> {
    let mut grouped: KeyMap<(LibraryPart<'a>, usize, &'a str), Vec<&'a Artifact>> = KeyMap::new();
    for artifact in inventory.artifacts.iter().filter(|a| matches!(a.kind, ArtifactKind::Tensile(..))) {
        let (folder, _) = artifact.shown.rsplit_once('/').unwrap_or(("", &artifact.shown));
        grouped.entry((parts.part(artifact), artifact.root, folder)).or_default().push(artifact);
    }
    let processors: BTreeSet<&String> = asked.iter().map(|target| &target.processor).collect();
    let processors: Vec<String> = processors.into_iter().cloned().collect();
    let of_processors: BTreeSet<(usize, &str, &str)> = grouped
        .keys()
        .filter_map(|(_, root, folder)| {
            let (outer, only) = name::folder_of_processor(folder)?;
            Some((*root, outer, only))
        })
        .collect();
    let checked = grouped.into_iter().filter_map(|((part, root, folder), files)| {
        let only = name::folder_of_processor(folder).map(|(_, only)| only);
        let inside = of_processors.iter().filter(|(in_root, outer, _)| (*in_root, *outer) == (root, folder));
        let elsewhere: BTreeSet<&str> = inside.map(|(_, _, only)| *only).collect();
        if !processors.is_empty() && only.is_some_and(|only| !processors.iter().any(|asked| asked == only)) {
            return None;
        }
        let processors: Vec<String> =
            processors.iter().filter(|own| only.is_none_or(|only| only == *own)).cloned().collect();
        let probing = files.first().and_then(|file| probing(inventory, part.library, file));
        let owner = FolderOwner::of_library(part.library).unwrap_or(FolderOwner::RocBlas);
        let is_empty =
            |only: &&str| owner == FolderOwner::HipBlasLt && !of_processors.contains(&(root, folder, *only));
        let empty = inventory.processor_folders.iter().filter_map(|(in_root, shown)| {
            let (outer, only) = name::folder_of_processor(shown)?;
            ((*in_root, outer) == (root, folder)).then_some(only)
        });
        let empty: Vec<String> = empty.filter(is_empty).map(str::to_owned).collect();
        let is_asked = |artifact: &Artifact| {
            let own = artifact.named_target.as_ref().map(|target| &target.processor);
            processors.is_empty() || own.is_none_or(|own| processors.contains(own))
        };
        // Only what targets that are asked about can lead to is read, on all cores.
        let contents: Vec<(&Artifact, Option<&FileContent>)> = files
            .into_par_iter()
            .with_max_len(1)
            .map(|artifact| {
                (artifact, content(artifact).filter(|_| is_asked(artifact)).map(LazyContent::get))
            })
            .collect();
        let mut library =
            LibraryFolder::new(PathBuf::from(folder), owner).probed_by(probing).with_empty_folders(empty);
        let mut with_code = BTreeSet::new();
        for (artifact, content) in contents {
            let ArtifactKind::Tensile(role, _) = &artifact.kind else { continue };
            library.add(file_name(&artifact.shown), artifact.bytes, content);
            if *role != Role::Extension {
                let targets = artifact.device.iter().flat_map(|device| device.targets.keys());
                with_code.extend(targets.map(|target| target.processor.as_str()));
            }
        }
        let is_whole = library.has_catalogs() || is_here(inventory, part.library);
        let found = library.check(&processors);
        Some(CheckedFolder { part, folder, is_whole, only, elsewhere, with_code, found })
    });
    checked.collect()
}

/// What the library reads that would load a file of a library folder: the nearest of its name in the folders
/// above.
fn probing(inventory: &Inventory, library: &str, file: &Artifact) -> Option<Probing> {
    let path = walk::installed(file.locator.member.as_deref(), &file.relative);
    let folder_of = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let above = |folder: &str| match folder.is_empty() {
        true => Some(path.matches('/').count()),
        false => Some(path.strip_prefix(folder)?.strip_prefix('/')?.matches('/').count()),
    };
    let near = inventory.linkage.iter().filter_map(|one| {
        let probing = one.probing.as_ref()?;
        let is_its = library_names::of_shared_library(one.name()) == Some(library);
        let far = above(&folder_of(&one.installed)).filter(|far| is_its && *far <= NEAR)?;
        Some((far, probing))
    });
    near.min_by_key(|(far, _)| *far).map(|(_, probing)| probing.clone())
}

fn content(artifact: &Artifact) -> Option<&LazyContent> {
    match &artifact.kind {
        ArtifactKind::Tensile(_, facts) => facts.content.as_deref(),
        _ => None,
    }
}

/// Whether the shared library of this name is in the tree, with device code or without.
fn is_here(inventory: &Inventory, library: &str) -> bool {
    let with_code = |artifact: &Artifact| artifact.library == library && is_binary(artifact);
    inventory.libraries_without_code.iter().any(|(own, _)| own == library)
        || inventory.artifacts.iter().any(with_code)
}

impl CheckedFolder<'_> {
    /// Whether the library looks in it for a processor's files.
    pub fn serves(&self, processor: &str) -> bool {
        !self.elsewhere.contains(processor) && self.only.is_none_or(|only| only == processor)
    }

    fn target(&self, processor: &str) -> Option<&TargetState> {
        self.found.targets.iter().find(|state| state.target == processor && self.serves(processor))
    }

    /// What its catalogs serve a processor; `None` where it has no files for it.
    pub fn coverage(&self, processor: &str) -> Option<&Coverage> {
        self.target(processor).map(|state| &state.coverage)
    }

    /// What it gives a processor; `None` where no file of it is for that. Target IDs that were asked for with
    /// a state of XNACK are answered for that state.
    pub fn state(&self, processor: &str, asked: &[TargetId]) -> Option<ChainState> {
        let state = self.target(processor)?;
        let errors = || self.errors(processor, asked);
        if !self.is_whole {
            return self.with_code.contains(processor).then_some(ChainState::NoCatalogs);
        }
        if !state.is_served {
            let link = errors().next().map(link).or_else(|| self.is_lite_without_master(processor))?;
            return Some(ChainState::NoMaster(link));
        }
        let served = || state.coverage.served.values();
        if let Some(first) = errors().next() {
            let runs = match state.whole {
                Some(chain) => chain.plain.held > 0,
                None => served().any(|served| served.runs()),
            };
            return Some(ChainState::Broken(link(first), runs));
        }
        // Helper kernels that a few solutions can need are a warning, and calls that choose one of these
        // fail.
        if served().any(|served| served.is_broken()) {
            let mut warnings = self.of_severity(Severity::Warning, processor, asked);
            let helper = warnings.find(|finding| finding.rule == &HELPER_KERNEL_MISSING).map(link);
            let unknown =
                || BrokenLink { what: "kernels are missing".to_owned(), then: HELPER_KERNEL_MISSING.effect };
            return Some(ChainState::Broken(helper.unwrap_or_else(unknown), true));
        }
        Some(match state.whole {
            Some(_) => ChainState::Whole,
            None if served().any(|served| *served == GemmService::Tuned) => ChainState::Tuned,
            None if served().any(|served| served.runs()) => ChainState::Fallback,
            None if state.coverage.served.is_empty() && state.solutions > 0 => ChainState::Whole,
            None => ChainState::Nothing,
        })
    }

    /// hipBLASLt's folder with code for a processor and without the catalog that it begins with.
    fn is_lite_without_master(&self, processor: &str) -> Option<BrokenLink> {
        let is_lite = self.found.owner == FolderOwner::HipBlasLt && self.with_code.contains(processor);
        is_lite.then(|| BrokenLink {
            what: format!("TensileLibrary_lazy_{processor}.dat is not here"),
            then: "hipBLASLt fails, and rocBLAS or the caller goes on without it",
        })
    }

    /// What breaks calls on a processor, the worst first.
    fn errors<'s>(&'s self, processor: &'s str, asked: &'s [TargetId]) -> impl Iterator<Item = &'s Finding> {
        self.of_severity(Severity::Error, processor, asked)
    }

    fn of_severity<'s>(
        &'s self,
        severity: Severity,
        processor: &'s str,
        asked: &'s [TargetId],
    ) -> impl Iterator<Item = &'s Finding> {
        let is_asked = move |target: &str| {
            let Some(own) = TargetId::parse(target).filter(|own| own.processor == processor) else {
                return false;
            };
            let asked = || asked.iter().filter(|asked| asked.processor == processor);
            // A device of the other state of XNACK loads other files.
            asked().next().is_none() || asked().any(|asked| asked.loads_on(&own) || own.loads_on(asked))
        };
        let is_error = move |finding: &&Finding| finding.rule.severity == severity;
        let of_target = move |finding: &&Finding| finding.target.as_deref().is_some_and(is_asked);
        self.found.findings.iter().filter(is_error).filter(of_target)
    }
}

fn link(finding: &Finding) -> BrokenLink {
    let place = finding.locations.first();
    let file = place.map_or("", |place| file_name(&place.path));
    let what = match place.map(|place| place.what.as_str()) {
        Some(_) if finding.rule == &MASTER_MISSING => format!("{file} is not here"),
        // A location's text begins with what is wrong with the file.
        Some(what) if finding.rule != &MASTER_UNREADABLE && !what.is_empty() && !file.is_empty() => {
            format!("{file} {what}")
        }
        Some(_) if !file.is_empty() => format!("{file}: {}", finding.rule.what),
        _ => finding.rule.what.to_owned(),
    };
    BrokenLink { what, then: finding.rule.effect }
}
