//! The way through the nodes: which solutions the real library finds for a problem, in which order.
//!
//! rocBLAS asks for one solution, hipBLASLt for as many as its caller wants: later rows then complete the
//! list of earlier ones. The walk is the same.
#![deny(clippy::indexing_slicing)]

use super::catalog::{Catalog, CatalogError};
use super::dialect::Dialect;
use super::hardware::{self, Hardware};
use super::node::Node;
use super::rocblas::RocBlas;
use super::table::{Match, Table};
use super::trace::{SelectionStep, SelectionTrace, TunedRow};

/// A solution that was found.
#[derive(Debug)]
pub struct FoundSolution<'l, D: Dialect = RocBlas> {
    /// The catalog it stands in.
    pub catalog: &'l Catalog<D>,
    /// The solution.
    pub solution: &'l D::Solution,
    /// The row of the table that named it; `None` where no table was searched.
    pub row: Option<Match>,
    /// The placeholder that led to the catalog; none in a catalog that holds everything.
    pub placeholder: Option<&'l str>,
}

impl<D: Dialect> Clone for FoundSolution<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Dialect> Copy for FoundSolution<'_, D> {}

impl<D: Dialect> FoundSolution<'_, D> {
    /// Distance from the tuned size; `None` where no table was searched.
    pub fn distance(&self) -> Option<f64> {
        self.row.map(|row| row.distance)
    }
}

/// Gives the catalog that a placeholder of a catalog names.
pub(super) trait Catalogs<'l, D: Dialect> {
    fn follow(
        &self,
        from: &'l Catalog<D>,
        placeholder: usize,
    ) -> Result<(&'l str, &'l Catalog<D>), CatalogError>;
}

/// One search.
pub(super) struct Search<'s, 'l, D: Dialect, C> {
    pub problem: &'s D::Problem,
    pub hardware: &'s Hardware,
    pub catalogs: &'s C,
    pub walk: Option<&'s mut SelectionTrace>,
    /// How many solutions are asked for.
    pub wanted: usize,
    /// What was found, in order.
    pub found: Vec<FoundSolution<'l, D>>,
    /// What the search met that this tool does not know. What was found before it stands; the rest is not
    /// known.
    pub undecided: Option<String>,
}

type Outcome = Result<(), CatalogError>;

/// A catalog on the way, and what of its shared part holds.
struct VisitedCatalog<'l, D: Dialect> {
    catalog: &'l Catalog<D>,
    placeholder: Option<&'l str>,
    held: D::Held,
}

impl<'s, 'l, D: Dialect, C: Catalogs<'l, D>> Search<'s, 'l, D, C> {
    pub fn new(
        problem: &'s D::Problem,
        hardware: &'s Hardware,
        catalogs: &'s C,
        walk: Option<&'s mut SelectionTrace>,
        wanted: usize,
    ) -> Self {
        Search { problem, hardware, catalogs, walk, wanted, found: Vec::new(), undecided: None }
    }

    /// Searches a catalog.
    pub fn catalog(&mut self, catalog: &'l Catalog<D>, placeholder: Option<&'l str>) -> Outcome {
        let content = catalog.content();
        let held = D::hold(content, self.problem, self.hardware, catalog.bytes());
        self.node(&content.library, &VisitedCatalog { catalog, placeholder, held })
    }

    fn is_over(&self) -> bool {
        self.found.len() >= self.wanted || self.undecided.is_some()
    }

    fn node(&mut self, node: &'l Node<D>, place: &VisitedCatalog<'l, D>) -> Outcome {
        let catalog = place.catalog;
        match node {
            Node::Hardware(rows) => {
                let turns = hardware::turns(rows, self.hardware);
                let in_turn = turns.into_iter().filter_map(|row| Some((row, rows.get(row)?)));
                for (row, (predicate, node)) in in_turn {
                    let holds = predicate.holds(self.hardware);
                    if let Some(walk) = self.walk.as_deref_mut() {
                        let failed = (!holds).then(|| predicate.shown());
                        let (predicate, rows) = (predicate.shown(), rows.len());
                        walk.push(SelectionStep::Row { node: "Hardware", row, rows, predicate, failed });
                    }
                    if holds {
                        self.node(node, place)?;
                    }
                    if self.is_over() {
                        break;
                    }
                }
            }
            Node::Problem(rows) => self.problem_rows(rows, place)?,
            Node::ProblemMap(map) => {
                let operation = D::operation(self.problem);
                let child =
                    map.iter().find(|(key, _)| key.in_catalog(catalog.bytes()) == operation.as_bytes());
                if let Some(walk) = self.walk.as_deref_mut() {
                    walk.push(SelectionStep::Operation {
                        name: operation.to_owned(),
                        found: child.is_some(),
                    });
                }
                if let Some((_, node)) = child {
                    self.node(node, place)?;
                }
            }
            Node::Placeholder(number) => {
                let (name, other) = self.catalogs.follow(catalog, *number)?;
                if let Some(walk) = self.walk.as_deref_mut() {
                    walk.push(SelectionStep::Catalog { name: name.to_owned() });
                }
                self.catalog(other, Some(name))?;
            }
            Node::Matching(table) => self.table(table, place),
            Node::DecisionTree(forest) => {
                let [m, n, batch, k] = D::sizes(self.problem);
                let mut tried = 0;
                let chosen = forest.find(&[m, n, batch, k], |solution| {
                    tried += 1;
                    self.can_solve(place, solution, None)
                });
                if let Some(walk) = self.walk.as_deref_mut() {
                    let chosen = chosen.and_then(|solution| index_of(catalog, solution));
                    walk.push(SelectionStep::Trees { tried, chosen });
                }
                if let Some(chosen) = chosen {
                    self.push(place, chosen, None);
                }
            }
            Node::Single(None) => {}
            Node::Single(Some(solution)) => {
                if self.can_solve(place, *solution, None) {
                    self.push(place, *solution, None);
                }
            }
            Node::Prediction(places) => self.prediction(places, place),
            Node::FreeSize(places) => {
                if let Some(walk) = self.walk.as_deref_mut() {
                    walk.push(SelectionStep::FreeSize { solutions: places.len() });
                }
            }
            Node::Unknown(kind, at) => {
                let what = format!("{} node at offset {at} of {}", catalog.text(*kind), file_name(catalog));
                self.stop(what);
            }
        }
        Ok(())
    }

    fn problem_rows(
        &mut self,
        rows: &'l [(D::Predicate, Node<D>)],
        place: &VisitedCatalog<'l, D>,
    ) -> Outcome {
        let catalog = place.catalog;
        let bytes = catalog.bytes();
        for (row, (predicate, node)) in rows.iter().enumerate() {
            let failing = D::failing(predicate, self.problem, bytes);
            if let Some(walk) = self.walk.as_deref_mut() {
                let failed = failing.map(|part| D::shown(part, bytes));
                let (predicate, rows) = (D::shown(predicate, bytes), rows.len());
                walk.push(SelectionStep::Row { node: "Problem", row, rows, predicate, failed });
            }
            if failing.is_none() {
                if let Some(unknown) = D::unknown(predicate, bytes) {
                    self.stop(format!("predicate {unknown} of a row in {}", file_name(catalog)));
                    break;
                }
                self.node(node, place)?;
            }
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// Takes as many of a model's solutions as are asked for.
    fn prediction(&mut self, places: &[u32], place: &VisitedCatalog<'l, D>) {
        let catalog = place.catalog;
        let content = catalog.content();
        let ranked =
            match D::ranked(content, places, self.problem, self.hardware, catalog.bytes(), &place.held) {
                Ok(ranked) => ranked,
                Err(what) => return self.stop(format!("{what} in {}", file_name(catalog))),
            };
        if let Some(walk) = self.walk.as_deref_mut() {
            let chosen = ranked.first().and_then(|first| index_of(catalog, *first));
            walk.push(SelectionStep::Ranked { solutions: places.len(), able: ranked.len(), chosen });
        }
        let wanted = self.wanted.saturating_sub(self.found.len());
        for at in ranked.into_iter().take(wanted) {
            let Some(solution) = catalog.solution(at) else { continue };
            if let Some(unknown) = D::unknown_of(content, solution, catalog.bytes()) {
                let index = D::index(solution);
                return self
                    .stop(format!("predicate {unknown} of solution {index} in {}", file_name(catalog)));
            }
            self.found.push(FoundSolution { catalog, solution, row: None, placeholder: place.placeholder });
        }
    }

    /// Notes a solution; what follows one with a predicate that is not known is not decided, nor is it
    /// itself.
    fn push(&mut self, place: &VisitedCatalog<'l, D>, solution: u32, row: Option<Match>) {
        let catalog = place.catalog;
        let content = catalog.content();
        let Some(solution) = catalog.solution(solution) else { return };
        if let Some(unknown) = D::unknown_of(content, solution, catalog.bytes()) {
            let index = D::index(solution);
            return self.stop(format!("predicate {unknown} of solution {index} in {}", file_name(catalog)));
        }
        self.found.push(FoundSolution { catalog, solution, row, placeholder: place.placeholder });
    }

    fn stop(&mut self, what: String) {
        if let Some(walk) = self.walk.as_deref_mut() {
            walk.push(SelectionStep::Unknown { what: what.clone() });
        }
        self.undecided.get_or_insert(what);
    }

    fn table(&mut self, table: &Table, place: &VisitedCatalog<'l, D>) {
        let catalog = place.catalog;
        let wanted = self.wanted.saturating_sub(self.found.len());
        let (problem, hardware) = (self.problem, self.hardware);
        let (bytes, content) = (catalog.bytes(), catalog.content());
        let mut tried = 0;
        let looked_up = if self.walk.is_none() {
            D::look_up(table, problem, wanted, &mut |at, _| {
                let solution = catalog.solution(at);
                solution.is_some_and(|s| D::can_solve(content, s, problem, hardware, bytes, &place.held))
            })
        } else {
            D::look_up(table, problem, wanted, &mut |at, distance| {
                tried += 1;
                self.can_solve(place, at, Some(distance))
            })
        };
        let rows = match looked_up {
            Ok(rows) => rows,
            Err(what) => return self.stop(format!("{what} in {}", file_name(catalog))),
        };
        if self.walk.is_some() {
            self.account(table, place, &rows, tried);
        }
        for row in rows {
            if self.undecided.is_none() {
                self.push(place, row.solution, Some(row));
            }
        }
    }

    /// Notes what a table gave, and what it would give without the first.
    fn account(&mut self, table: &Table, place: &VisitedCatalog<'l, D>, rows: &[Match], tried: usize) {
        let catalog = place.catalog;
        let content = catalog.content();
        let best = rows.first().copied();
        let mut next = rows.get(1).copied();
        if let (Some(best), None) = (best, next) {
            let mut other = |at: u32, _: f64| {
                at != best.solution
                    && catalog.solution(at).is_some_and(|s| {
                        D::can_solve(content, s, self.problem, self.hardware, catalog.bytes(), &place.held)
                    })
            };
            next = D::look_up(table, self.problem, 1, &mut other).ok().and_then(|rows| rows.first().copied());
        }
        let shown = |found: Option<Match>| {
            found.and_then(|found| {
                let solution = index_of(catalog, found.solution)?;
                Some(TunedRow { solution, distance: found.distance, size: table.size(&found) })
            })
        };
        let (metric, count) = (D::metric(table), table.rows.len());
        if let Some(walk) = self.walk.as_deref_mut() {
            walk.push(SelectionStep::Table {
                metric,
                rows: count,
                tried,
                chosen: shown(best),
                runner_up: shown(next),
            });
        }
    }

    fn can_solve(&mut self, place: &VisitedCatalog<'l, D>, at: u32, distance: Option<f64>) -> bool {
        let catalog = place.catalog;
        let content = catalog.content();
        let Some(solution) = catalog.solution(at) else { return false };
        let (problem, hardware, bytes) = (self.problem, self.hardware, catalog.bytes());
        let can = D::can_solve(content, solution, problem, hardware, bytes, &place.held);
        if let Some(walk) = self.walk.as_deref_mut() {
            let failed = if can { None } else { D::obstacle(content, solution, problem, hardware, bytes) };
            walk.push(SelectionStep::Candidate { solution: D::index(solution), distance, failed });
        }
        can
    }
}

fn index_of<D: Dialect>(catalog: &Catalog<D>, place: u32) -> Option<u32> {
    catalog.content().solutions.index_at(place)
}

pub(super) fn file_name<D: Dialect>(catalog: &Catalog<D>) -> String {
    catalog.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
