//! Compares two reports: what changed, and which changes are regressions.

use super::instruction_mix::InstructionMix;
use super::kernel_table::KernelTable;
use super::regressions::regressions;
use super::snapshot::{Library, LibrarySupport, Snapshot, without_numbers};
use crate::capability::coverage::Coverage;
use crate::engines::tensile::name::without_form;
use crate::finding::Finding;
use crate::locator::file_name;
use crate::report::v1::{
    self, BytesChange, CountChange, CoverageChange, DiffReport, FileChanges, FileRename, FileSize,
    FindingChanges, FindingName, LibraryChange, SelectionChanges, SideVerdict, VerdictChange, VersionChange,
};
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeMap, BTreeSet};

/// One side of a comparison.
#[derive(Debug)]
pub struct ComparedSide<'a> {
    /// The path as the call names it.
    pub path: &'a str,
    /// Whether it is a saved report.
    pub saved: bool,
    /// What the report says.
    pub snapshot: Snapshot,
    /// Its kernels, if it was audited in this run.
    pub kernels: Option<KernelTable>,
    /// Its instructions, if the call asked.
    pub instructions: Option<InstructionMix>,
    /// The verdicts on the cards of the call.
    pub verdicts: Vec<v1::Verdict>,
    /// What could not be read in this run, and other findings.
    pub findings: Vec<v1::Finding>,
}

/// What the libraries of both sides choose, if the call asked.
#[derive(Debug, Default)]
pub struct ChosenOnBothSides {
    /// Differences in the choices.
    pub selections: Option<SelectionChanges>,
    /// Malformed lines in the file of problems.
    pub wrong: Vec<Finding>,
}

/// Compares two sides. If the new one is more than `bigger` percent larger in bytes, that is a regression. If
/// `only` is not empty, libraries, kernels and numbers are compared for these processors only, and files that
/// name another one are left out.
pub fn diff(
    old: ComparedSide<'_>,
    new: ComparedSide<'_>,
    chosen: ChosenOnBothSides,
    bigger: Option<f64>,
    only: &[TargetId],
) -> DiffReport {
    let now = old
        .findings
        .into_iter()
        .chain(new.findings)
        .chain(crate::report::findings::rows(&chosen.wrong))
        .collect();
    let (before, after) = (&old.snapshot, &new.snapshot);
    let coverage = coverage_changes(before, after);
    let libraries = library_changes(before, after);
    let kernels = match (&old.kernels, &new.kernels) {
        (Some(old), Some(new)) => Some(old.changes(new)),
        _ => None,
    };
    let instructions = match (&old.instructions, &new.instructions) {
        (Some(old), Some(new)) => {
            let only = only.iter().map(|target| target.processor.as_str()).collect();
            Some(old.changes(new, &only))
        }
        _ => None,
    };
    let counts = count_changes(before, after);
    let verdicts = verdict_changes(&old.verdicts, &new.verdicts);
    let (old, new) = (before.side(old.path, old.saved), after.side(new.path, new.saved));
    let found = v1::Found::from_findings(now);
    let mut report = DiffReport {
        header: v1::Header::from_document(v1::document::DIFF),
        found: v1::Found { complete: found.complete && old.complete && new.complete, ..found },
        old,
        new,
        verdicts,
        regressions: Vec::new(),
        failed_because: Vec::new(),
        libraries,
        coverage,
        counts,
        kernels,
        instructions,
        selections: chosen.selections,
        files: file_changes(before, after, only),
        finding_changes: finding_changes(before, after),
        device_bytes: bytes_changes(&before.device_bytes, &after.device_bytes),
        versions: version_changes(before, after),
    };
    if !only.is_empty() {
        restrict(&mut report, only);
    }
    report.regressions = regressions(&report, bigger);
    report
}

/// The verdicts that both sides have.
fn verdict_changes(before: &[v1::Verdict], after: &[v1::Verdict]) -> Vec<VerdictChange> {
    let side =
        |verdict: &v1::Verdict| SideVerdict { answer: verdict.answer, headline: verdict.headline.clone() };
    let change = |old: &v1::Verdict| {
        let new = after.iter().find(|new| new.processor == old.processor)?;
        let (processor, products) = (old.processor.clone(), old.products.clone());
        Some(VerdictChange { processor, products, before: side(old), after: side(new) })
    };
    before.iter().filter_map(change).collect()
}

/// Removes everything that belongs to other processors.
fn restrict(report: &mut DiffReport, only: &[TargetId]) {
    let is_wanted = |processor: &str| only.iter().any(|target| target.processor == processor);
    let loads =
        |target: &str| TargetId::parse(target).is_none_or(|own| only.iter().any(|agent| own.loads_on(agent)));
    for library in &mut report.libraries {
        library.processors.retain(|processor| is_wanted(processor));
    }
    report.libraries.retain(|library| !library.processors.is_empty());
    report.coverage.retain(|row| is_wanted(&row.processor));
    report.counts.retain(|row| row.processor.is_empty() || is_wanted(&row.processor));
    if let Some(kernels) = &mut report.kernels {
        kernels.targets.retain(|row| loads(&row.target));
        kernels.lost.retain(|kernel| loads(&kernel.target));
        kernels.added.retain(|kernel| loads(&kernel.target));
        kernels.renamed.retain(|pair| loads(&pair.target));
        kernels.changed.retain(|change| loads(&change.kernel.target));
    }
}

/// The targets that a library has code for.
fn served(cells: &KeyMap<String, LibrarySupport>) -> Vec<String> {
    let has = cells.iter().filter(|(_, has)| has.coverage.runs()).map(|(processor, _)| processor);
    ranked(has.collect()).into_iter().cloned().collect()
}

/// Processors in the order of their table, as everywhere: gfx908 before gfx1010.
fn ranked(processors: BTreeSet<&String>) -> Vec<&String> {
    let mut all: Vec<&String> = processors.into_iter().collect();
    all.sort_by_cached_key(|processor| Processor::rank(processor));
    all
}

fn library_changes(before: &Snapshot, after: &Snapshot) -> Vec<LibraryChange> {
    let only = |one: &Snapshot, other: &Snapshot, lost: bool| -> Vec<LibraryChange> {
        let missing = one.libraries.iter().filter(|(key, _)| !other.libraries.contains_key(*key));
        let change = |((library, tensile), cells): (&Library, &KeyMap<String, LibrarySupport>)| {
            LibraryChange { library: library.clone(), tensile: *tensile, lost, processors: served(cells) }
        };
        missing.map(change).filter(|change| !change.processors.is_empty()).collect()
    };
    only(before, after, true).into_iter().chain(only(after, before, false)).collect()
}

/// Changes in coverage. A processor that one side does not know has no code there.
fn coverage_changes(before: &Snapshot, after: &Snapshot) -> Vec<CoverageChange> {
    let mut rows = Vec::new();
    for ((library, tensile), old) in &before.libraries {
        let Some(new) = after.libraries.get(&(library.clone(), *tensile)) else { continue };
        for processor in ranked(old.keys().chain(new.keys()).collect()) {
            let of = |cells: &KeyMap<String, LibrarySupport>| {
                cells.get(processor).map_or(Coverage::Absent, |has| has.coverage)
            };
            let (was, is) = (of(old), of(new));
            if was != is {
                rows.push(CoverageChange {
                    library: library.clone(),
                    tensile: *tensile,
                    processor: processor.clone(),
                    before: was,
                    after: is,
                    is_worse: is.rank() > was.rank(),
                });
            }
        }
    }
    rows.sort_rows_by_key(|row| !row.is_worse);
    rows
}

fn count_changes(before: &Snapshot, after: &Snapshot) -> Vec<CountChange> {
    let mut rows = Vec::new();
    let mut add = |of: &str, processor: &str, what: &str, (before, after): (u64, u64)| {
        if before != after {
            rows.push(CountChange {
                of: of.to_owned(),
                processor: processor.to_owned(),
                what: what.to_owned(),
                before,
                after,
            });
        }
    };
    // Adds whole libraries and processors that appear or disappear.
    for ((library, tensile), old) in before.libraries.iter().filter(|((_, tensile), _)| !tensile) {
        let Some(new) = after.libraries.get(&(library.clone(), *tensile)) else { continue };
        for processor in ranked(old.keys().collect()) {
            let runs = |cells: &'_ KeyMap<String, LibrarySupport>| {
                cells.get(processor).filter(|has| has.coverage.runs()).copied()
            };
            let (Some(old), Some(new)) = (runs(old), runs(new)) else { continue };
            add(library, processor, "code objects", (old.code_objects, new.code_objects));
            add(library, processor, "kernels", (old.kernels, new.kernels));
        }
    }
    for (what, before, after) in
        [("solutions", &before.solutions, &after.solutions), ("records", &before.records, &after.records)]
    {
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let mut keys: Vec<&(String, String)> = keys.into_iter().collect();
        keys.sort_by_cached_key(|(of, processor)| (of, Processor::rank(processor)));
        // One release has one catalog for all targets and another has one for each: then the files of a
        // target cannot be compared.
        let together: BTreeSet<&String> =
            keys.iter().filter(|(_, processor)| processor.is_empty()).map(|(of, _)| of).collect();
        for key in keys.iter().filter(|(of, _)| !together.contains(of)) {
            let of = |all: &KeyMap<(String, String), u64>| all.get(*key).copied().unwrap_or_default();
            add(&key.0, &key.1, what, (of(before), of(after)));
        }
        for library in together {
            let of = |all: &KeyMap<(String, String), u64>| {
                all.iter().filter(|((of, _), _)| of == library).map(|(_, count)| *count).sum()
            };
            add(library, "", what, (of(before), of(after)));
        }
    }
    rows
}

/// Findings in files for which the other side has no such finding. A finding is not new when only its first
/// file changed because the old one is gone.
fn finding_changes(before: &Snapshot, after: &Snapshot) -> FindingChanges {
    let only = |one: &Snapshot, other: &Snapshot| {
        let missing = |(key, files): (_, &KeyMap<String, FindingName>)| {
            let known = other.findings.get(key);
            let mut only =
                files.iter().filter(|(file, _)| !known.is_some_and(|known| known.contains_key(*file)));
            only.next().map(|(_, finding)| finding.clone())
        };
        one.findings.iter().filter_map(missing).collect()
    };
    FindingChanges { new: only(after, before), gone: only(before, after) }
}

/// Pairs files by path; files on one side only are paired by their paths without versions, if these are
/// unique.
fn file_changes(before: &Snapshot, after: &Snapshot, asked: &[TargetId]) -> FileChanges {
    let mut changes = FileChanges::default();
    let only = |one: &Snapshot, other: &Snapshot| -> Vec<FileSize> {
        let missing = one.files.iter().filter(|(path, _)| !other.files.contains_key(*path));
        let size = |(path, (library, bytes)): (&String, &(String, u64))| FileSize {
            path: path.clone(),
            library: library.clone(),
            bytes: *bytes,
        };
        missing.map(size).collect()
    };
    let (mut lost, mut added) = (only(before, after), only(after, before));
    let by_name = |files: &[FileSize]| {
        let mut names: KeyMap<String, Option<usize>> = KeyMap::new();
        for (place, file) in files.iter().enumerate() {
            names.entry(without_numbers(&file.path)).and_modify(|known| *known = None).or_insert(Some(place));
        }
        names
    };
    let news = by_name(&added);
    let mut matched = KeyMap::new();
    for (name, old) in by_name(&lost) {
        if let (Some(old), Some(Some(new))) = (old, news.get(&name)) {
            matched.insert(old, *new);
        }
    }
    // A library folder written in another form (as zlib streams, or one folder for each processor) has the
    // same files.
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    let taken: BTreeSet<usize> = matched.values().copied().collect();
    for (place, file) in added.iter().enumerate().filter(|(place, _)| !taken.contains(place)) {
        forms.entry(without_numbers(&without_form(&file.path))).or_insert(place);
    }
    for (place, file) in lost.iter().enumerate() {
        if !matched.contains_key(&place)
            && let Some(new) = forms.remove(&without_numbers(&without_form(&file.path)))
        {
            matched.insert(place, new);
        }
    }
    for (old, new) in &matched {
        if let (Some(old), Some(new)) = (lost.get(*old), added.get(*new)) {
            changes.renamed.push(FileRename {
                before: old.path.clone(),
                after: new.path.clone(),
                bytes_before: old.bytes,
                bytes_after: new.bytes,
            });
        }
    }
    let gone: BTreeSet<usize> = matched.values().copied().collect();
    let is_asked = |file: &FileSize| {
        let named = Processor::first_in(file_name(&file.path));
        asked.is_empty() || named.is_none_or(|named| asked.iter().any(|one| one.processor == named.name()))
    };
    let mut place = 0..;
    lost.retain(|file| place.next().is_none_or(|place| !matched.contains_key(&place)) && is_asked(file));
    let mut place = 0..;
    added.retain(|file| place.next().is_none_or(|place| !gone.contains(&place)) && is_asked(file));
    (changes.lost, changes.added) = (lost, added);
    for (path, (_, old)) in &before.files {
        if let Some((_, new)) = after.files.get(path).filter(|(_, new)| new != old) {
            changes.resized.push(BytesChange { of: path.clone(), before: *old, after: *new });
        }
    }
    changes
}

fn bytes_changes(before: &KeyMap<String, u64>, after: &KeyMap<String, u64>) -> Vec<BytesChange> {
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |of: &String| {
        let (before, after) =
            (before.get(of).copied().unwrap_or_default(), after.get(of).copied().unwrap_or_default());
        BytesChange { of: of.clone(), before, after }
    };
    all.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

fn version_changes(before: &Snapshot, after: &Snapshot) -> Vec<VersionChange> {
    let all: BTreeSet<&String> = before.versions.keys().chain(after.versions.keys()).collect();
    let change = |of: &String| VersionChange {
        component: of.clone(),
        before: before.versions.get(of).cloned(),
        after: after.versions.get(of).cloned(),
    };
    all.into_iter().map(change).filter(|change| change.before != change.after).collect()
}
