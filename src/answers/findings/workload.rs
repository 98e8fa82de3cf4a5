//! Warnings about the answers to a list of problems.

use crate::answers::onnx::GraphRow;
use crate::answers::workload::{Answered, WorkloadRow};
use crate::engines::workload::{Workload, WrongLine};
use crate::finding::location::Location;
use crate::finding::rules::answer::CONVOLUTION_CRASHES;
use crate::finding::rules::read::LINE_NOT_UNDERSTOOD;
use crate::finding::{self, Finding};
use crate::target::TargetId;

/// The findings for the answers to a list of problems on a target, worst first. `file` is the path of the
/// list.
pub fn of_workload(file: &str, workload: &Workload, rows: &[WorkloadRow], target: &TargetId) -> Vec<Finding> {
    let mut all = wrong_lines(file, workload);
    for row in rows {
        let found = match &row.answered {
            Answered::Broken(error) => super::of_catalog(error),
            Answered::Convolution(_, Some(dies)) => {
                let place =
                    Location { path: file.to_owned(), line: Some(row.entry.line), ..Location::default() };
                Finding { detail: dies.clone(), ..Finding::at(&CONVOLUTION_CRASHES, place) }
            }
            _ => continue,
        };
        let found = Finding { target: Some(target.to_string()), ..found };
        // Several problems meet the same catalog.
        if !all.contains(&found) {
            all.push(found);
        }
    }
    finding::sort(&mut all);
    all
}

/// The findings of the answers to the nodes of an ONNX file on a target.
pub fn of_graph(file: &str, rows: &[GraphRow], target: &TargetId) -> Vec<Finding> {
    let crash = |row: &GraphRow| {
        let place = Location { path: file.to_owned(), what: row.asked.name.clone(), ..Location::default() };
        let found = Finding::at(&CONVOLUTION_CRASHES, place);
        Some(Finding { detail: row.dies.clone()?, target: Some(target.to_string()), ..found })
    };
    rows.iter().filter_map(crash).collect()
}

/// Lines of a workload that are wrong, as findings.
pub fn wrong_lines(file: &str, workload: &Workload) -> Vec<Finding> {
    let of_line = |wrong: &WrongLine| {
        let place = Location {
            path: file.to_owned(),
            line: Some(wrong.line),
            what: wrong.what.clone(),
            ..Location::default()
        };
        Finding::at(&LINE_NOT_UNDERSTOOD, place)
    };
    let mut all: Vec<Finding> = workload.wrong.iter().map(of_line).collect();
    let more = workload.wrong_lines.saturating_sub(workload.wrong.len() as u64);
    if more > 0 {
        let what = format!("{more} more lines are no problems");
        all.push(Finding { count: more, ..Finding::of_file(&LINE_NOT_UNDERSTOOD, file, what) });
    }
    all
}
