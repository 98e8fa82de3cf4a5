//! Solutions by their index, as tuning files and callers name them.
#![deny(clippy::indexing_slicing)]

use super::catalog::Catalog;
use super::catalog_set::CatalogSet;
use super::dialect::Dialect;
use super::hardware::Hardware;
use super::node::Node;
use super::select::FoundSolution;

/// The solution of an index in one of the catalogs that a problem leads to; `None` also where one of those
/// cannot be read.
pub fn of_index<'l, D: Dialect>(
    catalogs: &'l CatalogSet<D>,
    problem: &D::Problem,
    hardware: &Hardware,
    index: u32,
) -> Option<FoundSolution<'l, D>> {
    let mut reached = Vec::new();
    let master = catalogs.master();
    reach(&master.content().library, master, problem, hardware, &mut |node| {
        if let Node::Placeholder(number) = node {
            reached.push(*number);
        }
    });
    let own = in_catalog(catalogs.master(), None, index);
    own.or_else(|| {
        reached.into_iter().find_map(|number| {
            let (name, catalog) = catalogs.other(number)?.ok()?;
            in_catalog(catalog, Some(name), index)
        })
    })
}

/// The solution of an index in any catalog of a folder.
pub fn every_index<D: Dialect>(catalogs: &CatalogSet<D>, index: u32) -> Option<FoundSolution<'_, D>> {
    let all = 0..catalogs.master().content().placeholders.len();
    in_catalog(catalogs.master(), None, index).or_else(|| {
        all.filter_map(|number| catalogs.other(number)?.ok())
            .find_map(|(name, catalog)| in_catalog(catalog, Some(name), index))
    })
}

fn in_catalog<'l, D: Dialect>(
    catalog: &'l Catalog<D>,
    placeholder: Option<&'l str>,
    index: u32,
) -> Option<FoundSolution<'l, D>> {
    let solution = catalog.solution(catalog.content().solutions.place_of(index)?)?;
    Some(FoundSolution { catalog, solution, row: None, placeholder })
}

/// The nodes that the rows of a catalog lead a problem to: those that are no rows themselves.
pub(super) fn reach<'l, D: Dialect>(
    node: &'l Node<D>,
    catalog: &'l Catalog<D>,
    problem: &D::Problem,
    hardware: &Hardware,
    each: &mut dyn FnMut(&'l Node<D>),
) {
    let bytes = catalog.bytes();
    match node {
        Node::Hardware(rows) => {
            let holding = rows.iter().filter(|(predicate, _)| predicate.holds(hardware));
            holding.for_each(|(_, node)| reach(node, catalog, problem, hardware, each));
        }
        Node::Problem(rows) => {
            let holding = rows.iter().filter(|(row, _)| D::failing(row, problem, bytes).is_none());
            holding.for_each(|(_, node)| reach(node, catalog, problem, hardware, each));
        }
        Node::ProblemMap(map) => {
            let operation = D::operation(problem).as_bytes();
            if let Some((_, node)) = map.iter().find(|(key, _)| key.in_catalog(bytes) == operation) {
                reach(node, catalog, problem, hardware, each);
            }
        }
        node => each(node),
    }
}
