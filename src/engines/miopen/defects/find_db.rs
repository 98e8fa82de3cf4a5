//! What one pass over a find-db finds wrong.

use super::swapped::{Orientation, Verdict};
use super::{Certainty, Class, Defect, shown};
use crate::engines::miopen::find_db::items;
use crate::engines::miopen::retired;
use crate::engines::miopen::solver::registry::Kind;
use crate::engines::miopen::text;
use std::collections::{BTreeMap, HashSet};

/// The defects of a find-db, and what its entries say of height and width.
pub fn of_find_db(file: &str, bytes: &[u8]) -> (Vec<Defect>, Orientation) {
    let new = |class| Defect::new(class, file);
    let mut swapped = new(Class::Swapped);
    let mut zero = new(Class::ZeroTime);
    let mut malformed = new(Class::MalformedKey);
    let mut layout = new(Class::LayoutOfFewerDimensions);
    let mut ill_formed = new(Class::IllFormed);
    let mut duplicate = new(Class::DuplicateKey);
    let mut not_solver = new(Class::NotASolver);
    let mut names: BTreeMap<&str, u64> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let mut orientation = Orientation::default();
    let mut keys: HashSet<&[u8]> = HashSet::with_capacity(bytes.len() / 320);
    for record in text::records(bytes) {
        let record = match record {
            Ok(record) => record,
            Err(e) => {
                ill_formed.add(e.line, || e.unplaced());
                continue;
            }
        };
        if !keys.insert(record.key) {
            duplicate.add(record.line, || shown(&record));
            continue;
        }
        let problem = match record.problem() {
            Ok(problem) => Some(problem),
            Err(e) => {
                *reasons.entry(e.expected).or_default() += 1;
                malformed.add(record.line, || shown(&record));
                None
            }
        };
        if problem.as_ref().is_some_and(|p| p.has_layout_of_fewer_dimensions()) {
            layout.add(record.line, || shown(&record));
        }
        let witness = problem.as_ref().filter(|problem| orientation.look_at_problem(problem));
        for item in items(&record) {
            let item = match item {
                Ok(item) => item,
                Err(e) => {
                    ill_formed.add(e.line, || e.unplaced());
                    continue;
                }
            };
            let at_item = || format!("{}: {}", shown(&record), item.solver);
            if item.time_ms == 0.0 {
                zero.add(record.line, at_item);
            }
            if let Some(other) = retired::why(item.solver) {
                *names.entry(item.solver).or_default() += 1;
                not_solver.add(record.line, || match other.kind {
                    Kind::OtherPrimitive => format!("{} ({})", at_item(), other.because),
                    _ => at_item(),
                });
            }
            if let Some(problem) = witness
                && orientation.look_at_solver(problem, item.solver)
            {
                swapped.add(record.line, at_item);
            }
        }
    }
    malformed.detail = listed("expected ", &reasons);
    not_solver.detail = listed("", &names);
    swapped.detail = format!(
        "entries of solvers with a fixed filter that fit only with height and width exchanged: {}, only as they stand: {}; \
         records that are not square: {}",
        orientation.only_swapped, orientation.only_as_is, orientation.not_square
    );
    match orientation.verdict() {
        Verdict::Proven => {}
        Verdict::Likely => swapped.certainty = Certainty::Likely,
        Verdict::No => swapped.count = 0,
    }
    if swapped.count > 0 {
        // What is wrong are all that are not square; the entries are only how it is known.
        swapped.count = orientation.not_square;
    }
    let mut found = vec![swapped, zero, malformed, layout, ill_formed, duplicate, not_solver];
    found.retain(|defect| defect.count > 0);
    (found, orientation)
}

/// `NAME 3, NAME 1`.
fn listed(before: &str, counts: &BTreeMap<&str, u64>) -> String {
    let each: Vec<String> = counts.iter().map(|(name, count)| format!("{before}{name}: {count}")).collect();
    each.join(", ")
}
