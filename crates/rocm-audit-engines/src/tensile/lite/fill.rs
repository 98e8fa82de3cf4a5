//! What the list of algorithms is filled up with where the tables give fewer than are asked for: every
//! solution of the operation and the types that can solve the problem, whatever rows of catalogs say.
//!
//! Source: hipBLASLt, `rocblaslt_auxiliary.cpp` (`rocblaslt_matmul_algo_get_heuristic`), `tensile_host.cpp`
//! (`getAllSolutions`); compared with the library of 7.1.1. The library keeps them in a set ordered by their
//! addresses, so that which of them come first is no property of the files.
#![deny(clippy::indexing_slicing)]

use super::call::{Interface, MatmulCall};
use super::predicate::{Flag, Predicate};
use super::problem::Problem;
use super::{SharedConditions, TensileLite};
use crate::tensile::catalog::{Catalog, CatalogError};
use crate::tensile::catalog_set::CatalogSet;
use crate::tensile::data_type::DataType;
use crate::tensile::dialect::Dialect;
use crate::tensile::hardware::Hardware;
use crate::tensile::node::Node;
use crate::tensile::select::{Catalogs, FoundSolution};
use crate::tensile::trace::{SelectionStep, SelectionTrace};
use std::borrow::Cow;
use std::collections::HashSet;

/// What the list can be filled up with.
#[derive(Debug, Default)]
pub struct Fill<'l> {
    /// The candidates by index, each once.
    pub candidates: Vec<FoundSolution<'l, TensileLite>>,
    /// What was met that this tool does not know.
    pub undecided: Option<String>,
}

struct Collector<'s, 'l> {
    problem: &'s Problem,
    hardware: &'s Hardware,
    catalogs: &'l CatalogSet<TensileLite>,
    fill: Fill<'l>,
    opened: HashSet<usize>,
    tried: usize,
    read: usize,
}

/// A catalog on the way.
struct FillCatalog<'l> {
    catalog: &'l Catalog<TensileLite>,
    placeholder: Option<&'l str>,
    held: SharedConditions,
    asked: Vec<bool>,
}

/// The problem that the list is filled up for; `None` where it is not filled. The extension takes Float where
/// no solution has xf32, has nothing for f64, and does not ask what workspace is allowed to a group.
pub fn problem<'p>(call: &MatmulCall, problem: &'p Problem) -> Option<Cow<'p, Problem>> {
    if call.interface == Interface::C && !problem.grouped {
        return Some(Cow::Borrowed(problem));
    }
    let [a, ..] = problem.types;
    let float = if call.comp.xf32 { DataType::Float } else { problem.f32_math };
    let workspace = if problem.grouped { u64::MAX } else { problem.workspace };
    (a != DataType::Double).then(|| Cow::Owned(Problem { f32_math: float, workspace, ..problem.clone() }))
}

/// Collects the candidates for a problem that are not among `taken`.
///
/// # Errors
/// Where a catalog of these types is missing or malformed. The real library crashes then, and also where one
/// of other types of the operation is: those are not opened here.
pub fn candidates<'l>(
    catalogs: &'l CatalogSet<TensileLite>,
    problem: &Problem,
    hardware: &Hardware,
    taken: &[FoundSolution<'l, TensileLite>],
    walk: Option<&mut SelectionTrace>,
) -> Result<Fill<'l>, CatalogError> {
    let mut collector = Collector {
        problem,
        hardware,
        catalogs,
        fill: Fill::default(),
        opened: HashSet::new(),
        tried: 0,
        read: 0,
    };
    collector.catalog(catalogs.master(), None)?;
    let Collector { mut fill, tried, read, .. } = collector;
    let taken: HashSet<u32> = taken.iter().map(|found| found.solution.index).collect();
    fill.candidates.retain(|found| !taken.contains(&found.solution.index));
    fill.candidates.sort_by_key(|found| found.solution.index);
    fill.candidates.dedup_by_key(|found| found.solution.index);
    if let Some(walk) = walk {
        walk.push(SelectionStep::Fill { catalogs: read, tried, candidates: fill.candidates.len() });
    }
    Ok(fill)
}

impl<'l> Collector<'_, 'l> {
    fn catalog(
        &mut self,
        catalog: &'l Catalog<TensileLite>,
        placeholder: Option<&'l str>,
    ) -> Result<(), CatalogError> {
        let content = catalog.content();
        content.solutions.prepare(catalog.bytes());
        let held = TensileLite::hold(content, self.problem, self.hardware, catalog.bytes());
        let asked = vec![false; content.solutions.len()];
        self.node(&content.library, &mut FillCatalog { catalog, placeholder, held, asked })
    }

    fn node(&mut self, node: &'l Node<TensileLite>, place: &mut FillCatalog<'l>) -> Result<(), CatalogError> {
        match node {
            Node::Hardware(rows) => {
                for (predicate, node) in rows {
                    if predicate.holds(self.hardware) {
                        self.node(node, place)?;
                    }
                }
            }
            Node::Problem(rows) => {
                for (predicate, node) in rows {
                    if self.can_be_of(predicate) {
                        self.node(node, place)?;
                    }
                }
            }
            Node::ProblemMap(map) => {
                let bytes = place.catalog.bytes();
                let own =
                    map.iter().find(|(key, _)| key.in_catalog(bytes) == self.problem.operation.as_bytes());
                if let Some((_, node)) = own {
                    self.node(node, place)?;
                }
            }
            Node::Placeholder(number) => {
                // Several rows can lead to one catalog.
                let of_master = std::ptr::eq(place.catalog, self.catalogs.master());
                if !of_master || self.opened.insert(*number) {
                    let (name, other) = self.catalogs.follow(place.catalog, *number)?;
                    self.read += 1;
                    self.catalog(other, Some(name))?;
                }
            }
            Node::Matching(table) => table.places.iter().for_each(|at| self.ask(*at, place)),
            Node::DecisionTree(forest) => forest.solutions().for_each(|at| self.ask(at, place)),
            Node::Single(None) => {}
            Node::Single(Some(at)) => self.ask(*at, place),
            Node::Prediction(places) | Node::FreeSize(places) => {
                places.iter().for_each(|at| self.ask(*at, place));
            }
            Node::Unknown(kind, at) => {
                let kind = place.catalog.text(*kind);
                self.fill.undecided.get_or_insert_with(|| format!("{kind} node at offset {at}"));
            }
        }
        Ok(())
    }

    /// Whether solutions below a row can be of the problem's types. Those that are not have the same
    /// predicate themselves; their catalog need not be opened.
    fn can_be_of(&self, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::And(all) => all.iter().all(|part| self.can_be_of(part)),
            Predicate::TypesEqual(types) => *types == self.problem.types,
            Predicate::ExperimentalStreamK => self.problem.experimental,
            Predicate::Flag(Flag::GroupedGemm, grouped) => *grouped == self.problem.grouped,
            _ => true,
        }
    }

    fn ask(&mut self, at: u32, place: &mut FillCatalog<'l>) {
        match place.asked.get_mut(at as usize) {
            Some(asked) if !*asked => *asked = true,
            _ => return,
        }
        let catalog = place.catalog;
        let content = catalog.content();
        let Some(solution) = catalog.solution(at) else { return };
        let [a, b, c, d, _] = self.problem.types;
        let same = content.shared.type_of(solution).is_some_and(|ty| {
            (ty.types, ty.compute, ty.grouped) == ([a, b, c, d], self.problem.compute, self.problem.grouped)
        });
        if !same {
            return;
        }
        self.tried += 1;
        if TensileLite::can_solve(
            content,
            solution,
            self.problem,
            self.hardware,
            catalog.bytes(),
            &place.held,
        ) {
            if let Some(unknown) = content.shared.unknown_of(solution, catalog.bytes()) {
                let index = solution.index;
                self.fill.undecided.get_or_insert_with(|| format!("predicate {unknown} of solution {index}"));
            }
            self.fill.candidates.push(FoundSolution {
                catalog,
                solution,
                row: None,
                placeholder: place.placeholder,
            });
        }
    }
}
