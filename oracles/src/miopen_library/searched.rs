//! Compares what a find searches: every applicable solver in the library's order, with its workspace.

use super::row::VectorRow;
use super::tally::DeviceTally;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
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
        candidates.searched_in_full().iter().filter(shown).map(|solver| solver.name.as_str()).collect();
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
            tally.add(&kind, ours.text() == theirs, || format!("{}: {theirs}, not {}", row.key, ours.text()));
        }
    }
    for (solver, kernels) in &row.kernels {
        let main = kernels.iter().map(|kernel| kernel.0.as_str()).find(|file| !file.starts_with(HELPERS));
        if let (Some(ours), Some(theirs)) = (sources::main_source(solver, bound.context(), &problem), main) {
            tally.add(&format!("source of {solver}"), ours == theirs, || {
                format!("{}: {theirs}, not {ours}", row.key)
            });
        }
    }
    let derived = Derived::from(&problem);
    for solver in candidates.applicable.iter().filter(|solver| theirs.contains(solver.name.as_str())) {
        let theirs = row.workspaces.get(&solver.name).copied().unwrap_or(0);
        let ours = solver.workspace_for(&derived);
        tally.add("workspaces", ours == Some(theirs), || {
            format!("{} {}: {theirs}, not {ours:?}", solver.name, row.key)
        });
    }
}
