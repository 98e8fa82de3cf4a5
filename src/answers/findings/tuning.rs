//! Findings for a tuning file.

use crate::engines::tensile::tuning::{CheckedTuning, StaleRow};
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::tensile::{STALE_TUNING, TUNING_IN_FORCE};
use crate::target::TargetId;

/// Compares a tuning file with the libraries: one finding for each row that is not in force, and one that
/// counts those in force.
pub fn of_tuning(path: &str, checked: &CheckedTuning, target: &TargetId) -> Vec<Finding> {
    let processor = Some(target.processor.clone());
    let at = |line: Option<u64>| Location { line, ..Location::file(path, "") };
    let stale = |stale: &StaleRow, whole: &str| Finding {
        detail: format!("{whole}{}", stale.why),
        target: processor.clone(),
        ..Finding::at(&STALE_TUNING, at(Some(stale.line)))
    };
    let mut all: Vec<Finding> = checked.rejected.iter().map(|own| stale(own, "the whole file: ")).collect();
    all.extend(checked.stale.iter().map(|own| stale(own, "")));
    let rows = checked.rows;
    let good = checked.in_force();
    if good > 0 {
        let detail = format!("{good} of {rows} rows for {}", checked.kind.reader());
        all.push(Finding { detail, target: processor, ..Finding::at(&TUNING_IN_FORCE, at(None)) });
    }
    all
}
