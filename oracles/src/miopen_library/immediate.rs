//! What the library answers without measuring: a record of its find-db, a model's order, or its own
//! estimates.

use super::Data;
use super::row::VectorRow;
use super::tally::DeviceTally;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::solver::convolution::{self, FindDbs, Selection};
use rocm_audit::engines::miopen::solver::tunanet::ModelOutcome;
use rocm_audit::engines::miopen::solver::{Bound, SolverRules};
use std::collections::BTreeSet;

pub fn compare(
    tally: &mut DeviceTally,
    rules: &SolverRules,
    bound: &Bound<'_>,
    row: &VectorRow,
    data: &Data,
) {
    let Some(selection) = selection(tally, rules, bound, row, data) else { return };
    let mode = row.mode.as_str();
    if row.record_entries > 0 || row.source.as_deref() == Some("hit") {
        tally.add(&format!("{mode}: record is found"), selection.record.is_some(), || row.key.clone());
    } else if row.find_db.is_some() {
        tally.add(&format!("{mode}: no record is found"), selection.record.is_none(), || row.key.clone());
    }
    let taken = selection.pick.and_then(|at| selection.recorded.get(at)).map(|taken| taken.item.solver);
    let (first, key) = (row.first_solution(), row.key.as_str());
    match row.source.as_deref() {
        Some("hit") => {
            tally.add(&format!("{mode}: solver taken on a hit"), taken == first, || {
                format!("{key}: {first:?}, not {taken:?}")
            });
            let usable = selection.recorded.iter().filter(|own| own.verdict.is_applicable());
            let ours: Vec<&str> = usable.map(|own| own.item.solver).collect();
            let equal = ours.iter().eq(row.solutions.iter().map(|solution| &solution.0));
            tally.add(&format!("{mode}: solutions of a hit in order"), equal, || {
                format!("{key}: {:?}, not {ours:?}", row.solutions)
            });
            return;
        }
        _ if row.record_entries > 0 => {
            tally.add(&format!("{mode}: record without a usable solver is a miss"), taken.is_none(), || {
                format!("{key}: {first:?}, not {taken:?}")
            });
        }
        _ => {}
    }
    decides(tally, &selection, row);
    if row.source.as_deref() == Some("wti") {
        estimates(tally, &selection, row);
    }
    if let Some(order) = &row.tunanet {
        named(tally, &selection, row, order);
    }
}

/// Compares what decides on a miss, and the first solution.
fn decides(tally: &mut DeviceTally, selection: &Selection<'_, '_>, row: &VectorRow) {
    let (mode, source) = (row.mode.as_str(), row.source.as_deref().unwrap_or("none"));
    let ours = if selection.estimates_decide() { "wti" } else { "tunanet" };
    tally.add(&format!("{mode}: who decides on a miss"), ours == source, || {
        format!("{}: {source}, not {ours}", row.key)
    });
    let first = selection.first_at_once().map(|solver| solver.name);
    tally.add(&format!("{mode}: first solution on a miss, {source}"), first == row.first_solution(), || {
        format!("{}: {:?}, not {first:?}", row.key, row.first_solution())
    });
}

/// Compares a model's order, and the part of it that the library takes.
fn named(tally: &mut DeviceTally, selection: &Selection<'_, '_>, row: &VectorRow, order: &[String]) {
    let outcome = selection.model.as_ref().map(|model| &model.outcome);
    let ours: Vec<&str> = match outcome {
        Some(ModelOutcome::Order(order)) => order.iter().map(|solver| solver.name).collect(),
        _ => Vec::new(),
    };
    let equal = ours.iter().eq(row.solutions.iter().map(|solution| &solution.0));
    tally.add(&format!("{}: solvers of the model in order", row.mode), equal, || {
        format!("{}: {:?}, not {ours:?} of {order:?}", row.key, row.solutions)
    });
}

fn estimates(tally: &mut DeviceTally, selection: &Selection<'_, '_>, row: &VectorRow) {
    let ours: Vec<&str> = selection.estimates.iter().map(|estimate| estimate.solver.name).collect();
    let equal = ours.iter().eq(row.solutions.iter().map(|solution| &solution.0));
    tally.add(&format!("{}: estimated solvers in order", row.mode), equal, || {
        format!("{}: {:?}, not {ours:?}", row.key, row.solutions)
    });
    for estimate in &selection.estimates {
        let theirs = row.wti.iter().find(|(name, _)| *name == estimate.solver.name);
        if let Some((name, theirs)) = theirs {
            let near = (theirs - estimate.wti).abs() <= 1e-4 * theirs.abs().max(1.0);
            tally
                .add("values of estimates", near, || format!("{} {name} {theirs} {}", row.key, estimate.wti));
        }
    }
}

/// Compares a find that may take a record: what it took or searched.
pub fn compare_mode(
    tally: &mut DeviceTally,
    rules: &SolverRules,
    bound: &Bound<'_>,
    row: &VectorRow,
    data: &Data,
) {
    let Some(selection) = selection(tally, rules, bound, row, data) else { return };
    let (mode, key) = (row.mode.as_str(), row.key.as_str());
    let refused = row.find_status == Some(3);
    let ours = selection.candidates.refused_by_find;
    tally.add("problems that find refuses", ours == refused, || row.key.clone());
    if refused {
        return;
    }
    let taken = selection.pick.and_then(|at| selection.recorded.get(at)).map(|taken| taken.item.solver);
    let source = row.source.as_deref().unwrap_or("none");
    if let Some(theirs) = row.invokers.first() {
        let ours = taken.or_else(|| {
            let first = selection.first_at_once().filter(|_| selection.candidates.at_once);
            first.map(|solver| solver.name)
        });
        tally.add(&format!("{mode}: solver taken, {source}"), ours == Some(theirs), || {
            format!("{key}: {theirs}, not {ours:?}")
        });
        return;
    }
    let ours: BTreeSet<&str> = match taken {
        Some(solver) => [solver].into(),
        None => selection.candidates.measured().map(|solver| solver.name).collect(),
    };
    let theirs: BTreeSet<&str> = row.applicable.iter().map(String::as_str).collect();
    tally.solvers(&format!("{mode}: solvers searched"), &ours, &theirs, key, &row.env);
}

fn selection<'r, 'd>(
    tally: &mut DeviceTally,
    rules: &'r SolverRules,
    bound: &Bound<'r>,
    row: &VectorRow,
    data: &'d Data,
) -> Option<Selection<'r, 'd>> {
    let Ok(problem) = ConvolutionProblem::parse(&row.key) else {
        tally.add("keys that are read", false, || row.key.clone());
        return None;
    };
    let system = data.find_db(row);
    if row.find_db.is_some() && system.is_none() {
        // The library had a find-db that is missing here, so it is unknown whether that had a record.
        if row.record_entries > 0 {
            return None;
        }
    }
    let databases = FindDbs { system, model: Some(&data.models), ..FindDbs::default() };
    let given = row.workspace.filter(|_| row.mode.starts_with("mode-"));
    let selection = convolution::select(rules, bound, &row.key, &problem, databases, given);
    let foreseen = selection.recorded_fusion().is_some() && given.is_none();
    if row.crash.is_some() || foreseen {
        let equal = row.crash.is_some() == foreseen;
        tally.add("crashes of immediate mode foreseen", equal, || row.key.clone());
    }
    row.crash.is_none().then_some(selection)
}
