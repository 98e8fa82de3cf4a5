//! hipBLASLt's dialect of catalogs (TensileLite), and what `hipblasLtMatmulAlgoGetHeuristic` chooses by them.
//!
//! The catalogs have the nodes of [`Node`](super::node::Node) and are walked by the same `Search`; here
//! stands what differs: the problem that a call becomes ([`call`], [`problem`]), its predicates
//! ([`predicate`]), solutions ([`solution`]), the search of a grid of tuned sizes ([`grid`]), the list that
//! is filled up ([`fill`]) and the launches ([`launch`]).
//!
//! Source: hipBLASLt 7.1, whose library was run on a stand-in for the HIP runtime and compared call by call;
//! where that does not reach, the source of releases near it (`projects/hipblaslt` of ROCm/rocm-libraries).

pub mod answer;
pub mod by_source;
pub mod call;
pub mod coverage;
pub mod epilogue;
pub mod fill;
pub mod grid;
pub mod history;
pub mod launch;
pub mod library;
mod pool;
pub mod predicate;
pub mod prediction;
pub mod problem;
pub mod problem_type;
pub mod release;
pub mod size_mapping;
pub mod solution;
pub mod sparse;
pub mod stream_environment;
pub mod stream_k;
pub mod tuned;
pub mod types;

#[cfg(test)]
mod newer_tests;
#[cfg(test)]
mod tests;

use super::catalog::CatalogIndex;
use super::dialect::{CanSolve, Dialect, Placed};
use super::hardware::{self, Hardware, HardwarePredicate};
use super::table::{Match, Metric, Table};
use amdgpu_object::bytes::msgpack::Reader;
use predicate::Predicate;
use problem::Problem;
use rocm_audit_files::error::{ParseError, Parsed, Unanswered};
use solution::{SharedSolutionParts, Solution};
use std::sync::Arc;

/// Catalogs as hipBLASLt reads them. Its nodes and predicates change with each release: what this tool does
/// not know is kept by name, and an answer that depends on it says so.
#[derive(Debug)]
pub struct TensileLite;

/// What of the shared part of a catalog holds for a problem on a device.
#[derive(Debug, Default)]
pub struct SharedConditions {
    predicates: Vec<bool>,
    classes: Vec<bool>,
    hardware: Vec<bool>,
    /// The same of a group's further products.
    members: Vec<SharedConditions>,
    /// What all this is of, where that is not the catalog's own.
    of: Option<Arc<SharedSolutionParts>>,
}

impl Dialect for TensileLite {
    type Problem = Problem;
    type Predicate = Predicate;
    type Solution = Solution;
    type Shared = SharedSolutionParts;
    type Held = SharedConditions;

    fn predicate(reader: &mut Reader<'_>) -> Parsed<Predicate> {
        Predicate::read(reader, 0)
    }

    fn hardware(reader: &mut Reader<'_>) -> Parsed<HardwarePredicate> {
        HardwarePredicate::read(reader, 0, hardware::known_lite)
    }

    fn solutions(reader: &mut Reader<'_>) -> Parsed<(Placed<Solution>, SharedSolutionParts)> {
        pool::read_all(reader)
    }

    fn has_formats() -> bool {
        true
    }

    fn predicts() -> bool {
        true
    }

    fn unknown_node(_: ParseError) -> Parsed<()> {
        Ok(())
    }

    fn index(solution: &Solution) -> u32 {
        solution.index
    }

    fn operation(problem: &Problem) -> &str {
        problem.operation
    }

    fn sizes(problem: &Problem) -> [u64; 4] {
        problem.sizes
    }

    fn failing<'p>(predicate: &'p Predicate, problem: &Problem, catalog: &[u8]) -> Option<&'p Predicate> {
        match predicate {
            Predicate::And(all) => all.iter().find_map(|part| Self::failing(part, problem, catalog)),
            other => (!other.holds(problem, catalog)).then_some(other),
        }
    }

    fn shown(predicate: &Predicate, catalog: &[u8]) -> String {
        predicate.shown(catalog)
    }

    fn unknown(predicate: &Predicate, catalog: &[u8]) -> Option<String> {
        predicate.unknown(catalog)
    }

    fn hold(
        content: &CatalogIndex<Self>,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> SharedConditions {
        let together = content.solutions.visited(catalog).iter().flatten().next();
        let Some(parts) = together.and_then(|solution| solution.apart.clone()) else {
            return content.shared.hold(problem, hardware, catalog);
        };
        SharedConditions { of: Some(Arc::clone(&parts)), ..parts.hold(problem, hardware, catalog) }
    }

    #[inline]
    fn can_solve(
        content: &CatalogIndex<Self>,
        solution: &Solution,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
        held: &SharedConditions,
    ) -> bool {
        content.shared.can_solve(solution, problem, hardware, catalog, held)
    }

    fn obstacle(
        content: &CatalogIndex<Self>,
        solution: &Solution,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> Option<String> {
        content.shared.obstacle(solution, problem, hardware, catalog)
    }

    fn unknown_of(content: &CatalogIndex<Self>, solution: &Solution, catalog: &[u8]) -> Option<String> {
        content.shared.unknown_of(solution, catalog)
    }

    fn ranked(
        content: &CatalogIndex<Self>,
        places: &[u32],
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
        held: &SharedConditions,
    ) -> Result<Vec<u32>, Unanswered> {
        let order = prediction::ranked(content, places, problem, hardware, catalog)?;
        let can = |place: &u32| {
            let solution = content.solutions.get(*place, catalog);
            solution.is_some_and(|own| content.shared.fits(own, problem, hardware, catalog, held))
        };
        Ok(order.into_iter().filter(can).collect())
    }

    fn metric(table: &Table) -> &'static str {
        match table.metric {
            Metric::GridBased => "Grid",
            other => other.name(),
        }
    }

    fn look_up(
        table: &Table,
        problem: &Problem,
        wanted: usize,
        can_solve: CanSolve<'_>,
    ) -> Result<Vec<Match>, Unanswered> {
        match table.metric {
            Metric::Equality => {
                Ok(table.equality(&table.key(&problem.sizes), can_solve).into_iter().collect())
            }
            Metric::GridBased if table.is_of_four_sizes() => {
                Ok(grid::search(table, problem.rules, problem.sizes, wanted, can_solve))
            }
            Metric::GridBased => Err("GridBased table whose keys are not M, N, batch and K".into()),
            // As rocBLAS: one row, whatever is asked for.
            Metric::Euclidean => Ok(table.find(&problem.sizes, can_solve).into_iter().collect()),
        }
    }
}
