//! Compares what a find searches: every applicable solver in the library's order, with its workspace.

use super::row::VectorRow;
use super::tally::DeviceTally;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::solver::parameters::kernel_launch::Launch;
use rocm_audit::engines::miopen::solver::parameters::launch;
use rocm_audit::engines::miopen::solver::parameters::{defaults, sources};
use rocm_audit::engines::miopen::solver::{Algorithm, Bound, Derived, Solver};
use std::collections::BTreeSet;

/// Status of a find that stopped before compiling.
const STOPPED: i32 = 9;
/// Status of a find that refuses the problem before it tries a solver.
const REFUSED: i32 = 3;

/// The beginning of the name of a file whose kernels only move data.
const HELPERS: &str = "MIOpenUtilKernels";

pub fn compare(tally: &mut DeviceTally, bound: &Bound<'_>, row: &VectorRow) {
    let kind = match row.mode.as_str() {
        "find" => "candidates".to_owned(),
        "find-env" => {
            let own = |name: &&String| !name.ends_with("1X1U_AI_HEUR");
            let set: Vec<&String> = row.env.keys().filter(own).collect();
            format!("candidates with {}", set.first().map_or("", |name| name.as_str()))
        }
        mode => format!("candidates, {mode}"),
    };
    let Ok(problem) = ConvolutionProblem::parse(&row.key) else {
        return tally.add("keys that are read", false, || row.key.clone());
    };
    let candidates = bound.candidates(&problem);
    if row.crash.is_some() || candidates.crash().is_some() {
        let equal = row.crash.is_some() == candidates.crash().is_some();
        tally.add("crashes of find foreseen", equal, || format!("{} {:?}", row.key, row.crash));
    }
    if row.crash.is_some() {
        return;
    }
    let refused = row.find_status == Some(REFUSED);
    tally.add("problems that find refuses", candidates.refused_by_find == refused, || row.key.clone());
    if refused {
        return;
    }
    if row.find_status != Some(STOPPED) {
        return tally.add("other ends of find", false, || format!("{} {:?}", row.key, row.find_status));
    }
    let winograd = row.mode == "mode-NORMAL" && candidates.only_winograd;
    let shown = |solver: &&&Solver| !winograd || solver.algorithm == Algorithm::Winograd;
    let named: Vec<&str> =
        candidates.searched_in_full().iter().filter(shown).map(|solver| solver.name).collect();
    let (ours, theirs): (BTreeSet<&str>, BTreeSet<&str>) =
        (named.iter().copied().collect(), row.applicable.iter().map(String::as_str).collect());
    tally.solvers(&kind, &ours, &theirs, &row.key, &row.env);
    if ours == theirs {
        let equal = named.iter().eq(row.applicable.iter());
        tally.add("order of the search", equal, || format!("{} {named:?} {:?}", row.key, row.applicable));
    }
    if row.mode == "find"
        && let Some(only) = row.winograd_only
    {
        tally.add("Winograd alone is searched", candidates.only_winograd == (only == 1), || row.key.clone());
    }
    for (solver, theirs) in row.config.iter().filter(|(_, text)| !text.starts_with("perf-db")) {
        if let Some(ours) = defaults::first(solver, bound.context(), &problem, None) {
            let kind = format!("first parameters of {solver}");
            tally.add(&kind, ours.text() == as_in_perf_db(theirs), || {
                format!("{}: {theirs}, not {}", row.key, ours.text())
            });
        }
    }
    compare_kernels(tally, bound, row, &problem);
    let derived = Derived::from(&problem);
    for solver in candidates.applicable.iter().filter(|solver| theirs.contains(solver.name)) {
        let theirs = row.workspaces.get(solver.name).copied().unwrap_or(0);
        let ours = solver.workspace_for(&derived);
        tally.add("workspaces", ours == Some(theirs), || {
            format!("{} {}: {theirs}, not {ours:?}", solver.name, row.key)
        });
    }
}

/// Parameters as a perf-db has them: a log marks those that were loaded, and repeats a split in brackets.
fn as_in_perf_db(text: &str) -> &str {
    let text = text.trim_start_matches("perf-db:");
    text.split_once('[').map_or(text, |(own, _)| own)
}

/// Compares the source and the launch of each solver's main kernel, with the parameters that the library has.
fn compare_kernels(
    tally: &mut DeviceTally,
    bound: &Bound<'_>,
    row: &VectorRow,
    problem: &ConvolutionProblem<'_>,
) {
    for (solver, kernels) in &row.kernels {
        let Some((source, kernel, items, group)) = kernels.iter().find(|own| !own.0.starts_with(HELPERS))
        else {
            continue;
        };
        let parameters = row.config.get(solver).map(|text| as_in_perf_db(text));
        if let Some(ours) = sources::main_source(solver, bound.context(), problem, parameters) {
            tally.add(&format!("source of {solver}"), ours == *source, || {
                format!("{}: {source}, not {ours}", row.key)
            });
        }
        let launch = launch::main_launch(solver, bound.context(), problem, parameters);
        let joined = |sizes: [u64; 3]| sizes.map(|size| size.to_string()).join(",");
        if let Some(Launch { kernel: name, work_items, work_group }) = launch {
            let ours = [name, joined(work_items), joined(work_group)];
            let equal = ours.each_ref().map(String::as_str) == [kernel, items, group].map(String::as_str);
            tally.add(&format!("launch of {solver}"), equal, || {
                format!("{}: {kernel} {items} {group}, not {ours:?}", row.key)
            });
        } else {
            let class = solver.split('<').next().unwrap_or(solver);
            tally.unknown(&format!("launch of {class}"));
        }
    }
}
