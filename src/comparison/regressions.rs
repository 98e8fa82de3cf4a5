//! Which of the changes between two sides are regressions, such as a library that a target lost.

use crate::finding::amount::{plural, thousands};
use crate::report::v1::{
    self, CountChange, DiffReport, KernelChanges, KernelTargetChange, LibraryChange, Regression,
    RegressionKind, SelectionVerdict,
};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The regressions, worst first.
pub(super) fn regressions(report: &DiffReport, bigger: Option<f64>) -> Vec<Regression> {
    let mut all = lost_libraries(report);
    all.extend(less_coverage(report));
    all.extend(report.kernels.iter().flat_map(worse_kernels));
    all.extend(worse_selections(report));
    all.extend(fewer_records(report));
    all.extend(lost_files(report));
    all.extend(report.finding_changes.new.iter().filter(|finding| finding.severity != "note").map(
        |finding| {
            let target = finding.target.as_ref().map(|target| format!(" for {target}")).unwrap_or_default();
            let file = if finding.file.is_empty() { String::new() } else { format!(" ({})", finding.file) };
            let what = format!("{}: {}{target}{file}", finding.id, finding.what);
            Regression { kind: RegressionKind::NewFinding, what, count: 1 }
        },
    ));
    all.extend(bigger.and_then(|percent| bigger_files(report, percent)));
    all.retain(|regression| regression.count > 0);
    if !report.new.complete {
        let is_lost = |kind| {
            matches!(kind, RegressionKind::LostTarget | RegressionKind::LostKernel | RegressionKind::LostFile)
        };
        let lost = all.iter_mut().filter(|regression| is_lost(regression.kind));
        lost.for_each(|regression| regression.what.push_str(", unless it is in what could not be read"));
    }
    all.sort_rows_by_key(|regression| (regression.kind, std::cmp::Reverse(regression.count)));
    all
}

/// Libraries that are gone.
fn lost_libraries(report: &DiffReport) -> Vec<Regression> {
    let gone = report.libraries.iter().filter(|library| library.lost);
    let regression = |library: &LibraryChange| Regression {
        kind: RegressionKind::LostTarget,
        what: format!(
            "{} is gone, with code for {}",
            name(&library.library, library.tensile),
            library.processors.join(", ")
        ),
        count: library.processors.len() as u64,
    };
    gone.map(regression).collect()
}

/// Processors that a library has less for, or nothing any more.
fn less_coverage(report: &DiffReport) -> Vec<Regression> {
    let runs = |coverage: v1::Coverage| {
        !matches!(
            coverage,
            v1::Coverage::Broken | v1::Coverage::NotKnown | v1::Coverage::NoKernels | v1::Coverage::Absent
        )
    };
    let mut all = Vec::new();
    let mut lost: KeyMap<(String, bool), Vec<&str>> = KeyMap::new();
    for row in report.coverage.iter().filter(|row| row.is_worse) {
        let library = name(&row.library, row.tensile);
        if runs(row.before) && !runs(row.after) {
            lost.entry((library, row.after == v1::Coverage::Broken)).or_default().push(&row.processor);
        } else {
            let (before, after) = (word(row.before), word(row.after));
            let what = format!("{library} has less for {}: {before} before, {after} now", row.processor);
            all.push(Regression { kind: RegressionKind::LessCoverage, what, count: 1 });
        }
    }
    all.extend(lost.into_iter().map(|((library, is_broken), processors)| {
        let named = processors.join(", ");
        let what = match is_broken {
            true => format!("calls of {library} fail now on {named}: parts of it are missing"),
            false => format!("{library} has no code any more for {named}"),
        };
        Regression { kind: RegressionKind::LostTarget, what, count: processors.len() as u64 }
    }));
    all
}

/// Kernels that are gone, spill more or need more scratch, or leave room for fewer waves.
fn worse_kernels(kernels: &KernelChanges) -> Vec<Regression> {
    let both = |target: &&KernelTargetChange| target.before > 0 && target.after > 0;
    let ways = [
        (
            RegressionKind::LostKernel,
            ["is gone", "are gone"],
            kernels
                .targets
                .iter()
                .filter(both)
                .map(|target| (target.lost, target.target.as_str()))
                .collect::<Vec<_>>(),
        ),
        (
            RegressionKind::MoreSpills,
            ["spills more or needs more scratch", "spill more or need more scratch"],
            kernels.targets.iter().map(|target| (target.spill_more, target.target.as_str())).collect(),
        ),
        (
            RegressionKind::LowerOccupancy,
            ["leaves room for fewer waves", "leave room for fewer waves"],
            kernels.targets.iter().map(|target| (target.lower_occupancy, target.target.as_str())).collect(),
        ),
        (
            RegressionKind::FewerWaits,
            [
                "waits less often, for as many memory instructions or more",
                "wait less often, for as many memory instructions or more",
            ],
            kernels
                .targets
                .iter()
                .map(|target| (target.code.map_or(0, |code| code.fewer_waits), target.target.as_str()))
                .collect(),
        ),
    ];
    let regressions = ways.into_iter().flat_map(|(kind, [one, several], counts)| {
        alike(counts.into_iter()).into_iter().map(move |(count, targets)| Regression {
            kind,
            what: format!(
                "{} of {} {}",
                kernels_each(count, &targets),
                targets.join(", "),
                if count == 1 && targets.len() == 1 { one } else { several }
            ),
            count: count * targets.len() as u64,
        })
    });
    regressions.collect()
}

/// Problems that a library answers by a worse kind of kernel.
fn worse_selections(report: &DiffReport) -> Vec<Regression> {
    let worse = report.selections.iter().flat_map(|selections| &selections.changed);
    let mut ways: KeyMap<(&str, &str, &str, &str), u64> = KeyMap::new();
    for change in worse.filter(|change| change.verdict == SelectionVerdict::Worse) {
        let ends = (change.before.kind.as_str(), change.after.kind.as_str());
        *ways.entry((&change.target, &change.library, ends.0, ends.1)).or_default() += 1;
    }
    let regression = |((target, library, before, after), count)| {
        let problems = plural(count, "problem", "problems");
        let what = format!("{library} for {target}: {problems} from {before} to {after}");
        Regression { kind: RegressionKind::WorseSelection, what, count }
    };
    ways.into_iter().map(regression).collect()
}

/// Catalogs and databases with fewer solutions or records.
fn fewer_records(report: &DiffReport) -> Vec<Regression> {
    let fewer = report.counts.iter().filter(|row| row.after < row.before);
    let regression = |row: &CountChange| {
        // If one release has a catalog for all targets and the other one for each, compare the sums.
        let of_all = |side: fn(&CountChange) -> u64| -> u64 {
            let alike = |other: &&CountChange| other.of == row.of && other.what == row.what;
            report.counts.iter().filter(alike).map(side).sum()
        };
        let is_moved = row.processor.is_empty() && of_all(|row| row.after) >= of_all(|row| row.before);
        if is_moved || !["solutions", "records"].contains(&row.what.as_str()) {
            return None;
        }
        let what = format!(
            "{} has {} {} for {}, {} before",
            row.of,
            thousands(row.after),
            row.what,
            if row.processor.is_empty() { "all targets together" } else { &row.processor },
            thousands(row.before)
        );
        Some(Regression { kind: RegressionKind::FewerRecords, what, count: row.before - row.after })
    };
    fewer.filter_map(regression).collect()
}

/// Files that are gone, all in one.
fn lost_files(report: &DiffReport) -> Option<Regression> {
    let gone = &report.files.lost;
    let named: Vec<&str> = gone.iter().take(FILES_NAMED).map(|file| file.path.as_str()).collect();
    let more = gone.len().saturating_sub(named.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let verb = if gone.len() == 1 { "is" } else { "are" };
    let what = format!("{}{rest} {verb} gone", named.join(", "));
    (!gone.is_empty()).then_some(Regression {
        kind: RegressionKind::LostFile,
        what,
        count: gone.len() as u64,
    })
}

/// More bytes than before, by more than that many percent.
fn bigger_files(report: &DiffReport, percent: f64) -> Option<Regression> {
    let (before, after) = (report.old.artifact_bytes, report.new.artifact_bytes);
    let is_bigger = after as f64 > before as f64 * (1.0 + percent / 100.0);
    is_bigger.then(|| Regression {
        kind: RegressionKind::Bigger,
        what: format!(
            "files with something to report have {} bytes, unpacked, {} before: more than {percent} % bigger; other files do \
             not count",
            thousands(after),
            thousands(before)
        ),
        count: after.saturating_sub(before),
    })
}

/// A coverage as a word.
fn word(coverage: v1::Coverage) -> &'static str {
    match coverage {
        v1::Coverage::Native => "kernels",
        v1::Coverage::SomeFiles => "kernels in some files",
        v1::Coverage::Partial => "kernels in some bundles",
        v1::Coverage::FallbackOnly => "fallback kernels only",
        v1::Coverage::Generic => "a generic target",
        v1::Coverage::RunTime => "compiled at run time",
        v1::Coverage::Translated => "translated at load",
        v1::Coverage::Broken => "calls that fail",
        v1::Coverage::NotKnown => "not known",
        v1::Coverage::NoKernels => "no kernel",
        v1::Coverage::Absent => "nothing",
    }
}

fn name(library: &str, tensile: bool) -> String {
    if tensile { format!("{library}'s library folder") } else { library.to_owned() }
}

/// How many files one sentence names.
const FILES_NAMED: usize = 3;

/// Groups targets with the same number, so that one sentence can name them.
fn alike<'t>(rows: impl Iterator<Item = (u64, &'t str)>) -> KeyMap<u64, Vec<&'t str>> {
    let mut all: KeyMap<u64, Vec<&str>> = KeyMap::new();
    rows.filter(|(count, _)| *count > 0)
        .for_each(|(count, target)| all.entry(count).or_default().push(target));
    all
}

fn kernels_each(count: u64, targets: &[&str]) -> String {
    let each = if targets.len() > 1 { " each" } else { "" };
    format!("{}{each}", plural(count, "kernel", "kernels"))
}
