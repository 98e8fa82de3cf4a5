//! What an answer about a convolution should make its reader careful about.

use crate::answers::ConvolutionAnswer;
use crate::finding::location::Location;
use crate::finding::rule::Rule;
use crate::finding::rules::answer as rules;
use crate::finding::{self, Finding};
use crate::report::v1::{ConvDatabase, ConvPick, DatabaseChoice};

/// The findings of an answer, the worst first.
pub(super) fn of(
    c: &ConvolutionAnswer<'_>,
    pick: Option<&ConvPick>,
    databases: &[ConvDatabase],
) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut add = |rule: &'static Rule, at: Option<Location>, detail: String| {
        let target = Some(c.question.device.target.to_string());
        all.push(Finding { target, detail, locations: at.into_iter().collect(), ..Finding::new(rule) });
    };
    if let Some((file, Some(false))) = &c.library {
        let solver = pick.map_or("", |p| p.solver.as_str());
        add(&rules::SOLVER_CHECK_MISSING, Some(Location::file(file, "")), solver.to_owned());
    }
    if let (None, Some((_, record))) = (pick, &c.selection.record) {
        add(&rules::RECORD_WITHOUT_SOLVER, None, format!("line {} records the problem", record.line));
    }
    for variable in &c.not_modelled {
        add(&rules::VARIABLE_NOT_MODELLED, None, format!("{}: {}", variable.name, variable.because));
    }
    if !c.rules.is_exact() {
        let detail = format!("the rules of MIOpen {} answer for {}", c.rules.read, c.rules.asked);
        add(&rules::RULES_OF_NEAREST_VERSION, None, detail);
    }
    if c.databases.is_none() {
        add(&rules::NO_DATABASE, None, String::new());
    }
    for database in databases.iter().filter(|d| d.state == DatabaseChoice::Unreachable) {
        let file = database.file.as_deref().map(|file| Location::file(file, database.kind.describe()));
        add(&rules::NEAREST_DATABASE_UNREACHABLE, file, String::new());
    }
    if let Some(mirrored) = c.selection.mirrored {
        add(&rules::MIRRORED_RECORD, None, format!("line {}", mirrored.line));
    }
    if let Some(Err(why)) = &c.gemm {
        add(&rules::GEMM_NOT_ANSWERED, None, why.clone());
    }
    let candidates = &c.selection.candidates;
    if pick.is_some_and(|p| !candidates.measured().any(|s| p.solver != s.name)) {
        add(&rules::NO_FALLBACK_SOLVER, None, String::new());
    }
    finding::sort(&mut all);
    all
}
