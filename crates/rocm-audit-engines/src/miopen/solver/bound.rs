//! Rules bound to a context: conditions on the device, the build and the environment are decided once.

use super::clause::{Algorithm, Clause, Solver};
use super::context::Context;
use super::crash::{self, Crash};
use super::find::{Find, FindMode};
use super::finders;
use super::pattern::Matches;
use super::rules::SolverRules;
use super::tuning;
use super::variable::Derived;
use super::wti;
use crate::miopen::problem::{ConvolutionProblem, Direction};
use std::collections::BTreeSet;
use std::fmt;

/// A refused solver, and the refusing clause.
#[derive(Debug, Clone, Copy)]
pub struct Rejection<'r> {
    /// The solver.
    pub solver: &'r Solver,
    /// The clause that refuses.
    pub clause: &'r Clause,
    /// The exact reason, if the clause checks several things; may be empty.
    pub detail: &'static str,
}

impl fmt::Display for Rejection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.solver.name, self.clause.id, self.clause.because)?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

/// Rules for one context.
#[derive(Debug)]
pub struct Bound<'r> {
    context: Context,
    find: Find,
    solvers: Vec<InContext<'r>>,
}

#[derive(Debug)]
struct InContext<'r> {
    solver: &'r Solver,
    /// The clause that refuses every problem, with its detail.
    never: Option<(&'r Clause, &'static str)>,
    /// Clauses on the device, the build or the environment that refuse some problems, with their details.
    sometimes: Vec<(&'r Clause, &'static str)>,
    /// The clauses on the problem, which remain to be checked.
    asked: Vec<&'r Clause>,
}

impl<'r> Bound<'r> {
    pub(super) fn new(rules: &'r SolverRules, context: &Context) -> Bound<'r> {
        let matches = rules.matches(&context.target);
        let in_context = |solver| InContext::new(solver, context, &matches);
        let solvers = rules.solvers().iter().map(in_context).collect();
        // [`Find::in_context`] rejects values at which MIOpen stops before this; here they count as not set.
        let find = Find::in_context(context, rules).unwrap_or_default();
        Bound { context: context.clone(), find, solvers }
    }

    /// How a find works.
    pub fn find(&self) -> &Find {
        &self.find
    }

    /// The assumptions.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Whether the solver at an index of [`SolverRules::solvers`](super::rules::SolverRules::solvers) accepts
    /// a problem.
    ///
    /// # Errors
    ///
    /// The first clause that refuses it. No clause refuses an index beyond the solvers.
    #[inline]
    pub fn judge(&self, solver: usize, problem: &Derived) -> Result<(), Rejection<'r>> {
        self.solvers.get(solver).map_or(Ok(()), |bound| bound.judge(problem))
    }

    /// Every solver, with the condition on the device, the build or the environment that refuses every
    /// problem, if any.
    pub fn admissions(&self) -> impl Iterator<Item = (&'r Solver, Option<Rejection<'r>>)> {
        let never = |bound: &InContext<'r>| {
            let solver = bound.solver;
            (solver, bound.never.map(|(clause, detail)| Rejection { solver, clause, detail }))
        };
        self.solvers.iter().map(never)
    }

    /// Judges every solver.
    pub fn candidates(&self, problem: &ConvolutionProblem<'_>) -> Candidates<'r> {
        let derived = Derived::on(&self.context, problem);
        let mut all = Candidates {
            applicable: Vec::new(),
            rejected: Vec::new(),
            only_winograd: false,
            at_once: false,
            crashes: Vec::new(),
            ended_finder: None,
            weights: problem.direction == Direction::BackwardWeights,
            refused_by_find: problem.direction == Direction::BackwardWeights
                && problem.data_type.ends_with("INT8"),
            find: self.find.clone(),
        };
        for bound in &self.solvers {
            match bound.judge(&derived) {
                Ok(()) => all.applicable.push(bound.solver),
                Err(rejection) => all.rejected.push(rejection),
            }
        }
        all.ended_finder = tuning::ended_finder(&all.applicable, &self.context, &derived);
        all.crashes =
            all.applicable.iter().filter_map(|solver| crash::crash_of_solver(solver, &derived)).collect();
        let fast = |solver: &&Solver| solver.name == "ConvBinWinograd3x3U";
        let wide = problem.filters >= 16 && problem.filters.is_multiple_of(2);
        // The shortcut is off if only some solvers are searched.
        all.only_winograd = wide && self.find.only.is_none() && all.applicable.iter().any(fast);
        let estimated = |solver: &Solver| wti::estimate(solver, &derived, &self.context).is_some();
        all.at_once = self.find.immediate && all.dynamic().any(estimated);
        all
    }
}

/// Whether one solver accepts a problem in a context.
///
/// # Errors
///
/// The first clause that refuses it.
#[cfg(test)]
pub(super) fn judge_one<'r>(
    rules: &SolverRules,
    solver: &'r Solver,
    context: &Context,
    problem: &Derived,
) -> Result<(), Rejection<'r>> {
    InContext::new(solver, context, &rules.matches(&context.target)).judge(problem)
}

impl<'r> InContext<'r> {
    fn new(solver: &'r Solver, context: &Context, matches: &Matches) -> Self {
        let counting = || solver.clauses.iter().filter(|clause| clause.counts.in_context(context, matches));
        let failing = || counting().filter(|clause| !clause.test.holds_in(context, matches));
        let told = |clause: &'r Clause| (clause, clause.test.detail_in(context));
        InContext {
            solver,
            never: failing().find(|clause| clause.when.is_none()).map(told),
            sometimes: failing().filter(|clause| clause.when.is_some()).map(told).collect(),
            asked: counting().filter(|clause| clause.test.is_about_problem()).collect(),
        }
    }

    #[inline]
    fn judge(&self, problem: &Derived) -> Result<(), Rejection<'r>> {
        if let Some((clause, detail)) = self.never {
            return Err(Rejection { solver: self.solver, clause, detail });
        }
        let refusing =
            |(clause, _): &&(&'r Clause, _)| clause.when.as_ref().is_some_and(|when| when.holds(problem));
        if let Some(&(clause, detail)) = self.sometimes.iter().find(refusing) {
            return Err(Rejection { solver: self.solver, clause, detail });
        }
        for &clause in &self.asked {
            if let Some(detail) = clause.reject(problem) {
                return Err(Rejection { solver: self.solver, clause, detail });
            }
        }
        Ok(())
    }
}

/// Every solver's verdict on one problem, in registry order.
#[derive(Debug, Clone)]
pub struct Candidates<'r> {
    /// Solvers that accept it.
    pub applicable: Vec<&'r Solver>,
    /// Solvers that refuse it.
    pub rejected: Vec<Rejection<'r>>,
    /// Whether a find searches only Winograd: ConvBinWinograd3x3U accepts the problem and the output channels
    /// are even and at least 16 (`src/convolution.cpp:385-401`).
    pub only_winograd: bool,
    /// Whether a model or estimates answer a miss without measuring.
    pub at_once: bool,
    /// Whether a find refuses the problem before it tries any solver: the gradient of INT8 weights
    /// (`src/ocl/convolutionocl.cpp:1095`). Immediate mode answers it.
    pub refused_by_find: bool,
    /// Solvers that accept the problem but crash MIOpen when a find requests their kernels.
    pub crashes: Vec<Crash<'r>>,
    /// The algorithm whose finder ends with an exception, so that a find searches none of its solvers: the
    /// model is missing that one of them asks ([`tuning`]).
    pub ended_finder: Option<Algorithm>,
    /// The problem is of backward weights.
    weights: bool,
    /// How the find works.
    pub find: Find,
}

impl<'r> Candidates<'r> {
    /// The solvers measured on a miss: by default dynamic ones, and only Winograd if the shortcut applies.
    pub fn measured(&self) -> impl Iterator<Item = &'r Solver> {
        let any = self.find.mode != FindMode::DynamicHybrid;
        let searched = self.searched().filter(move |solver| any || solver.dynamic);
        searched.filter(|_| !self.at_once && !self.refused_by_find)
    }

    /// The first solver that crashes a find in this mode.
    pub fn crash(&self) -> Option<&Crash<'r>> {
        let measured = |id: u16| self.measured().any(|solver| solver.id == id);
        self.crashes.iter().find(|crash| measured(crash.solver.id))
    }

    /// The solvers that an exhaustive find measures.
    pub fn searched(&self) -> impl Iterator<Item = &'r Solver> {
        let winograd = |solver: &Solver| !self.only_winograd || solver.algorithm == Algorithm::Winograd;
        let searched = move |solver: &&Solver| winograd(solver) && self.is_searched(solver);
        self.applicable.iter().copied().filter(searched)
    }

    /// Applicable solvers that a find would search without the Winograd shortcut, in the order in which it
    /// tries them.
    pub fn searched_in_full(&self) -> Vec<&'r Solver> {
        let mut all: Vec<_> =
            self.applicable.iter().copied().filter(|solver| self.is_searched(solver)).collect();
        all.sort_by_key(|solver| finders::place(solver, self.weights));
        all
    }

    /// Whether the way of the find, and the finder of the solver's algorithm, reach it.
    fn is_searched(&self, solver: &Solver) -> bool {
        self.find.searches(solver.id) && self.ended_finder != Some(solver.algorithm)
    }

    /// Applicable solvers that need no compilation per problem, whatever a find would search.
    pub fn dynamic(&self) -> impl Iterator<Item = &'r Solver> {
        self.applicable.iter().copied().filter(|solver| solver.dynamic)
    }

    /// The algorithms for which a find records a time.
    pub fn algorithms(&self) -> BTreeSet<Algorithm> {
        self.searched().map(|solver| solver.algorithm).collect()
    }
}
