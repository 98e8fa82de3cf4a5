//! Finds defects of a find-db in one pass.

use super::swapped::{Orientation, Verdict};
use super::{DatabasePosition, Defect, shown};
use crate::miopen::find_db::items;
use crate::miopen::retired;
use crate::miopen::solver::registry::NoRuleReason;
use crate::miopen::text;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::confidence::Confidence;
use rocm_audit_files::finding::rules::miopen as rules;
use std::collections::{BTreeMap, HashSet};

/// The defects of a find-db, and what its entries show about height and width.
pub fn of_find_db(file: &str, bytes: &[u8]) -> (Vec<Finding>, Orientation) {
    let new = |class| Defect::new(class, file);
    let mut swapped = new(&rules::SWAPPED_HEIGHT_WIDTH);
    let mut zero = new(&rules::ZERO_TIME);
    let mut malformed = new(&rules::MALFORMED_KEY);
    let mut layout = new(&rules::LAYOUT_OF_FEWER_DIMENSIONS);
    let mut ill_formed = new(&rules::ILL_FORMED_RECORD);
    let mut duplicate = new(&rules::DUPLICATE_KEY);
    let mut not_solver = new(&rules::RETIRED_SOLVER);
    let mut names: BTreeMap<&str, u64> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let mut orientation = Orientation::default();
    let mut keys: HashSet<&[u8]> = HashSet::with_capacity(bytes.len() / 320);
    for record in text::records(bytes) {
        let record = match record {
            Ok(record) => record,
            Err(e) => {
                ill_formed.add(DatabasePosition::Line(e.line), || e.unplaced());
                continue;
            }
        };
        if !keys.insert(record.key) {
            duplicate.add(DatabasePosition::Line(record.line), || shown(&record));
            continue;
        }
        let problem = match record.problem() {
            Ok(problem) => Some(problem),
            Err(e) => {
                *reasons.entry(e.expected).or_default() += 1;
                malformed.add(DatabasePosition::Line(record.line), || shown(&record));
                None
            }
        };
        if problem.as_ref().is_some_and(|p| p.has_layout_of_fewer_dimensions()) {
            layout.add(DatabasePosition::Line(record.line), || shown(&record));
        }
        let witness = problem.as_ref().filter(|problem| orientation.look_at_problem(problem));
        for item in items(&record) {
            let item = match item {
                Ok(item) => item,
                Err(e) => {
                    ill_formed.add(DatabasePosition::Line(e.line), || e.unplaced());
                    continue;
                }
            };
            let at_item = || format!("{}: {}", shown(&record), item.solver);
            if item.time_ms == 0.0 {
                zero.add(DatabasePosition::Line(record.line), at_item);
            }
            if let Some(other) = retired::why(item.solver) {
                *names.entry(item.solver).or_default() += 1;
                not_solver.add(DatabasePosition::Line(record.line), || match other.kind {
                    NoRuleReason::OtherPrimitive => format!("{} ({})", at_item(), other.because),
                    _ => at_item(),
                });
            }
            if let Some(problem) = witness
                && orientation.look_at_solver(problem, item.solver)
            {
                swapped.add(DatabasePosition::Line(record.line), at_item);
            }
        }
    }
    malformed.finding.detail = listed("expected ", &reasons);
    not_solver.finding.detail = listed("", &names);
    swapped.finding.detail = format!(
        "entries of solvers with a fixed filter that fit only with height and width exchanged: {}, only as they stand: {}; \
         records that are not square: {}",
        orientation.only_swapped, orientation.only_as_is, orientation.not_square
    );
    match orientation.verdict() {
        Verdict::Proven => {}
        Verdict::Likely => swapped.finding.confidence = Confidence::Likely,
        Verdict::No => swapped.finding.count = 0,
    }
    if swapped.finding.count > 0 {
        // All records that are not square are wrong; the entries are only the evidence.
        swapped.finding.count = orientation.not_square;
    }
    let all = [swapped, zero, malformed, layout, ill_formed, duplicate, not_solver];
    (all.into_iter().filter_map(Defect::finish).collect(), orientation)
}

/// `NAME 3, NAME 1`.
fn listed(before: &str, counts: &BTreeMap<&str, u64>) -> String {
    let each: Vec<String> = counts.iter().map(|(name, count)| format!("{before}{name}: {count}")).collect();
    each.join(", ")
}
