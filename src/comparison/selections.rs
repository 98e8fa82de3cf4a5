//! Compares what libraries choose on two sides: which answers changed, and which are worse.

use super::snapshot::without_processor;
use crate::answers::model::ratio;
use crate::answers::workload::WorkloadRow;
use crate::engines::miopen::device::Device;
use crate::engines::tensile::kernel_name::states_the_same;
use crate::engines::workload::Workload;
use crate::report::v1::{
    SelectionAnswer, SelectionChange, SelectionChanges, SelectionGap, SelectionTarget, SelectionVerdict,
};
use crate::report::workload::RowWords;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// One side's answers for a device.
#[derive(Debug)]
pub struct SelectionSide {
    /// The device.
    pub device: Device,
    /// Libraries that the tree has data for, on any target.
    pub libraries: BTreeSet<&'static str>,
    /// The problems with their answers.
    pub rows: Vec<WorkloadRow>,
}

/// Both sides' answers.
#[derive(Debug)]
pub struct SelectionPair {
    /// Before.
    pub old: SelectionSide,
    /// The new side's answers, for the same problems in the same order.
    pub new: SelectionSide,
    /// Whether the number of multiprocessors is assumed.
    pub multiprocessors_assumed: bool,
}

/// Compares the answers to the problems of a file, target by target.
pub fn selections(problems: &str, workload: &Workload, pairs: &[SelectionPair]) -> SelectionChanges {
    let mut changes = SelectionChanges {
        problems: problems.to_owned(),
        wrong_lines: workload.wrong_lines,
        targets: Vec::new(),
        changed: Vec::new(),
    };
    for pair in pairs {
        let (row, changed) = of_target(pair);
        changes.targets.push(row);
        changes.changed.extend(changed);
    }
    let order = |a: &SelectionChange, b: &SelectionChange| {
        let larger = || b.flops_share.total_cmp(&a.flops_share);
        a.verdict.cmp(&b.verdict).then_with(larger).then(a.line.cmp(&b.line))
    };
    changes.changed.sort_rows_by(order);
    changes
}

fn of_target(pair: &SelectionPair) -> (SelectionTarget, Vec<SelectionChange>) {
    let (old, new) = (&pair.old.device.target, &pair.new.device.target);
    let mut row = SelectionTarget {
        target: if old == new { new.to_string() } else { format!("{old} → {new}") },
        multiprocessors: pair.new.device.compute_units,
        multiprocessors_assumed: pair.multiprocessors_assumed,
        ..SelectionTarget::default()
    };
    let flops_of = |row: &WorkloadRow| row.entry.problem.flops().saturating_mul(u128::from(row.entry.weight));
    let flops = pair.new.rows.iter().fold(0_u128, |sum, row| sum.saturating_add(flops_of(row)));
    let mut gaps: KeyMap<(&str, &str), u64> = KeyMap::new();
    let mut changed = Vec::new();
    for (before, now) in pair.old.rows.iter().zip(&pair.new.rows) {
        let library = now.entry.problem.library();
        let has = |side: &SelectionSide| side.libraries.contains(library);
        let gap = match (has(&pair.old), has(&pair.new)) {
            (false, false) => Some("neither side has its data"),
            (true, false) => Some("only the old side has its data"),
            (false, true) => Some("only the new side has its data"),
            (true, true) => None,
        };
        let (before, after) = (answer(before), answer(now));
        let ranks = rank(&before.kind).zip(rank(&after.kind));
        let gap = gap.or(if ranks.is_none() { Some("what a side chooses is not known") } else { None });
        if let Some(why) = gap {
            *gaps.entry((library, why)).or_default() += 1;
            continue;
        }
        row.compared += 1;
        let names = |answer: &SelectionAnswer, processor: &str| -> Vec<String> {
            answer.taken.iter().map(|name| without_processor(name, processor)).collect()
        };
        let alike = if old == new {
            before.taken == after.taken
        } else {
            names(&before, &old.processor) == names(&after, &new.processor)
        };
        let verdict = match ranks.map_or(Ordering::Equal, |(before, after)| after.cmp(&before)) {
            Ordering::Equal if alike => {
                row.same += 1;
                continue;
            }
            Ordering::Greater => SelectionVerdict::Worse,
            Ordering::Less => SelectionVerdict::Better,
            Ordering::Equal if renamed(&before.taken, &after.taken) => SelectionVerdict::Renamed,
            Ordering::Equal => SelectionVerdict::Other,
        };
        match verdict {
            SelectionVerdict::Worse => row.worse += 1,
            SelectionVerdict::Better => row.better += 1,
            SelectionVerdict::Other => row.other += 1,
            SelectionVerdict::Renamed => row.renamed += 1,
        }
        changed.push(SelectionChange {
            target: row.target.clone(),
            library: library.to_owned(),
            problem: now.entry.problem.words(),
            line: now.entry.line,
            calls: now.entry.weight,
            flops_share: ratio(flops_of(now), flops),
            verdict,
            before,
            after,
        });
    }
    let gap = |((library, why), problems): ((&str, &str), u64)| SelectionGap {
        library: library.to_owned(),
        problems,
        why: why.to_owned(),
    };
    row.not_compared = gaps.into_iter().map(gap).collect();
    (row, changed)
}

/// Whether the kernels differ only in names, as far as the names show.
fn renamed(before: &[String], after: &[String]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(one, other)| states_the_same(one, other))
}

/// The answer of a library that is in the tree.
pub fn answer(row: &WorkloadRow) -> SelectionAnswer {
    let RowWords { mut kind, mut way, taken, distance, evidence } = RowWords::from_row(row);
    // If the library is missing, the answer is not compared; so this means that it lacks all data for the
    // target.
    if kind == "not-known" && row.has_nothing_for_target() {
        kind = "nothing".to_owned();
        way = format!("{}, which has nothing for the target", row.entry.problem.library());
    }
    SelectionAnswer { kind, way, taken, distance, evidence }
}

/// Kinds of answers, best first; kinds in one row are equally good. Only answers of the same library are
/// compared.
const KINDS: [&[&str]; 8] = [
    &["tuned", "exact", "hit", "own-kernel", "at-once", "vector"],
    &["near", "ranked", "rocblas-tuned"],
    &["far", "rocblas"],
    // No table has the size, so the answer was not tuned for anything near.
    &["fill", "undetermined"],
    &["fallback", "rocblas-fallback"],
    // MIOpen measures in both cases, so the first call of each problem takes equally long.
    &["refused", "measured", "expert-loop"],
    &["nothing", "rocblas-nothing", "cpu"],
    &["missing", "fails", "crash", "trap-stub", "absent", "no-code-object"],
];

fn rank(kind: &str) -> Option<usize> {
    KINDS.iter().position(|kinds| kinds.contains(&kind))
}
