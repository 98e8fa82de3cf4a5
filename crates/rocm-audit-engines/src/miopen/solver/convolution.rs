//! What MIOpen does with a convolution: uses the record in its find-db or, without one, measures solvers.
//!
//! Source: MIOpen 3.3.0 `src/ocl/convolutionocl.cpp:142-206` (modes), `:682-762` (use of a record).

use super::bound::{Bound, Candidates, Rejection};
use super::clause::Algorithm;
use super::clause::Solver;
use super::context::Context;
use super::find::NO_FIND_DB;
use super::registry::{NoRuleReason, NumberWithoutRule};
use super::rules::SolverRules;
use super::tunanet::{self, AskedModel, ModelFiles, ModelOutcome};
use super::variable::Derived;
use super::wti;
use super::wti::Estimate;
use crate::miopen::find_db;
use crate::miopen::find_db::{FindDbItem, Origin};
use crate::miopen::line_index::LineIndex;
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::text;
use crate::miopen::text::Record;
use std::fmt;

/// The bytes of the open find-dbs.
#[derive(Debug, Clone, Copy, Default)]
pub struct FindDbs<'d> {
    /// The user's find-db.
    pub user: Option<&'d [u8]>,
    /// The installed find-db.
    pub system: Option<&'d [u8]>,
    /// Its lines, where many problems are asked about.
    pub index: Option<&'d LineIndex>,
    /// The files of the device's model, requested on a miss.
    pub model: Option<&'d dyn AskedFiles>,
}

impl<'d> FindDbs<'d> {
    /// A record of the installed find-db.
    fn installed(&self, key: &str) -> Option<Record<'d>> {
        let bytes = self.system?;
        self.index.map_or_else(|| text::find(bytes, key), |index| index.find(bytes, key))
    }
}

/// Provides the files of a model on demand.
pub trait AskedFiles: fmt::Debug {
    /// The model of a processor.
    fn model(&self, processor: &'static str) -> ModelFiles<'_>;
}

/// The result for a problem.
#[derive(Debug)]
pub struct Selection<'r, 'd> {
    /// The record in the find-db, if any: a hit.
    pub record: Option<(Origin, Record<'d>)>,
    /// Its solvers, fastest first, each with its verdict.
    pub recorded: Vec<Recorded<'r, 'd>>,
    /// Index of the solver that MIOpen takes; `None` if it can take none, which then counts as a miss.
    pub pick: Option<usize>,
    /// The rules' verdict on every solver.
    pub candidates: Candidates<'r>,
    /// Solvers in the order of FAST and immediate mode on a miss, by MIOpen's own estimates.
    pub estimates: Vec<Estimate<'r>>,
    /// The model that FAST and immediate mode ask before those estimates, in a build that has it; `None` if a
    /// variable turns it off.
    pub model: Option<AskedModel<'r>>,
    /// The record for the problem with height and width swapped, if that is another problem.
    pub mirrored: Option<Record<'d>>,
}

/// A solver of a record.
#[derive(Debug)]
pub struct Recorded<'r, 'd> {
    /// The item in the record.
    pub item: FindDbItem<'d>,
    /// MIOpen's verdict on the solver.
    pub verdict: Verdict<'r>,
}

/// MIOpen's verdict on a solver in a record.
#[derive(Debug)]
pub enum Verdict<'r> {
    /// Taken: the fastest of the remaining ones.
    Taken,
    /// Not chosen, since a faster one is.
    Slower,
    /// Not chosen: the solver refuses the problem.
    Refused(Rejection<'r>),
    /// Not chosen: the registry has no convolution solver with this name. Contains the reason, if known.
    Unknown(Option<&'r NumberWithoutRule>),
    /// Not chosen: this variable turns its algorithm off.
    Off(&'static str),
    /// Not chosen: it needs more workspace than the caller offers.
    Workspace,
    /// Chosen because its recorded time is zero, which means that it was not measured: zero sorts first.
    TakenUnmeasured,
}

impl Verdict<'_> {
    /// Whether it could run.
    pub fn is_applicable(&self) -> bool {
        matches!(self, Verdict::Taken | Verdict::Slower | Verdict::TakenUnmeasured)
    }
}

impl<'r> Selection<'r, '_> {
    /// Whether the find-db decides.
    pub fn is_hit(&self) -> bool {
        self.pick.is_some()
    }

    /// Whether FAST and immediate mode take the first estimate on a miss: they ask no model, or it refuses
    /// the problem.
    pub fn estimates_decide(&self) -> bool {
        self.model.as_ref().is_none_or(AskedModel::estimates_decide)
    }

    /// At what MIOpen dies, in a clause: a solver that a find of the mode in question asks, or a record of a
    /// fusion.
    pub fn why_it_dies(&self) -> Option<String> {
        let crash = self.candidates.crash();
        let of_find = crash.map(|crash| format!("a find asks {}: {}", crash.solver.name, crash.because));
        of_find.or_else(|| {
            self.recorded_fusion().map(|fusion| {
                format!("the record names {fusion}, a fusion, and the immediate mode asks for all of it")
            })
        })
    }

    /// The fusion that a record names, which the immediate mode takes for a convolution solver, and dies.
    pub fn recorded_fusion(&self) -> Option<&str> {
        let fusion = |verdict: &Verdict<'_>| match verdict {
            Verdict::Unknown(Some(other)) => other.kind == NoRuleReason::OtherPrimitive,
            _ => false,
        };
        self.recorded.iter().find(|own| fusion(&own.verdict)).map(|own| own.item.solver)
    }

    /// Why the model makes FAST and immediate mode fail on a miss; `None` if it does not, or the problem has
    /// a record.
    pub fn why_model_fails(&self) -> Option<&str> {
        match self.model.as_ref().filter(|_| !self.is_hit()).map(|model| &model.outcome)? {
            ModelOutcome::Fails(why) => Some(why),
            _ => None,
        }
    }

    /// The first choice of FAST and immediate mode on a miss; `None` if unknown, or if they fail.
    pub fn first_at_once(&self) -> Option<&'r Solver> {
        if self.estimates_decide() {
            return self.estimates.first().map(|estimate| estimate.solver);
        }
        match self.model.as_ref().map(|model| &model.outcome) {
            Some(ModelOutcome::Order(order)) => order.first().copied(),
            _ => None,
        }
    }
}

/// The result for the problem with this key. `workspace` is the number of bytes that the caller offers;
/// `None` is enough for all.
pub fn select<'r, 'd>(
    rules: &'r SolverRules,
    bound: &Bound<'r>,
    key: &str,
    problem: &ConvolutionProblem<'_>,
    databases: FindDbs<'d>,
    workspace: Option<u64>,
) -> Selection<'r, 'd> {
    let context = bound.context();
    let record = if context.is_enabled(NO_FIND_DB) {
        None
    } else {
        let installed = || databases.installed(key).filter(|_| bound.find().reads_installed());
        find_db::find(databases.user, installed, key)
    };
    let derived = Derived::on(context, problem);
    let mut recorded: Vec<Recorded<'r, 'd>> = Vec::new();
    let mut pick = None;
    for item in record.iter().flat_map(|(_, record)| find_db::by_time(record)) {
        let verdict = match judge(rules, bound, context, &derived, &item, workspace) {
            None if pick.is_some() => Verdict::Slower,
            None => {
                pick = Some(recorded.len());
                if item.time_ms == 0.0 { Verdict::TakenUnmeasured } else { Verdict::Taken }
            }
            Some(verdict) => verdict,
        };
        recorded.push(Recorded { item, verdict });
    }
    let mut candidates = bound.candidates(problem);
    let mirror = problem.transposed();
    let mirrored = (mirror != *problem).then(|| databases.installed(&mirror.to_string())).flatten();
    let mut estimates =
        if bound.find().fallback { wti::order(&candidates, problem, context) } else { Vec::new() };
    let enough = |solver: &Solver| workspace.is_none_or(|have| solver.workspace_for(&derived) <= Some(have));
    estimates.retain(|estimate| enough(estimate.solver));
    let files = || match databases.model.filter(|_| pick.is_none()) {
        Some(files) => files.model(tunanet::model_of(context)),
        None => ModelFiles::NotLookedFor,
    };
    let asked = || AskedModel::ask(context, problem, files(), &candidates, workspace);
    let model = bound.find().model.then(asked);
    let named =
        model.as_ref().is_some_and(|asked| matches!(&asked.outcome, ModelOutcome::Order(o) if !o.is_empty()));
    candidates.at_once |= bound.find().immediate && named;
    Selection { record, recorded, pick, candidates, estimates, model, mirrored }
}

/// Why MIOpen skips a recorded solver; `None` if it does not.
fn judge<'r>(
    rules: &'r SolverRules,
    bound: &Bound<'r>,
    context: &Context,
    problem: &Derived,
    item: &FindDbItem<'_>,
    workspace: Option<u64>,
) -> Option<Verdict<'r>> {
    let algorithm = Algorithm::of_name(item.algorithm.name());
    if let Some(switch) = algorithm.map(Algorithm::switch).filter(|switch| context.is_disabled(switch)) {
        return Some(Verdict::Off(switch));
    }
    let Some(index) = rules.index_of(item.solver) else {
        return Some(Verdict::Unknown(rules.others().iter().find(|other| other.name == item.solver)));
    };
    if let Err(rejection) = bound.judge(index, problem) {
        return Some(Verdict::Refused(rejection));
    }
    workspace.is_some_and(|have| item.workspace > have).then_some(Verdict::Workspace)
}
