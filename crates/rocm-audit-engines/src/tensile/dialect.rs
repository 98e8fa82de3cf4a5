//! The two dialects of Tensile catalogs: rocBLAS's and hipBLASLt's (TensileLite).
//!
//! Both have the same nodes, tables and files. What differs is gathered in [`Dialect`]: the predicates, what
//! a solution holds, how a table of tuned sizes is searched, and what is done with a node that is not known.

use super::catalog::CatalogIndex;
use super::hardware::{Hardware, HardwarePredicate};
use super::solutions::KeptApart;
use super::table::{Match, Table};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed, Unanswered};
use std::fmt::Debug;

/// The solutions of a catalog, each with its offset.
pub type Placed<S> = Vec<(S, u64)>;

/// Asked for a place in the catalog and its distance: whether that solution can solve the problem.
pub type CanSolve<'f> = &'f mut dyn FnMut(u32, f64) -> bool;

/// A dialect of catalogs.
pub trait Dialect: Sized + Debug + 'static {
    /// What is asked.
    type Problem;
    /// A predicate on the problem or the task.
    type Predicate: Debug + Clone;
    /// A solution.
    type Solution: Debug + KeptApart;
    /// What solutions of a catalog share.
    type Shared: Debug + Default;
    /// What of that holds for one problem on one device.
    type Held;

    /// Reads a predicate of a row.
    ///
    /// # Errors
    /// Where it is not what the real library accepts.
    fn predicate(reader: &mut Reader<'_>) -> Parsed<Self::Predicate>;

    /// Reads a predicate on the device.
    ///
    /// # Errors
    /// Where it is not what the real library accepts.
    fn hardware(reader: &mut Reader<'_>) -> Parsed<HardwarePredicate>;

    /// Reads the list of solutions.
    ///
    /// # Errors
    /// Where it is not what the real library accepts.
    fn solutions(reader: &mut Reader<'_>) -> Parsed<(Placed<Self::Solution>, Self::Shared)>;

    /// Whether catalogs say their format.
    fn has_formats() -> bool {
        false
    }

    /// What becomes of a node that is not known: nothing where the search goes on without it and says so.
    ///
    /// # Errors
    /// Where the real library refuses such a file.
    fn unknown_node(error: ParseError) -> Parsed<()>;

    /// Tensile's number of a solution.
    fn index(solution: &Self::Solution) -> u32;

    /// The operation that a problem asks for.
    fn operation(problem: &Self::Problem) -> &str;

    /// Its sizes: M, N, batch, K.
    fn sizes(problem: &Self::Problem) -> [u64; 4];

    /// The first part of a predicate that does not hold. `catalog` are the bytes that its texts stand in.
    fn failing<'p>(
        predicate: &'p Self::Predicate,
        problem: &Self::Problem,
        catalog: &[u8],
    ) -> Option<&'p Self::Predicate>;

    /// A predicate as catalogs spell it.
    fn shown(predicate: &Self::Predicate, catalog: &[u8]) -> String;

    /// A predicate that this tool does not know; the row is taken to hold, and what follows is not decided.
    fn unknown(predicate: &Self::Predicate, catalog: &[u8]) -> Option<String>;

    /// What of the shared part of a catalog holds.
    fn hold(
        content: &CatalogIndex<Self>,
        problem: &Self::Problem,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> Self::Held;

    /// Whether a solution can solve the problem.
    fn can_solve(
        content: &CatalogIndex<Self>,
        solution: &Self::Solution,
        problem: &Self::Problem,
        hardware: &Hardware,
        catalog: &[u8],
        held: &Self::Held,
    ) -> bool;

    /// The first predicate of a solution that does not hold; `None` where it can solve the problem.
    fn obstacle(
        content: &CatalogIndex<Self>,
        solution: &Self::Solution,
        problem: &Self::Problem,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> Option<String>;

    /// A predicate of a solution that this tool does not know.
    fn unknown_of(content: &CatalogIndex<Self>, solution: &Self::Solution, catalog: &[u8]) -> Option<String>;

    /// How a table is searched, in a word.
    fn metric(table: &Table) -> &'static str {
        table.metric.name()
    }

    /// Whether it has nodes whose solutions a model ranks.
    fn predicts() -> bool {
        false
    }

    /// The solutions of such a node that can solve the problem, the best first, or why that is not known.
    ///
    /// # Errors
    /// A sentence, where the model does not have the device or the types.
    fn ranked(
        _: &CatalogIndex<Self>,
        _: &[u32],
        _: &Self::Problem,
        _: &Hardware,
        _: &[u8],
        _: &Self::Held,
    ) -> Result<Vec<u32>, Unanswered> {
        Err("Prediction node".into())
    }

    /// The best `wanted` rows of a table, or why that is not known.
    ///
    /// # Errors
    /// A sentence, where this tool does not know how the library searches such a table.
    fn look_up(
        table: &Table,
        problem: &Self::Problem,
        wanted: usize,
        can_solve: CanSolve<'_>,
    ) -> Result<Vec<Match>, Unanswered>;
}
