//! The way through the nodes: which solution the real library finds for a problem.
#![deny(clippy::indexing_slicing)]

use super::call::Contraction;
use super::catalog::{Catalog, CatalogError};
use super::hardware::Hardware;
use super::node::Node;
use super::predicate::Predicate;
use super::solution::Solution;
use super::table::Table;
use super::trace::{SelectionTrace, Step, Tuned};

/// A solution that was found.
#[derive(Debug, Clone, Copy)]
pub struct Found<'l> {
    /// The catalog it stands in.
    pub catalog: &'l Catalog,
    /// The solution.
    pub solution: &'l Solution,
    /// Distance from the tuned size; `None` where no table was searched.
    pub distance: Option<f64>,
    /// The placeholder that led to the catalog; none in a catalog that holds everything.
    pub placeholder: Option<&'l str>,
}

/// Gives the catalog that a placeholder of a catalog names.
pub(super) trait Catalogs<'l> {
    fn follow(&self, from: &'l Catalog, placeholder: usize) -> Result<(&'l str, &'l Catalog), CatalogError>;
}

/// One search.
pub(super) struct Search<'s, C> {
    pub problem: &'s Contraction,
    pub hardware: &'s Hardware,
    pub catalogs: &'s C,
    pub walk: Option<&'s mut SelectionTrace>,
}

type Outcome<'l> = Result<Option<Found<'l>>, CatalogError>;

impl<'l, C: Catalogs<'l>> Search<'_, C> {
    /// Searches a catalog.
    pub fn catalog(&mut self, catalog: &'l Catalog, placeholder: Option<&'l str>) -> Outcome<'l> {
        self.node(&catalog.content().library, catalog, placeholder)
    }

    fn node(&mut self, node: &'l Node, catalog: &'l Catalog, placeholder: Option<&'l str>) -> Outcome<'l> {
        let found = |place: u32, distance| {
            let solution = catalog.content().solutions.get(place as usize)?;
            Some(Found { catalog, solution, distance, placeholder })
        };
        match node {
            Node::Hardware(rows) => {
                for (row, (predicate, node)) in rows.iter().enumerate() {
                    let holds = predicate.holds(self.hardware);
                    if let Some(walk) = self.walk.as_deref_mut() {
                        let failed = (!holds).then(|| predicate.shown());
                        let (predicate, rows) = (predicate.shown(), rows.len());
                        walk.push(Step::Row { node: "Hardware", row, rows, predicate, failed });
                    }
                    if holds && let Some(found) = self.node(node, catalog, placeholder)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            Node::Problem(rows) => {
                for (row, (predicate, node)) in rows.iter().enumerate() {
                    let holds = predicate.holds(self.problem, catalog.bytes(), 0);
                    if let Some(walk) = self.walk.as_deref_mut() {
                        let failed = first_failing(predicate, self.problem, catalog.bytes());
                        let (predicate, rows) = (predicate.shown(catalog.bytes()), rows.len());
                        walk.push(Step::Row { node: "Problem", row, rows, predicate, failed });
                    }
                    if holds && let Some(found) = self.node(node, catalog, placeholder)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            Node::ProblemMap(map) => {
                let operation = self.problem.operation;
                let child = map.iter().find(|(key, _)| key.of(catalog.bytes()) == operation.as_bytes());
                if let Some(walk) = self.walk.as_deref_mut() {
                    walk.push(Step::Operation { name: operation.to_owned(), found: child.is_some() });
                }
                child.map_or(Ok(None), |(_, node)| self.node(node, catalog, placeholder))
            }
            Node::Placeholder(number) => {
                let (name, other) = self.catalogs.follow(catalog, *number)?;
                if let Some(walk) = self.walk.as_deref_mut() {
                    walk.push(Step::Catalog { name: name.to_owned() });
                }
                self.catalog(other, Some(name))
            }
            Node::Matching(table) => {
                let chosen = self.table(table, catalog);
                Ok(chosen.and_then(|(place, distance)| found(place, Some(distance))))
            }
            Node::DecisionTree(forest) => {
                let problem = self.problem;
                let mut tried = 0;
                let chosen = forest.find(&problem.sizes, |place| {
                    tried += 1;
                    self.can_solve(catalog, place, None)
                });
                if let Some(walk) = self.walk.as_deref_mut() {
                    let chosen = chosen.and_then(|place| index_of(catalog, place));
                    walk.push(Step::Trees { tried, chosen });
                }
                Ok(chosen.and_then(|place| found(place, None)))
            }
            Node::Single(None) => Ok(None),
            Node::Single(Some(place)) => {
                let can_solve = self.can_solve(catalog, *place, None);
                Ok(found(*place, None).filter(|_| can_solve))
            }
        }
    }

    fn table(&mut self, table: &Table, catalog: &'l Catalog) -> Option<(u32, f64)> {
        let problem = self.problem;
        let sizes = &problem.sizes;
        if self.walk.is_none() {
            let hardware = self.hardware;
            let (bytes, solutions) = (catalog.bytes(), &catalog.content().solutions);
            let can_solve = |place: u32| {
                solutions.get(place as usize).is_some_and(|s| s.can_solve(problem, hardware, bytes))
            };
            let best = table.find(sizes, |place, _| can_solve(place))?;
            return Some((best.solution, best.distance));
        }
        let mut tried = 0;
        let best = table.find(sizes, |place, distance| {
            tried += 1;
            self.can_solve(catalog, place, Some(distance))
        });
        let runner_up = best.and_then(|best| {
            let solutions = &catalog.content().solutions;
            let other = |place: u32| {
                let solution = solutions.get(place as usize);
                place != best.solution
                    && solution.is_some_and(|s| s.can_solve(self.problem, self.hardware, catalog.bytes()))
            };
            table.find(sizes, |place, _| other(place))
        });
        let shown = |found: Option<super::table::Match>| {
            found.and_then(|found| {
                let solution = index_of(catalog, found.solution)?;
                Some(Tuned { solution, distance: found.distance, size: table.size(&found) })
            })
        };
        if let Some(walk) = self.walk.as_deref_mut() {
            walk.push(Step::Table {
                metric: table.metric.name(),
                rows: table.rows.len(),
                tried,
                chosen: shown(best),
                runner_up: shown(runner_up),
            });
        }
        best.map(|best| (best.solution, best.distance))
    }

    fn can_solve(&mut self, catalog: &Catalog, place: u32, distance: Option<f64>) -> bool {
        let Some(solution) = catalog.content().solutions.get(place as usize) else { return false };
        let can = solution.can_solve(self.problem, self.hardware, catalog.bytes());
        if let Some(walk) = self.walk.as_deref_mut() {
            let failed =
                if can { None } else { solution.obstacle(self.problem, self.hardware, catalog.bytes()) };
            walk.push(Step::Candidate { solution: solution.index, distance, failed });
        }
        can
    }
}

fn index_of(catalog: &Catalog, place: u32) -> Option<u32> {
    catalog.content().solutions.get(place as usize).map(|solution| solution.index)
}

fn first_failing(predicate: &Predicate, problem: &Contraction, catalog: &[u8]) -> Option<String> {
    match predicate {
        Predicate::And(all) => all.iter().find_map(|part| first_failing(part, problem, catalog)),
        other => (!other.holds(problem, catalog, 0)).then(|| other.shown(catalog)),
    }
}
