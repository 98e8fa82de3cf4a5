//! Warnings about an answer from hipBLASLt.

use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::library::INTERNAL_ERROR;
use crate::finding::rules::answer as rules;
use crate::finding::{self, Finding};

/// How many solutions and catalogs one finding names.
const NAMED: usize = 6;

/// The findings for an answer from hipBLASLt, worst first.
pub fn of_matmul(answer: &MatmulAnswer) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut add = |rule, detail: String| {
        let target = Some(answer.target.processor.clone());
        all.push(Finding { detail, target, ..Finding::new(rule) });
    };
    if answer.xf32_fell_back {
        add(&rules::XF32_COMPUTED_IN_FLOAT, String::new());
    }
    if let Some(what) = &answer.undecided {
        add(&rules::CHOICE_NOT_KNOWN, what.clone());
    }
    // If no size was tuned, any of several solutions can come first.
    if answer.fixed == 0 && answer.undecided.is_none() && answer.fill.len() > 1 {
        add(&rules::ALGORITHM_ORDER_UNDETERMINED, named(answer.fill.iter(), answer.fill.len()));
    }
    if !answer.lost.is_empty() {
        add(&rules::FILL_WITHOUT_CATALOG, named(answer.lost.iter(), answer.lost.len()));
    }
    for launch in answer.launches.iter().filter(|launch| launch.is_cut()) {
        let cut = |items: &u64| u32::try_from(*items).is_err();
        let items = launch.work_items().into_iter().find(cut).unwrap_or_default();
        let detail = format!(
            "{} asks for {items} work items in a dimension; {} are started",
            launch.kernel, items as u32
        );
        add(&rules::LAUNCH_GRID_CUT, detail);
    }
    if let (Some(INTERNAL_ERROR), Some(kernel)) = (answer.run_status, &answer.missing) {
        let run = answer.launches.len();
        let after = if run == 0 { String::new() } else { "; the main kernel has run by then".to_owned() };
        add(&rules::SOLUTION_WITHOUT_KERNEL, format!("{kernel}{after}"));
    }
    if let Some(alone) = answer.alone.as_ref().filter(|alone| **alone != list(answer)) {
        let detail = match alone.first() {
            None => "alone in a process this call gets no algorithm".to_owned(),
            Some(_) => format!("alone in a process this call gets {}", named(alone.iter(), alone.len())),
        };
        add(&rules::MATMUL_DEPENDS_ON_HISTORY, detail);
    }
    for poison in &answer.history {
        let effect = if poison.wrong {
            "which refuses this call when it is asked alone"
        } else {
            "which can solve this call too"
        };
        let detail = format!(
            "after the same call with {}, solution {} comes first, {effect}",
            poison.differs, poison.solution
        );
        add(&rules::MATMUL_DEPENDS_ON_HISTORY, detail);
    }
    finding::sort(&mut all);
    all
}

fn list(answer: &MatmulAnswer) -> Vec<u32> {
    answer.algorithms.iter().map(|algorithm| algorithm.solution).collect()
}

/// Lists the first `count` items and says how many more follow.
fn named<T: ToString>(all: impl Iterator<Item = T>, count: usize) -> String {
    let mut text = all.take(NAMED).map(|one| one.to_string()).collect::<Vec<_>>().join(", ");
    if count > NAMED {
        text.push_str(&format!(" and {} more", count - NAMED));
    }
    text
}
