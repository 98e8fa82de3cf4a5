//! Finds defects of a find-db in one pass.

use super::swapped::{Orientation, Verdict};
use super::{DatabasePosition, Defect, shown};
use crate::miopen::find_db::{FindDbItem, items};
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::retired;
use crate::miopen::solver::registry::NoRuleReason;
use crate::miopen::text::{self, Malformed, Record};
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::confidence::Confidence;
use rocm_audit_files::finding::rules::miopen as rules;
use std::collections::{BTreeMap, HashSet};

/// The defects of a find-db, and what its entries show about height and width.
pub fn of_find_db(file: &str, bytes: &[u8]) -> (Vec<Finding>, Orientation) {
    let mut defects = FindDbDefects::none(file);
    let mut keys: HashSet<&[u8]> = HashSet::with_capacity(bytes.len() / 320);
    for record in text::records(bytes) {
        match record {
            Ok(record) if keys.insert(record.key) => defects.look_at_record(&record),
            Ok(record) => {
                defects.duplicate.add(DatabasePosition::Line(record.line), || shown(&record));
            }
            Err(e) => defects.ill_formed(&e),
        }
    }
    defects.finish()
}

/// What was found up to some record, by defect.
struct FindDbDefects<'b> {
    swapped: Defect,
    zero: Defect,
    malformed: Defect,
    layout: Defect,
    ill_formed: Defect,
    duplicate: Defect,
    not_solver: Defect,
    /// Entries of names that are not solvers, by name.
    names: BTreeMap<&'b str, u64>,
    /// Malformed keys by what was expected of them.
    reasons: BTreeMap<&'static str, u64>,
    orientation: Orientation,
}

impl<'b> FindDbDefects<'b> {
    fn none(file: &str) -> Self {
        let new = |class| Defect::new(class, file);
        FindDbDefects {
            swapped: new(&rules::SWAPPED_HEIGHT_WIDTH),
            zero: new(&rules::ZERO_TIME),
            malformed: new(&rules::MALFORMED_KEY),
            layout: new(&rules::LAYOUT_OF_FEWER_DIMENSIONS),
            ill_formed: new(&rules::ILL_FORMED_RECORD),
            duplicate: new(&rules::DUPLICATE_KEY),
            not_solver: new(&rules::RETIRED_SOLVER),
            names: BTreeMap::new(),
            reasons: BTreeMap::new(),
            orientation: Orientation::default(),
        }
    }

    fn ill_formed(&mut self, error: &Malformed) {
        self.ill_formed.add(DatabasePosition::Line(error.line), || error.unplaced());
    }

    /// A record whose key was not there before.
    fn look_at_record(&mut self, record: &Record<'b>) {
        let line = DatabasePosition::Line(record.line);
        let problem = match record.problem() {
            Ok(problem) => Some(problem),
            Err(e) => {
                *self.reasons.entry(e.expected).or_default() += 1;
                self.malformed.add(line, || shown(record));
                None
            }
        };
        if problem.as_ref().is_some_and(|p| p.has_layout_of_fewer_dimensions()) {
            self.layout.add(line, || shown(record));
        }
        let witness = problem.as_ref().filter(|problem| self.orientation.look_at_problem(problem));
        for item in items(record) {
            match item {
                Ok(item) => self.look_at_item(record, &item, witness),
                Err(e) => self.ill_formed(&e),
            }
        }
    }

    /// An entry of a record; `witness` is its problem where that can show how height and width stand.
    fn look_at_item(
        &mut self,
        record: &Record<'b>,
        item: &FindDbItem<'b>,
        witness: Option<&ConvolutionProblem<'_>>,
    ) {
        let line = DatabasePosition::Line(record.line);
        let at_item = || format!("{}: {}", shown(record), item.solver);
        if item.time_ms == 0.0 {
            self.zero.add(line, at_item);
        }
        if let Some(other) = retired::why(item.solver) {
            *self.names.entry(item.solver).or_default() += 1;
            self.not_solver.add(line, || match other.kind {
                NoRuleReason::OtherPrimitive => format!("{} ({})", at_item(), other.because),
                _ => at_item(),
            });
        }
        if let Some(problem) = witness
            && self.orientation.look_at_solver(problem, item.solver)
        {
            self.swapped.add(line, at_item);
        }
    }

    fn finish(mut self) -> (Vec<Finding>, Orientation) {
        let orientation = self.orientation;
        self.malformed.finding.detail = listed("expected ", &self.reasons);
        self.not_solver.finding.detail = listed("", &self.names);
        self.swapped.finding.detail = format!(
            "entries of solvers with a fixed filter that fit only with height and width exchanged: {}, only as they stand: {}; \
             records that are not square: {}",
            orientation.only_swapped, orientation.only_as_is, orientation.not_square
        );
        match orientation.verdict() {
            Verdict::Proven => {}
            Verdict::Likely => self.swapped.finding.confidence = Confidence::Likely,
            Verdict::No => self.swapped.finding.count = 0,
        }
        if self.swapped.finding.count > 0 {
            // All records that are not square are wrong; the entries are only the evidence.
            self.swapped.finding.count = orientation.not_square;
        }
        let all = [
            self.swapped,
            self.zero,
            self.malformed,
            self.layout,
            self.ill_formed,
            self.duplicate,
            self.not_solver,
        ];
        (all.into_iter().filter_map(Defect::finish).collect(), orientation)
    }
}

/// `NAME 3, NAME 1`.
fn listed(before: &str, counts: &BTreeMap<&str, u64>) -> String {
    let each: Vec<String> = counts.iter().map(|(name, count)| format!("{before}{name}: {count}")).collect();
    each.join(", ")
}
