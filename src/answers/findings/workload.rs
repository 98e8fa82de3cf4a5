//! Warnings about the answers to a list of problems.

use crate::answers::workload::{Answered, WorkloadRow};
use crate::engines::workload::{Workload, WrongLine};
use crate::finding::location::Location;
use crate::finding::rules::read::LINE_NOT_UNDERSTOOD;
use crate::finding::{self, Finding};
use crate::target::TargetId;

/// The findings for the answers to a list of problems on a target, worst first. `file` is the path of the
/// list.
pub fn of_workload(file: &str, workload: &Workload, rows: &[WorkloadRow], target: &TargetId) -> Vec<Finding> {
    let mut all = wrong_lines(file, workload);
    for row in rows {
        let Answered::Broken(error) = &row.answered else { continue };
        let found = Finding { target: Some(target.to_string()), ..super::of_catalog(error) };
        // Several problems can reach the same catalog.
        if !all.contains(&found) {
            all.push(found);
        }
    }
    finding::sort(&mut all);
    all
}

/// One finding for each malformed line of a workload.
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
