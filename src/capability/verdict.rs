//! The verdict for a processor: what runs on it, what does not and why, and what could be done instead.

pub use super::answer::{Answer, LibraryVerdict, LinkedLibrary};

use super::coverage::{self, Coverage, LibraryRow};
use super::gemm::{self, GemmRow};
use super::headline::{self, Headline};
use super::layers::Target;
use super::library_part::{LibraryPart, LibraryParts};
use super::overriding::{self, Override, OverrideEffect};
use super::tensile_chain;
use super::variants::words;
use super::{from_sources, library_verdict, without_kernels};
use crate::finding::amount::plural;
use crate::finding::evidence::Evidence;
use crate::inventory::{Artifact, Inventory};
use crate::locator::file_name;
use crate::scan::library_names::{self, Role};
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeMap, BTreeSet};

/// The verdict for one processor.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// The processor.
    pub processor: String,
    /// What follows from all libraries, by what they are for programs.
    pub answer: Answer,
    /// The same in words.
    pub headline: String,
    /// How it is known, where that does not stand beside each library.
    pub evidence: Option<Evidence>,
    /// Each library with device code, the worst first.
    pub libraries: Vec<LibraryVerdict<'a>>,
    /// Files that could not be read in full, and why: what they have is not known.
    pub damaged: BTreeMap<&'a str, &'a str>,
    /// Overrides for the libraries that do not run, in whole or in some files, if code for neighbours is
    /// here. The best comes first; empty unless the processor was asked for.
    pub overrides: Vec<Override>,
    /// The libraries that would run in more parts with the first of them than without.
    pub with_override: Vec<LibraryVerdict<'a>>,
    /// The libraries that do not run with the first of them either, each with its place where it lies in
    /// several.
    pub without_override: Vec<String>,
    /// Whether there is no override only because the code of neighbours is in files of Windows, which has no
    /// such variable.
    pub only_on_windows: bool,
    /// Processors that there is code for.
    pub here: Vec<&'a str>,
}

/// One verdict for each processor that was asked for; where none was, for each that libraries other than the
/// runtime have kernels for.
pub(super) fn verdicts<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    asked: &[TargetId],
    targets: &[Target],
    matrix: &[LibraryRow<'a>],
    gemm: &[GemmRow<'a>],
) -> Vec<Verdict<'a>> {
    let decides = Decides::from_inventory(inventory);
    let here = processors_here(&mut inventory.artifacts.iter(), parts, decides);
    let here_on_linux = processors_here(&mut parts.of_linux(inventory), parts, decides);
    let tried = Overriding { inventory, parts, decides, asked };
    let verdict = |(place, target): (usize, &Target)| {
        let (libraries, damaged) = judged_libraries(inventory, parts, place, target, matrix, gemm);
        let processor = &target.processor;
        let Headline { answer, text: mut headline, evidence } =
            from_sources::beside_libraries(inventory, &libraries)
                .or_else(|| headline::headline_of_libraries(&libraries))
                .unwrap_or_else(|| {
                    without_kernels::headline_without_kernels(inventory, processor, &libraries, &damaged)
                });
        if answer < Answer::Unknown
            && let Some(more) = from_sources::compiled_as_well(inventory, &libraries)
        {
            headline.push_str(&more);
        }
        let is_wanting =
            |row: &LibraryRow<'_>| row.cells.get(place).is_some_and(|c| c.coverage == Coverage::SomeFiles);
        let wanting = !asked.is_empty()
            && (libraries.iter().any(|library| library.answer == Answer::Not)
                || matrix.iter().any(is_wanting));
        let candidates =
            |here: &[&str]| if wanting { overriding::overrides(&target.processor, here) } else { Vec::new() };
        let overrides = candidates(&here_on_linux);
        let only_on_windows = overrides.is_empty() && !candidates(&here).is_empty();
        let with = |best| tried.with(best, &target.processor, &libraries);
        let mut overrides: Vec<WithOverride<'a>> = overrides.into_iter().map(with).collect();
        overrides.retain(|(_, with)| !with.is_empty());
        overrides.sort_by_cached_key(|(best, _)| best.rank());
        let (with_override, without_override) = match overrides.first_mut() {
            Some((_, with)) => {
                let with = std::mem::take(with);
                let without = still_without(&libraries, &with);
                (with, without)
            }
            None => Default::default(),
        };
        if answer == Answer::Not && overrides.first().is_some_and(|(best, _)| best.is_legal()) {
            headline.push_str(WITHOUT_OVERRIDE);
        }
        Verdict {
            with_override,
            without_override,
            overrides: overrides.into_iter().map(|(best, _)| best).collect(),
            only_on_windows,
            processor: target.processor.clone(),
            answer,
            headline,
            evidence,
            libraries,
            damaged,
            here: here.clone(),
        }
    };
    let wanted = |(_, target): &(usize, &Target)| !asked.is_empty() || !target.runtime_kernels_only;
    targets.iter().enumerate().filter(wanted).map(verdict).collect()
}

/// What each library does on the processor at a place of the matrix, the worst last, and the damage that
/// leaves some unknown.
fn judged_libraries<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    place: usize,
    target: &Target,
    matrix: &[LibraryRow<'a>],
    gemm: &[GemmRow<'a>],
) -> (Vec<LibraryVerdict<'a>>, BTreeMap<&'a str, &'a str>) {
    let mut libraries = libraries(inventory, place, &target.processor, matrix, gemm);
    let answers: KeyMap<&str, Answer> = libraries.iter().map(|l| (l.library, l.answer)).collect();
    for library in &mut libraries {
        library.needs = needs(inventory, parts, library, &answers);
    }
    let mut damaged = damaged(inventory);
    for library in &mut libraries {
        unknown_where_damaged(inventory, library, &mut damaged);
    }
    libraries.extend(without_kernels::compiling_beside(inventory, &target.processor, &libraries));
    libraries
        .sort_rows_by(|a, b| (b.answer, a.library.to_lowercase()).cmp(&(a.answer, b.library.to_lowercase())));
    (libraries, damaged)
}

/// What overrides of the version are tried on.
struct Overriding<'o, 'a> {
    inventory: &'a Inventory,
    parts: &'o LibraryParts<'a>,
    decides: Decides,
    asked: &'o [TargetId],
}

impl<'a> Overriding<'_, 'a> {
    /// What an override would have run on a processor, of the libraries that do not run without it.
    fn with(&self, best: Override, processor: &str, libraries: &[LibraryVerdict<'a>]) -> WithOverride<'a> {
        let Overriding { inventory, parts, decides, asked } = *self;
        let claimed = TargetId::bare(best.processor.clone());
        let processors = [best.processor.clone()];
        let linux = parts.of_linux(inventory);
        let folders = tensile_chain::folders(inventory, parts, std::slice::from_ref(&claimed));
        let matrix = coverage::matrix(linux, parts, &folders, &processors, std::slice::from_ref(&claimed));
        let gemm = gemm::gemm_rows(&folders, &|processor| processor == Some(best.processor.as_str()));
        let mut found = self::libraries(inventory, 0, &best.processor, &matrix, &gemm);
        let ids: Vec<TargetId> = asked.iter().cloned().chain([claimed]).collect();
        let shares = overriding::shares_of(inventory, parts, [processor, &best.processor], &ids);
        let shares = shares.into_iter().filter(|(part, _)| decides.library(part.library)).collect();
        found.retain_mut(|library| {
            library.answer != Answer::Not
                && decides.library(library.library)
                && (lacks(libraries, library) || best.is_legal() && more_files(library, &shares))
        });
        let names: BTreeSet<&str> = found.iter().map(|library| library.library).collect();
        let best = Override { brings: overriding::brings(&names, &matrix, &gemm), ..best };
        with_shares(best, found, &shares)
    }
}

/// Which libraries decide whether programs run: code objects outside of any library do where nothing else has
/// code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decides {
    loose: bool,
}

impl Decides {
    pub(crate) fn from_inventory(inventory: &Inventory) -> Self {
        let with_code = inventory.artifacts.iter().filter(|artifact| artifact.device.is_some());
        let others = with_code.map(|artifact| library_names::role(&artifact.library));
        Decides { loose: !others.into_iter().any(Role::decides) }
    }

    pub(crate) fn library(self, library: &str) -> bool {
        let role = library_names::role(library);
        role.decides() || self.loose && role == Role::Loose
    }
}

/// An override, and the libraries that it helps.
type WithOverride<'a> = (Override, Vec<LibraryVerdict<'a>>);

/// How a headline ends where an override that is probably safe brings code.
pub const WITHOUT_OVERRIDE: &str = " without an override";

/// Libraries that programs ask for, have no code for the card, and none with an override that helps others.
fn still_without(libraries: &[LibraryVerdict<'_>], with: &[LibraryVerdict<'_>]) -> Vec<String> {
    let is_helped = |own: &LibraryVerdict<'_>| {
        with.iter().any(|helped| (helped.library, helped.place) == (own.library, own.place))
    };
    let left = libraries.iter().filter(|own| own.answer == Answer::Not && own.role.decides());
    let name = |own: &LibraryVerdict<'_>| match own.place {
        Some(place) => format!("{} in {}", own.library, file_name(place)),
        None => own.library.to_owned(),
    };
    left.filter(|own| !is_helped(own)).map(name).collect()
}

/// Whether a library does not run.
fn lacks(libraries: &[LibraryVerdict<'_>], library: &LibraryVerdict<'_>) -> bool {
    let is_it = |own: &&LibraryVerdict<'_>| own.library == library.library && own.place == library.place;
    libraries.iter().find(is_it).is_some_and(|own| own.answer == Answer::Not)
}

/// Whether more of a library's files would have code with an override, of a library that has some without.
/// Says which then.
fn more_files<'a>(
    library: &mut LibraryVerdict<'a>,
    shares: &KeyMap<LibraryPart<'a>, OverrideEffect<'a>>,
) -> bool {
    let part = LibraryPart { library: library.library, tensile: false, place: library.place };
    let Some(share) = shares.get(&part).filter(|share| share.card == Coverage::SomeFiles) else {
        return false;
    };
    if share.helped.is_empty() {
        return false;
    }
    let mut text = format!("its {} would have code, too", words(&share.helped));
    if !share.with_both.is_empty() {
        text.push_str(&format!("; its {} have some without it", words(&share.with_both)));
    }
    library.reason = text;
    true
}

/// An override with the files that it is needed for and those that it loses.
fn with_shares<'a>(
    mut best: Override,
    found: Vec<LibraryVerdict<'a>>,
    shares: &KeyMap<LibraryPart<'a>, OverrideEffect<'a>>,
) -> WithOverride<'a> {
    let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<String>>();
    best.needed_by = shares.values().flat_map(|share| owned(&share.helped)).collect();
    best.lost_by = shares.values().flat_map(|share| owned(&share.lost)).collect();
    best.brings.libraries = found.len() as u64;
    best.brings.files = shares.values().map(|share| share.weight().0 as u64).sum();
    (best, found)
}

/// Processors that libraries other than the runtime have kernels for, in the order of the table.
fn processors_here<'a>(
    artifacts: &mut dyn Iterator<Item = &'a Artifact>,
    parts: &LibraryParts<'a>,
    decides: Decides,
) -> Vec<&'a str> {
    let artifacts = artifacts.filter(|a| decides.library(&a.library));
    let reached = |artifact: &'a Artifact| {
        let targets = artifact.device.iter().flat_map(|device| &device.targets);
        targets.filter(move |(id, _)| !parts.is_unreached(artifact, &id.processor))
    };
    let with_code = artifacts.flat_map(reached).filter(|(_, code)| code.runnable() > 0);
    let names: BTreeSet<(usize, &str)> =
        with_code.map(|(id, _)| (Processor::rank(&id.processor), id.processor.as_str())).collect();
    names.into_iter().map(|(_, name)| name).collect()
}

/// The libraries for the processor in this place of the matrix: a library's own kernels and those of its
/// Tensile folder together.
fn libraries<'a>(
    inventory: &'a Inventory,
    place: usize,
    processor: &str,
    matrix: &[LibraryRow<'a>],
    gemm: &[GemmRow<'a>],
) -> Vec<LibraryVerdict<'a>> {
    let mut merged: KeyMap<(&str, Option<&str>), LibraryVerdict<'a>> = KeyMap::new();
    for row in matrix {
        let Some(cell) = row.cells.get(place) else { continue };
        let found = library_verdict::judge_library(inventory, row, cell, processor, gemm);
        let key = (row.part.library, row.part.place);
        match merged.get_mut(&key) {
            // A library is as good as the worse of its parts; where they are equal the products say more.
            Some(known) if found.answer >= known.answer => *known = found,
            Some(_) => {}
            None => {
                merged.insert(key, found);
            }
        }
    }
    merged.into_values().collect()
}

/// The libraries with GPU code that the files of a library are linked with.
fn needs<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    library: &LibraryVerdict<'a>,
    answers: &KeyMap<&str, Answer>,
) -> Vec<LinkedLibrary<'a>> {
    // Copies in other places may be of another system.
    let is_own = |artifact: &&'a Artifact| {
        artifact.library == library.library
            && library.place.is_none_or(|place| parts.part(artifact).place == Some(place))
    };
    let files = inventory.artifacts.iter().filter(is_own);
    let sonames: BTreeSet<&str> = files
        .filter_map(|a| a.device.as_ref())
        .flat_map(|device| &device.needed)
        .map(String::as_str)
        .collect();
    let need = |soname: &'a str| {
        let name = library_names::needed_for_kernels(soname)?;
        (name != library.library).then(|| LinkedLibrary { soname, answer: answers.get(name).copied() })
    };
    sonames.into_iter().filter_map(need).collect()
}

/// What runs of a library with a damaged file is not known, whatever the rest of the file has. The library
/// says so then, and not the file by itself.
fn unknown_where_damaged<'a>(
    inventory: &'a Inventory,
    library: &mut LibraryVerdict<'a>,
    damaged: &mut BTreeMap<&'a str, &'a str>,
) {
    let paths = damaged_files_of(inventory, library.library, damaged);
    let mut files = paths.into_iter().filter_map(|path| Some((path, damaged.remove(path)?)));
    let Some((path, what)) = files.next() else { return };
    let more = files.count();
    // What lacks code may have it in what could not be read.
    if library.answer < Answer::Unknown || library.coverage == Coverage::Absent {
        let more = if more > 0 {
            format!(" and {} more", plural(more as u64, "file", "files"))
        } else {
            String::new()
        };
        let rest = std::mem::take(&mut library.reason);
        library.reason =
            format!("{}{more} could not be read whole ({what}); of what could: {rest}", file_name(path));
        (library.answer, library.then) = (Answer::Unknown, None);
    }
}

/// Those of the damaged files that are a library's.
pub(crate) fn damaged_files_of<'a>(
    inventory: &Inventory,
    library: &str,
    damaged: &BTreeMap<&'a str, &'a str>,
) -> Vec<&'a str> {
    let artifacts = inventory.artifacts.iter().filter(|artifact| artifact.library == library);
    let own: BTreeSet<&str> = artifacts.map(|artifact| artifact.shown.as_str()).collect();
    // A file that ends too early may be known by its name only.
    let is_named = |path: &str| library_names::library_name(&path.replace('\\', "/")) == library;
    damaged.keys().copied().filter(|path| own.contains(path) || is_named(path)).collect()
}

/// Files that could not be read in full, each with the first reason.
pub(crate) fn damaged(inventory: &Inventory) -> BTreeMap<&str, &str> {
    let mut files = BTreeMap::new();
    for finding in inventory.findings.iter().filter(|finding| finding.is_damage()) {
        for place in finding.locations.iter().filter(|place| !place.path.is_empty()) {
            let what = if place.what.is_empty() { finding.rule.what } else { place.what.as_str() };
            files.entry(place.path.as_str()).or_insert(what);
        }
    }
    files
}
