//! The verdict for a processor: what runs on it, what does not and why, and what could be done instead.

use super::coverage::{self, Cell, Coverage, LibraryRow, OutOfReach};
use super::gemm::{self, GemmRow, types};
use super::layers::Target;
use super::library_part::{LibraryPart, LibraryParts};
use super::overriding::{self, Override, Share};
use super::variants::{names, releases, words};
use crate::engines::tensile::coverage::Served;
use crate::finding::Finding;
use crate::finding::amount::{plural, thousands};
use crate::finding::evidence::Evidence;
use crate::finding::rules::kpack::ARCHIVE_MISSING;
use crate::inventory::{Artifact, Inventory};
use crate::locator::file_name;
use crate::scan::library_names;
use crate::target::{Processor, TargetId};
use std::collections::{BTreeMap, BTreeSet};

/// Whether something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Kernels for it are here.
    Runs,
    /// It runs, with less than others have.
    Limits,
    /// What was read does not decide it.
    Unknown,
    /// It does not.
    Not,
}

/// What a library does on a processor.
#[derive(Debug)]
pub struct LibraryVerdict<'a> {
    /// The library.
    pub library: &'a str,
    /// The root or the package that it lies in, where it lies in several.
    pub place: Option<&'a str>,
    /// Whether it runs.
    pub answer: Answer,
    /// What it has for the processor: of its own kernels or of those of its Tensile folder, whichever are worse.
    pub coverage: Coverage,
    /// Why, in a clause.
    pub reason: String,
    /// What happens at run time, where it does not run.
    pub then: Option<&'static str>,
    /// Libraries with GPU code that it is linked with.
    pub needs: Vec<Need<'a>>,
    /// How the reason is known.
    pub evidence: Evidence,
}

/// A library that another one is linked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need<'a> {
    /// Its `DT_SONAME`.
    pub soname: &'a str,
    /// Its verdict, where it is here.
    pub answer: Option<Answer>,
}

/// The verdict for one processor.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// The processor.
    pub processor: String,
    /// The worst that any library comes to, but not that of the runtime alone.
    pub answer: Answer,
    /// Each library with device code, the worst first.
    pub libraries: Vec<LibraryVerdict<'a>>,
    /// Files that could not be read in full, and why: what they have is not known.
    pub damaged: BTreeMap<&'a str, &'a str>,
    /// Overrides for the libraries that do not run, or of which some files do not, if code for neighbours is here, the best
    /// first; only where the processor was asked for.
    pub overrides: Vec<Override>,
    /// The libraries of which more would run with the first of them than without.
    pub with_override: Vec<LibraryVerdict<'a>>,
    /// Whether there is no override only because the code of neighbours is in files of Windows, which has no such variable.
    pub only_on_windows: bool,
    /// Processors that there is code for.
    pub here: Vec<&'a str>,
}

/// Libraries whose code alone makes no program run.
pub const RUNTIMES: [&str; 3] = ["HSA runtime", "HIP runtime", "loose code objects"];

/// Libraries that callers do without: they warn, and take another way. Source: PyTorch's `Context.cpp` and rocBLAS's
/// `tensile_host.cpp`, which both go on with rocBLAS's own kernels where hipBLASLt has none.
const DISPENSABLE: [&str; 2] = ["hipBLASLt", "hipSPARSELt"];

/// One verdict for each processor that was asked for; where none was, for each that libraries other than the runtime have
/// kernels for.
pub(super) fn verdicts<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    asked: &[TargetId],
    targets: &[Target],
    matrix: &[LibraryRow<'a>],
    gemm: &[GemmRow<'a>],
) -> Vec<Verdict<'a>> {
    let here = processors_here(&mut inventory.artifacts.iter(), parts);
    let here_on_linux = processors_here(&mut parts.of_linux(inventory), parts);
    let verdict = |(place, target): (usize, &Target)| {
        let mut libraries = libraries(inventory, place, &target.processor, matrix, gemm);
        let answers: BTreeMap<&str, Answer> = libraries.iter().map(|l| (l.library, l.answer)).collect();
        for library in &mut libraries {
            library.needs = needs(inventory, library, &answers);
        }
        let mut damaged = damaged(inventory);
        for library in &mut libraries {
            unknown_where_damaged(inventory, library, &mut damaged);
        }
        libraries
            .sort_by(|a, b| (b.answer, a.library.to_lowercase()).cmp(&(a.answer, b.library.to_lowercase())));
        let decisive: Vec<_> = libraries.iter().filter(|l| !RUNTIMES.contains(&l.library)).collect();
        let worst = match decisive.iter().any(|library| !library.is_dispensable()) {
            true => decisive.iter().map(|library| library.weight()).max(),
            false => decisive.iter().map(|library| library.answer).max(),
        };
        let answer = match worst {
            None if !damaged.is_empty() => Answer::Unknown,
            // What is compiled at run time is compiled for the GPU that is there.
            None if inventory.run_time_compilers.iter().next().is_some() => Answer::Limits,
            None if inventory
                .libraries_without_code
                .iter()
                .any(|(library, _)| library_names::does_without_code(library)) =>
            {
                Answer::Limits
            }
            None => Answer::Not,
            Some(worst) => worst,
        };
        let is_wanting =
            |row: &LibraryRow<'_>| row.cells.get(place).is_some_and(|c| c.coverage == Coverage::SomeFiles);
        let wanting = !asked.is_empty()
            && (libraries.iter().any(|library| library.answer == Answer::Not)
                || matrix.iter().any(is_wanting));
        let candidates =
            |here: &[&str]| if wanting { overriding::overrides(&target.processor, here) } else { Vec::new() };
        let overrides = candidates(&here_on_linux);
        let only_on_windows = overrides.is_empty() && !candidates(&here).is_empty();
        // What each would have run, for libraries that do not run without it.
        let with = |best: Override| {
            let claimed = TargetId::bare(best.processor.clone());
            let processors = [best.processor.clone()];
            let linux = parts.of_linux(inventory);
            let matrix = coverage::matrix(linux, parts, &processors, std::slice::from_ref(&claimed));
            let gemm = gemm::of(inventory, &|processor| processor == Some(best.processor.as_str()));
            let mut found = self::libraries(inventory, 0, &best.processor, &matrix, &gemm);
            let ids: Vec<TargetId> = asked.iter().cloned().chain([claimed]).collect();
            let mut shares =
                overriding::shares_of(inventory, parts, [&target.processor, &best.processor], &ids);
            shares.retain(|part, _| !RUNTIMES.contains(&part.library));
            found.retain_mut(|library| {
                library.answer != Answer::Not
                    && !RUNTIMES.contains(&library.library)
                    && (lacks(&libraries, library) || best.is_legal() && more_files(library, &shares))
            });
            let names: BTreeSet<&str> = found.iter().map(|library| library.library).collect();
            let best = Override { brings: overriding::brings(&names, &matrix, &gemm), ..best };
            with_shares(best, found, &shares)
        };
        let mut overrides: Vec<WithOverride<'a>> = overrides.into_iter().map(with).collect();
        overrides.retain(|(_, with)| !with.is_empty());
        overrides.sort_by_cached_key(|(best, _)| best.rank());
        let with_override = match overrides.first_mut() {
            Some((_, with)) => std::mem::take(with),
            None => Vec::new(),
        };
        Verdict {
            with_override,
            overrides: overrides.into_iter().map(|(best, _)| best).collect(),
            only_on_windows,
            processor: target.processor.clone(),
            answer,
            libraries,
            damaged,
            here: here.clone(),
        }
    };
    let wanted = |(_, target): &(usize, &Target)| !asked.is_empty() || !target.runtime_kernels_only;
    targets.iter().enumerate().filter(wanted).map(verdict).collect()
}

impl LibraryVerdict<'_> {
    /// Whether callers do without it.
    fn is_dispensable(&self) -> bool {
        DISPENSABLE.contains(&self.library)
    }

    /// What it means for a program: what callers do without stops none.
    fn weight(&self) -> Answer {
        if self.is_dispensable() { self.answer.min(Answer::Limits) } else { self.answer }
    }
}

/// An override, and the libraries that it helps.
type WithOverride<'a> = (Override, Vec<LibraryVerdict<'a>>);

/// Whether a library does not run.
fn lacks(libraries: &[LibraryVerdict<'_>], library: &LibraryVerdict<'_>) -> bool {
    let is_it = |own: &&LibraryVerdict<'_>| own.library == library.library && own.place == library.place;
    libraries.iter().find(is_it).is_some_and(|own| own.answer == Answer::Not)
}

/// Whether more of a library's files would have code with an override, of a library that has some without. Says which then.
fn more_files<'a>(library: &mut LibraryVerdict<'a>, shares: &BTreeMap<LibraryPart<'a>, Share<'a>>) -> bool {
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
    shares: &BTreeMap<LibraryPart<'a>, Share<'a>>,
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
) -> Vec<&'a str> {
    let artifacts = artifacts.filter(|a| !RUNTIMES.contains(&a.library.as_str()));
    let reached = |artifact: &'a Artifact| {
        let targets = artifact.device.iter().flat_map(|device| &device.targets);
        targets.filter(move |(id, _)| !parts.is_unreached(artifact, &id.processor))
    };
    let with_code = artifacts.flat_map(reached).filter(|(_, code)| code.runnable() > 0);
    let names: BTreeSet<(usize, &str)> =
        with_code.map(|(id, _)| (Processor::rank(&id.processor), id.processor.as_str())).collect();
    names.into_iter().map(|(_, name)| name).collect()
}

/// The libraries for the processor in this place of the matrix: a library's own kernels and those of its Tensile folder
/// together.
fn libraries<'a>(
    inventory: &'a Inventory,
    place: usize,
    processor: &str,
    matrix: &[LibraryRow<'a>],
    gemm: &[GemmRow<'a>],
) -> Vec<LibraryVerdict<'a>> {
    let mut merged: BTreeMap<(&str, Option<&str>), LibraryVerdict<'a>> = BTreeMap::new();
    for row in matrix {
        let Some(cell) = row.cells.get(place) else { continue };
        let found = of_row(inventory, row, cell, processor, gemm);
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

fn of_row<'a>(
    inventory: &'a Inventory,
    row: &LibraryRow<'a>,
    cell: &Cell<'a>,
    processor: &str,
    gemm: &[GemmRow<'a>],
) -> LibraryVerdict<'a> {
    let tensile = row.part.tensile;
    let tuned = tuned_types(row.part.library, processor, gemm);
    let counted = |n: u64| plural(n, "kernel", "kernels");
    let kernels = match cell.trap_stubs {
        0 => counted(cell.kernels),
        stubs => {
            let runs = thousands(cell.kernels.saturating_sub(stubs));
            // ggml compiles its templates for every target, and routes around what has no body there: the rule `trap-stub`.
            let met = if row.part.library == "ggml" { ", and no launch of one is known" } else { "" };
            format!("{runs} of {} run, the others only trap{met}", counted(cell.kernels))
        }
    };
    let (answer, reason, evidence) = match cell.coverage {
        Coverage::Native if row.archives_alone => {
            let text = format!("{kernels} in kpack archives; the library that loads them is not here");
            (Answer::Limits, text, Evidence::Observed)
        }
        Coverage::Native => {
            let text = tuned.filter(|_| tensile).unwrap_or(kernels);
            (Answer::Runs, text, Evidence::Observed)
        }
        Coverage::SomeFiles => {
            let share = cell.files.as_ref();
            let (with, without) = share.map_or((&[][..], &[][..]), |s| (&s.with[..], &s.without[..]));
            let mut text = match (releases(with), releases(without)) {
                (Some(with), Some(without)) => {
                    format!("its variants for ROCm {with} have code for it, those for {without} not")
                }
                _ => {
                    format!("in {} of {} files only: {}", with.len(), with.len() + without.len(), names(with))
                }
            };
            // Source: bitsandbytes' `cextension.py`, which builds the name from `torch.version.hip`.
            if row.part.library == "bitsandbytes" {
                text.push_str("; the one of PyTorch's ROCm release is loaded");
            }
            (Answer::Limits, text, Evidence::Observed)
        }
        Coverage::Partial => {
            let [with, of] = cell.bundles.unwrap_or_default();
            (Answer::Limits, format!("in {with} of {of} bundles only"), Evidence::Observed)
        }
        Coverage::FallbackOnly => {
            let text = "fallback kernels only: nothing is tuned for it".to_owned();
            (Answer::Limits, text, Evidence::Observed)
        }
        Coverage::Generic => {
            let text = format!("through {}", cell.generic.unwrap_or_default());
            (Answer::Runs, text, Evidence::Code)
        }
        Coverage::RunTime if library_names::compiles_at_run_time(row.part.library) => {
            let text = "it compiles its kernels at run time, for a GPU that its compiler knows".to_owned();
            (Answer::Limits, text, Evidence::Code)
        }
        Coverage::RunTime => (Answer::Limits, "SPIR-V, compiled at run time".to_owned(), Evidence::Observed),
        Coverage::NoKernels if cell.kernels > 0 => {
            (Answer::Not, format!("all of its {} only trap", counted(cell.kernels)), Evidence::Observed)
        }
        Coverage::NoKernels => (Answer::Not, "code objects without kernels".to_owned(), Evidence::Observed),
        Coverage::Absent => {
            let none = if tensile { "no matrix kernels for it" } else { "no code for it" };
            let what =
                cell.out_of_reach.map_or(none.to_owned(), |why| out_of_reach(why, cell.kernels, processor));
            (Answer::Not, what, Evidence::Observed)
        }
    };
    let refused = refused_by_program(inventory, row.part.library, processor);
    let (answer, reason, evidence) = match refused {
        Some(reason) if answer <= Answer::Limits => (Answer::Not, reason, Evidence::Inferred),
        _ => (answer, reason, evidence),
    };
    let in_archives =
        matches!(cell.out_of_reach, Some(OutOfReach::StrayArchive(_) | OutOfReach::NoArchive(_)));
    let then = match answer {
        Answer::Not if in_archives => Some(ARCHIVE_MISSING.effect),
        Answer::Not => consequence(row.part.library, tensile, cell.coverage),
        _ => None,
    };
    LibraryVerdict {
        library: row.part.library,
        place: row.part.place,
        answer,
        coverage: cell.coverage,
        reason,
        then,
        needs: Vec::new(),
        evidence,
    }
}

/// Why a library does not come to its kernels for a processor, as a clause.
fn out_of_reach(why: OutOfReach<'_>, kernels: u64, processor: &str) -> String {
    let kernels = || plural(kernels, "kernel", "kernels");
    match why {
        OutOfReach::NoMasterCatalog => {
            format!("its {} are not found: TensileLibrary_lazy_{processor} is not here", kernels())
        }
        OutOfReach::StrayArchive(at) => {
            format!("it has {} in {}, where it does not look", kernels(), at.shown())
        }
        OutOfReach::NoArchive(reference) => format!(
            "it looks for its code in {}, and there is none for {processor}: its device package brings that",
            reference.paths_for(processor).join(" or ")
        ),
    }
}

/// What a library does at run time where it has nothing for the device. Source: rocBLAS's `tensile_host.cpp`, hipBLASLt's
/// `rocblaslt`, HIP's `hip_fatbin.cpp`.
fn consequence(library: &str, tensile: bool, coverage: Coverage) -> Option<&'static str> {
    match (library, tensile, coverage) {
        ("rocBLAS", true, _) => Some("rocBLAS aborts: it cannot read its catalog for the GPU"),
        ("hipBLASLt", true, _) => Some("hipBLASLt fails, and rocBLAS or the caller goes on without it"),
        (_, _, Coverage::NoKernels) => Some("a kernel that is launched ends the process"),
        (_, false, Coverage::Absent) => {
            Some("HIP finds no code object: hipErrorNoBinaryForGpu, or \"invalid device function\"")
        }
        _ => None,
    }
}

/// Why a program refuses a GPU that it has kernels for, where it says so in its own list.
fn refused_by_program(inventory: &Inventory, library: &str, processor: &str) -> Option<String> {
    let fused = |finding: &&Finding| {
        finding.rule.id == "fused-target-names" && finding.target.as_deref() == Some(processor)
    };
    if library != "TensorFlow" {
        return None;
    }
    if let Some(place) = inventory.findings.iter().find(fused).and_then(|found| found.locations.first()) {
        return Some(format!("the program's own list of GPUs lacks it: {}", place.what));
    }
    let (_, names) = super::agreement::own_lists_without(inventory, processor).next()?;
    Some(format!("the program's own list of GPUs lacks it: {}", names.join(", ")))
}

/// The types that a library's catalogs are tuned for, and those that fall back.
fn tuned_types(library: &str, processor: &str, gemm: &[GemmRow<'_>]) -> Option<String> {
    let row = gemm.iter().find(|row| row.library == library && row.processor == processor)?;
    let (mut tuned, mut fallback) = (Vec::new(), 0);
    for ty in types(&row.coverage) {
        match ty.count(Served::Tuned) {
            0 => fallback += u64::from(ty.count(Served::Fallback) > 0),
            n if n == ty.served.len() as u64 => tuned.push(ty.name.to_owned()),
            n => tuned.push(format!("{} ({n} of {})", ty.name, ty.served.len())),
        }
    }
    let mut text = match tuned.len() {
        0 => "fallback kernels only".to_owned(),
        _ => format!("tuned for {}", tuned.join(" ")),
    };
    if fallback > 0 && !tuned.is_empty() {
        let types = if fallback == 1 { "type" } else { "types" };
        text.push_str(&format!("; fallback for {fallback} other {types}"));
    }
    Some(text)
}

/// The libraries with GPU code that the files of a library are linked with.
fn needs<'a>(
    inventory: &'a Inventory,
    library: &LibraryVerdict<'a>,
    answers: &BTreeMap<&str, Answer>,
) -> Vec<Need<'a>> {
    let files = inventory.artifacts.iter().filter(|artifact| artifact.library == library.library);
    let sonames: BTreeSet<&str> = files
        .filter_map(|a| a.device.as_ref())
        .flat_map(|device| &device.needed)
        .map(String::as_str)
        .collect();
    let need = |soname: &'a str| {
        let name = library_names::of_shared_library(soname)?;
        (name != library.library && !RUNTIMES.contains(&name))
            .then(|| Need { soname, answer: answers.get(name).copied() })
    };
    sonames.into_iter().filter_map(need).collect()
}

/// What runs of a library with a damaged file is not known, whatever the rest of the file has. The library says so then, and
/// not the file by itself.
fn unknown_where_damaged<'a>(
    inventory: &'a Inventory,
    library: &mut LibraryVerdict<'a>,
    damaged: &mut BTreeMap<&'a str, &'a str>,
) {
    let own = inventory.artifacts.iter().filter(|artifact| artifact.library == library.library);
    let mut paths: BTreeSet<&str> = own.map(|artifact| artifact.shown.as_str()).collect();
    // A file that ends too early may be known by its name only.
    paths
        .extend(damaged.keys().filter(|path| library_names::of(&path.replace('\\', "/")) == library.library));
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

/// Files that could not be read in full, each with the first reason.
fn damaged(inventory: &Inventory) -> BTreeMap<&str, &str> {
    let mut files = BTreeMap::new();
    for finding in inventory.findings.iter().filter(|finding| finding.is_damage()) {
        for place in finding.locations.iter().filter(|place| !place.path.is_empty()) {
            let what = if place.what.is_empty() { finding.rule.what } else { place.what.as_str() };
            files.entry(place.path.as_str()).or_insert(what);
        }
    }
    files
}
