//! Solutions of hipBLASLt's catalogs.
//!
//! The thousands of solutions of a catalog are made of some hundred predicates and a handful of problem
//! types, which are read once each and shared. A problem is compared with each predicate once; then a
//! solution is a list of numbers.
#![deny(clippy::indexing_slicing)]

use super::SharedConditions;
use super::predicate::Predicate;
use super::problem::Problem;
use super::problem_type::ProblemType;
use super::size_mapping::SizeMapping;
use super::stream_k;
use crate::tensile::hardware::{Hardware, HardwarePredicate};
use crate::tensile::values::{self, Text};
use std::ops::Range;
use std::sync::Arc;

/// A solution.
#[derive(Debug)]
pub struct Solution {
    /// Its number, unique in a library folder.
    pub index: u32,
    /// Its name.
    pub name: Text,
    /// Its kernel. Several solutions launch one kernel with other arguments.
    pub kernel: Text,
    /// How sizes become a grid.
    pub mapping: SizeMapping,
    /// Its predicates on what is asked, as a place in [`SharedSolutionParts::classes`].
    pub(super) class: u32,
    /// Its predicates on sizes, as places in [`SharedSolutionParts::own`].
    pub(super) own: Range<u32>,
    /// Its predicate on the device.
    pub(super) hardware: u32,
    /// What it solves, as a place in [`SharedSolutionParts::types`].
    pub(super) problem_type: u32,
    /// Whether the workspace is checked.
    pub(super) checks_workspace: bool,
    /// A predicate that this tool does not know.
    pub(super) unknown: Option<Text>,
    /// Of a solution of a catalog of format 2, what it shares with those that were read together with it, if
    /// any.
    pub(super) apart: Option<Arc<SharedSolutionParts>>,
}

/// What the solutions of a catalog share.
#[derive(Debug, Default)]
pub struct SharedSolutionParts {
    pub(super) predicates: Vec<Predicate>,
    pub(super) classes: Vec<Box<[u32]>>,
    pub(super) own: Vec<u32>,
    pub(super) hardware: Vec<HardwarePredicate>,
    /// What the solutions solve.
    pub types: Vec<ProblemType>,
}

impl SharedSolutionParts {
    /// Holds a problem against each predicate.
    pub(super) fn hold(&self, problem: &Problem, hardware: &Hardware, catalog: &[u8]) -> SharedConditions {
        let predicates: Vec<bool> = self.predicates.iter().map(|p| p.holds(problem, catalog)).collect();
        let all = |class: &[u32]| class.iter().all(|at| holds(&predicates, *at));
        let classes = self.classes.iter().map(|class| all(class)).collect();
        let members = problem.members.iter().map(|member| self.hold(member, hardware, catalog)).collect();
        let hardware = self.hardware.iter().map(|p| p.holds(hardware)).collect();
        SharedConditions { predicates, classes, hardware, members, of: None }
    }

    /// Whether a solution can solve the problem; what is not known of it is taken to hold.
    #[inline]
    pub(super) fn can_solve(
        &self,
        solution: &Solution,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
        held: &SharedConditions,
    ) -> bool {
        self.fits(solution, problem, hardware, catalog, held)
            && (!solution.checks_workspace || self.fits_workspace(solution, problem))
    }

    /// What the places in a solution are places in: this, but for one of a catalog of format 2.
    fn behind<'s>(&'s self, solution: &'s Solution) -> &'s SharedSolutionParts {
        solution.apart.as_deref().unwrap_or(self)
    }

    /// Whether its predicates on problem and device hold, without the workspace, which a model's ranking does
    /// not check.
    pub(super) fn fits(
        &self,
        solution: &Solution,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
        held: &SharedConditions,
    ) -> bool {
        match &solution.apart {
            // It was read before the others, or while what holds was looked up.
            Some(own) if !held.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, own)) => {
                let mut all = std::iter::once(problem).chain(&problem.members);
                let can = self.predicates_of(solution);
                own.hardware.get(solution.hardware as usize).is_some_and(|p| p.holds(hardware))
                    && all.all(|one| can.clone().all(|p| p.holds(one, catalog)))
            }
            _ => self.holds_all(solution, held),
        }
    }

    /// Its predicates on the problem.
    fn predicates_of<'s>(&'s self, solution: &'s Solution) -> impl Iterator<Item = &'s Predicate> + Clone {
        let shared = self.behind(solution);
        let class = shared.classes.get(solution.class as usize).map(|class| &**class).unwrap_or_default();
        let places = class.iter().chain(self.own_of(solution));
        places.filter_map(|at| shared.predicates.get(*at as usize))
    }

    fn holds_all(&self, solution: &Solution, held: &SharedConditions) -> bool {
        holds(&held.hardware, solution.hardware)
            && std::iter::once(held).chain(&held.members).all(|held| {
                holds(&held.classes, solution.class)
                    && self.own_of(solution).iter().all(|at| holds(&held.predicates, *at))
            })
    }

    /// The workspace check: partial sums of at most 128 MiB, and no more workspace than allowed. A group
    /// needs that of all its products.
    fn fits_workspace(&self, solution: &Solution, problem: &Problem) -> bool {
        std::iter::once(problem).chain(&problem.members).all(|one| solution.sums_fit(one))
            && self.workspace(solution, problem) <= problem.workspace
    }

    /// Bytes of workspace that a solution needs for a problem; for a group, with the arguments of its
    /// products.
    pub fn workspace(&self, solution: &Solution, problem: &Problem) -> u64 {
        let own = stream_k::workspace(&solution.mapping, problem);
        if !problem.grouped {
            return own;
        }
        let has_bias = self.type_of(solution).is_some_and(|of| of.use_bias);
        let arguments = if has_bias { ARGUMENTS_WITH_BIAS } else { ARGUMENTS };
        let members = problem.members.iter().map(|member| stream_k::workspace(&solution.mapping, member));
        let products = problem.members.len() as u64 + 1;
        members.fold(own.wrapping_add(arguments.wrapping_mul(products)), u64::wrapping_add)
    }

    fn own_of<'s>(&'s self, solution: &'s Solution) -> &'s [u32] {
        self.behind(solution)
            .own
            .get(solution.own.start as usize..solution.own.end as usize)
            .unwrap_or_default()
    }

    /// What a solution solves.
    pub fn type_of<'s>(&'s self, solution: &'s Solution) -> Option<&'s ProblemType> {
        self.behind(solution).types.get(solution.problem_type as usize)
    }

    pub(super) fn obstacle(
        &self,
        solution: &Solution,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> Option<String> {
        let shared = self.behind(solution);
        for (place, one) in std::iter::once(problem).chain(&problem.members).enumerate() {
            let mut all = self.predicates_of(solution);
            if let Some(predicate) = all.find(|predicate| !predicate.holds(one, catalog)) {
                let member = if place > 0 { format!("product {}: ", place + 1) } else { String::new() };
                return Some(member + &predicate.shown(catalog));
            }
        }
        if let Some(device) = shared.hardware.get(solution.hardware as usize).filter(|p| !p.holds(hardware)) {
            return Some(device.shown());
        }
        (solution.checks_workspace && !self.fits_workspace(solution, problem)).then(|| {
            let needed = self.workspace(solution, problem);
            format!("WorkspaceCheck: {needed} bytes are needed, {} allowed", problem.workspace)
        })
    }

    pub(super) fn unknown_of(&self, solution: &Solution, catalog: &[u8]) -> Option<String> {
        solution.unknown.map(|name| values::shown(name.in_catalog(catalog)))
    }
}

fn holds(all: &[bool], at: u32) -> bool {
    all.get(at as usize).copied().unwrap_or(false)
}

/// Bytes of the arguments of a product in a group, and where its solution adds a bias.
const ARGUMENTS: u64 = 168;
const ARGUMENTS_WITH_BIAS: u64 = 240;

/// Most bytes that partial sums may take, whatever is allowed. Source: `ContractionTaskPredicates.hpp`,
/// `WorkspaceCheck`.
const MOST_PARTIAL_SUMS: u64 = 128 << 20;

impl Solution {
    /// Whether its partial sums are few enough.
    fn sums_fit(&self, problem: &Problem) -> bool {
        let mapping = &self.mapping;
        let split = Some(mapping.split(problem)).filter(|split| *split > 1).unwrap_or(0);
        let sums = problem.outputs().wrapping_mul(mapping.workspace_per_element).wrapping_mul(split);
        sums <= MOST_PARTIAL_SUMS
    }
}
