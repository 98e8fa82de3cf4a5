//! The verdict for a processor: what runs on it, what does not and why, and what could be done instead.

use super::coverage::{self, Cell, Coverage, LibraryRow};
use super::gemm::{self, GemmRow, types};
use super::layers::Target;
use super::library_part::LibraryParts;
use crate::engines::tensile::coverage::Served;
use crate::finding::Finding;
use crate::finding::amount::{plural, thousands};
use crate::finding::evidence::Evidence;
use crate::inventory::Inventory;
use crate::isa::processor::Isa;
use crate::locator::file_name;
use crate::scan::library_names;
use crate::target::{Family, GfxVersion, Processor, TargetId};
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

/// What `HSA_OVERRIDE_GFX_VERSION` could make of code for another processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The processor whose code would be loaded.
    pub processor: String,
    /// The value of the variable: `10.3.0`.
    pub value: String,
    /// Whether the card has every instruction of that processor, in every bit.
    pub is_legal: bool,
    /// Instructions of that processor that the card lacks or has under other bits; which of them are in the code is for
    /// decoding to say.
    pub lacking: u64,
    /// Features of that processor that decoding cannot judge and that the card lacks.
    pub features: Vec<&'static str>,
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
    /// Overrides for the libraries that do not run, if code for neighbours is here, the best first; only where the processor
    /// was asked for.
    pub overrides: Vec<Override>,
    /// The libraries that would run with the first of them and do not without.
    pub with_override: Vec<LibraryVerdict<'a>>,
    /// Processors that there is code for.
    pub here: Vec<&'a str>,
}

/// Features of instruction sets that decide whether code of a neighbour runs as it was compiled to, and that no instruction
/// shows.
const ALLOCATION: [&str; 1] = ["allocate1_5xvgprs"];

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
    let here = processors_here(inventory);
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
        let wanting = !asked.is_empty() && libraries.iter().any(|library| library.answer == Answer::Not);
        let overrides = if wanting { overrides(&target.processor, &here) } else { Vec::new() };
        // What each would have run, for libraries that do not run without it.
        let with = |best: &Override| {
            let claimed = TargetId::bare(best.processor.clone());
            let processors = [best.processor.clone()];
            let matrix = coverage::matrix(inventory, parts, &processors, std::slice::from_ref(&claimed));
            let gemm = gemm::of(inventory, &|processor| processor == Some(best.processor.as_str()));
            let mut found = self::libraries(inventory, 0, &best.processor, &matrix, &gemm);
            found.retain(|l| {
                l.answer != Answer::Not && !RUNTIMES.contains(&l.library) && lacks(&libraries, l.library)
            });
            found
        };
        let mut overrides: Vec<(Override, Vec<LibraryVerdict<'a>>)> =
            overrides.into_iter().map(|best| (with(&best), best)).map(|(with, best)| (best, with)).collect();
        overrides.retain(|(_, with)| !with.is_empty());
        let with_override = match overrides.first_mut() {
            Some((_, with)) => std::mem::take(with),
            None => Vec::new(),
        };
        Verdict {
            with_override,
            overrides: overrides.into_iter().map(|(best, _)| best).collect(),
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

/// Whether a library does not run.
fn lacks(libraries: &[LibraryVerdict<'_>], library: &str) -> bool {
    libraries.iter().any(|own| own.library == library && own.answer == Answer::Not)
}

/// Processors that libraries other than the runtime have kernels for, in the order of the table.
fn processors_here(inventory: &Inventory) -> Vec<&str> {
    let artifacts = inventory.artifacts.iter().filter(|a| !RUNTIMES.contains(&a.library.as_str()));
    let targets = artifacts.filter_map(|a| a.device.as_ref()).flat_map(|device| &device.targets);
    let with_code = targets.filter(|(_, code)| code.runnable() > 0);
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
            let what = if tensile { "no matrix kernels for it" } else { "no code for it" };
            (Answer::Not, what.to_owned(), Evidence::Observed)
        }
    };
    let refused = refused_by_program(inventory, row.part.library, processor);
    let (answer, reason, evidence) = match refused {
        Some(reason) if answer <= Answer::Limits => (Answer::Not, reason, Evidence::Inferred),
        _ => (answer, reason, evidence),
    };
    let then =
        (answer == Answer::Not).then(|| consequence(row.part.library, tensile, cell.coverage)).flatten();
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
    let mut files =
        own.filter_map(|artifact| Some((artifact.shown.as_str(), damaged.remove(artifact.shown.as_str())?)));
    let Some((path, what)) = files.next() else { return };
    let more = files.count();
    if library.answer < Answer::Unknown {
        let more = if more > 0 {
            format!(" and {} more", plural(more as u64, "file", "files"))
        } else {
            String::new()
        };
        let rest = std::mem::take(&mut library.reason);
        library.reason =
            format!("{}{more} could not be read whole ({what}); of what could: {rest}", file_name(path));
        library.answer = Answer::Unknown;
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

/// What the code of neighbours, of the same major version, would find on a processor; the most similar first.
pub fn overrides(processor: &str, here: &[&str]) -> Vec<Override> {
    let (Some(own), Some(version), Some(family)) =
        (Isa::by_name(processor), GfxVersion::of(processor), Processor::by_name(processor).map(|p| p.family))
    else {
        return Vec::new();
    };
    // Accelerators and graphics chips of one major version have little in common.
    let is_cdna =
        |family: Family| matches!(family, Family::Cdna1 | Family::Cdna2 | Family::Cdna3 | Family::Cdna4);
    let neighbour = |other: &&&str| {
        let known = Processor::by_name(other).filter(|p| p.family != Family::Generic);
        **other != processor
            && known.is_some_and(|p| is_cdna(p.family) == is_cdna(family))
            && GfxVersion::of(other).is_some_and(|v| v.major == version.major)
    };
    let compared = |other: &&str| {
        let there = Isa::by_name(other)?;
        let v = GfxVersion::of(other)?;
        let same = own.family().contains(other);
        let lacking = match same {
            true => 0,
            false => {
                let has = own.mnemonics();
                let lacks = there.mnemonics().difference(&has).count();
                (lacks + there.renamed(own).len() + there.moved(own).len()) as u64
            }
        };
        let lacks =
            |feature: &&'static str| there.features.contains(feature) && !own.features.contains(feature);
        Some(Override {
            processor: (*other).to_owned(),
            value: format!("{}.{}.{}", v.major, v.minor?, v.stepping?),
            is_legal: lacking == 0,
            lacking,
            features: ALLOCATION.into_iter().filter(lacks).collect(),
        })
    };
    let mut all: Vec<Override> = here.iter().filter(neighbour).filter_map(compared).collect();
    let distance = |other: &str| Processor::rank(other).abs_diff(Processor::rank(processor));
    all.sort_by_key(|o| (!o.is_legal, o.features.len(), o.lacking, distance(&o.processor)));
    all
}

/// The releases of ROCm that variants of a library are for, by their names: `6.4, 7.0, 7.14` of `libx_rocm64.so` and so on;
/// none where a name says none.
fn releases(paths: &[&str]) -> Option<String> {
    let release = |path: &&str| -> Option<(u32, u32)> {
        let (_, rest) = file_name(path).rsplit_once("_rocm")?;
        let digits = rest.split('.').next()?;
        let (major, minor) = (digits.get(..1)?, digits.get(1..)?);
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let all: Option<BTreeSet<(u32, u32)>> = paths.iter().map(release).collect();
    let all = all.filter(|all| !all.is_empty())?;
    let names: Vec<String> = all.into_iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    Some(names.join(", "))
}

fn names(paths: &[&str]) -> String {
    let names: Vec<&str> = paths.iter().map(|path| file_name(path)).collect();
    match &names[..] {
        [] => String::new(),
        names if names.len() > MOST_NAMES => {
            format!(
                "{} and {} more",
                names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", "),
                names.len() - MOST_NAMES
            )
        }
        names => names.join(", "),
    }
}

/// Files that are named in a clause.
const MOST_NAMES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_say_their_release() {
        let of = |paths: &[&str]| releases(paths);
        assert_eq!(of(&["x/libb_rocm72.so", "x/libb_rocm714.so"]).as_deref(), Some("7.2, 7.14"));
        assert_eq!(of(&["w.whl!/b/libb_rocm64.dll"]).as_deref(), Some("6.4"));
        assert_eq!(of(&["x/libb_rocm72.so", "x/libb_hip.so"]), None, "one of them is of no release");
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["x/libb_rocm.so"]), None);
    }

    #[test]
    fn the_override_is_the_neighbour_whose_code_is_most_alike() {
        let best = |processor: &str, here: &[&str]| {
            let all = overrides(processor, here);
            all.first().map(|o| (o.value.clone(), o.is_legal, o.features.is_empty()))
        };
        let legal = |value: &str| Some((value.to_owned(), true, true));
        // By LLVM's tables: gfx1030 and gfx1032 have the same instructions; so have gfx1102 and gfx1103, and gfx1100 allocates
        // registers otherwise.
        assert_eq!(best("gfx1032", &["gfx900", "gfx1030", "gfx1100"]), legal("10.3.0"));
        assert_eq!(best("gfx1103", &["gfx1100", "gfx1101", "gfx1102"]), legal("11.0.2"));
        assert_eq!(best("gfx1201", &["gfx1200", "gfx1100"]), legal("12.0.0"));
        let crosses = overrides("gfx1010", &["gfx1030"]);
        assert!(!crosses[0].is_legal && crosses[0].lacking > 0, "{crosses:?}");
        assert!(overrides("gfx1201", &["gfx1100"]).is_empty(), "another major version");
        assert!(overrides("gfx906", &["gfx90a"]).is_empty(), "an accelerator");
    }
}
