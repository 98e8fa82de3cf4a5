//! rocBLAS's dialect of catalogs.
#![deny(clippy::indexing_slicing)]

use super::call::Contraction;
use super::catalog::CatalogIndex;
use super::dialect::{CanSolve, Dialect, Placed};
use super::hardware::{self, Hardware, HardwarePredicate};
use super::predicate::Predicate;
use super::solution::Solution;
use super::table::{Match, Table};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed, Unanswered};

/// Catalogs as rocBLAS 6.4 reads them, which refuses a whole file for one word that it does not know.
#[derive(Debug)]
pub struct RocBlas;

impl Dialect for RocBlas {
    type Problem = Contraction;
    type Predicate = Predicate;
    type Solution = Solution;
    type Shared = ();
    type Held = ();

    fn predicate(reader: &mut Reader<'_>) -> Parsed<Predicate> {
        Predicate::read(reader, 0)
    }

    fn hardware(reader: &mut Reader<'_>) -> Parsed<HardwarePredicate> {
        HardwarePredicate::read(reader, 0, hardware::known)
    }

    fn solutions(reader: &mut Reader<'_>) -> Parsed<(Placed<Solution>, ())> {
        let count = reader.array("the solutions of a Tensile catalog")?;
        let mut solutions = Vec::new();
        for _ in 0..count {
            let at = reader.offset();
            solutions.push((Solution::read(reader)?, at));
        }
        Ok((solutions, ()))
    }

    fn unknown_node(error: ParseError) -> Parsed<()> {
        Err(error)
    }

    fn index(solution: &Solution) -> u32 {
        solution.index
    }

    fn operation(problem: &Contraction) -> &str {
        problem.operation
    }

    fn sizes(problem: &Contraction) -> [u64; 4] {
        problem.sizes
    }

    fn failing<'p>(predicate: &'p Predicate, problem: &Contraction, catalog: &[u8]) -> Option<&'p Predicate> {
        match predicate {
            Predicate::And(all) => all.iter().find_map(|part| Self::failing(part, problem, catalog)),
            other => (!other.holds(problem, catalog, 0)).then_some(other),
        }
    }

    fn shown(predicate: &Predicate, catalog: &[u8]) -> String {
        predicate.shown(catalog)
    }

    fn unknown(_: &Predicate, _: &[u8]) -> Option<String> {
        None
    }

    fn hold(_: &CatalogIndex<Self>, _: &Contraction, _: &Hardware, _: &[u8]) {}

    #[inline]
    fn can_solve(
        _: &CatalogIndex<Self>,
        solution: &Solution,
        problem: &Contraction,
        hardware: &Hardware,
        catalog: &[u8],
        (): &(),
    ) -> bool {
        solution.can_solve(problem, hardware, catalog)
    }

    fn obstacle(
        _: &CatalogIndex<Self>,
        solution: &Solution,
        problem: &Contraction,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> Option<String> {
        solution.obstacle(problem, hardware, catalog)
    }

    fn unknown_of(_: &CatalogIndex<Self>, _: &Solution, _: &[u8]) -> Option<String> {
        None
    }

    fn look_up(
        table: &Table,
        problem: &Contraction,
        _: usize,
        can_solve: CanSolve<'_>,
    ) -> Result<Vec<Match>, Unanswered> {
        Ok(table.find(&problem.sizes, can_solve).into_iter().collect())
    }
}
