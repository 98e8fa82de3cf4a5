//! A catalog in outline: what it ships and where it leads, which is what catalogs and code objects are held
//! together by.
#![deny(clippy::indexing_slicing)]

use super::catalog::{Catalog, CatalogIndex};
use super::hardware::HardwarePredicate;
use super::launch;
use super::node::Node;
use super::predicate::Predicate;
use super::values::Text;
use rocm_audit_files::error::ParseError;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What a catalog holds, without what only selection needs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct CatalogSummary {
    /// The solutions in the order of the file.
    pub solutions: Vec<Shipped>,
    /// For which devices it leads to which other catalogs; only the master catalog of a target does.
    pub rows: Vec<DeviceRow>,
    /// The catalogs it names, without extension, and where they stand in the file.
    pub placeholders: Vec<(String, u64)>,
    /// Tables of tuned sizes.
    pub tables: u64,
    /// Tables without a row.
    pub empty_tables: u64,
    /// Rows of all tables, and decision trees.
    pub tuned: u64,
    /// Helper kernels that the solutions it leads to can need, and how many need each.
    pub helpers: BTreeMap<String, u64>,
    /// Nodes that this tool does not know and did not follow; rocBLAS refuses such a file.
    pub unknown_nodes: u64,
    /// Whether it is of format 2.
    pub indexed: bool,
    /// Of format 2, how many solutions have bytes that cannot be read, and what is wrong with the first of
    /// these.
    pub unreadable: Option<(u64, ParseError)>,
}

/// A solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Tensile's number for it.
    pub index: u32,
    /// Its kernel.
    pub kernel: Text,
    /// Whether the kernel is compiled from HIP source, which decides in which file it is.
    pub source_kernel: bool,
    /// Whether a table or a tree leads to it.
    pub reached: bool,
    /// Whether it asks for beta or for C being D, which rocBLAS's cache does not tell apart.
    pub outside_cache_key: bool,
    /// Whether it takes matrices that lie at a distance from each other: one product, or strided batches.
    pub plain: bool,
    /// Whether it takes batches by arrays of pointers.
    pub arrays: bool,
    /// Helper kernels that it can need, as bits by their places in [`CatalogSummary::helpers`].
    pub helpers: u64,
}

/// A row of the master catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceRow {
    /// The processor it asks for; none takes every device.
    pub processor: Option<String>,
    /// The number of compute units it asks for.
    pub compute_units: Option<u64>,
    /// The catalogs below it, as places among the placeholders.
    pub leads_to: Vec<usize>,
    /// The solutions of the same catalog below it, as places among them; only where everything is in one
    /// catalog.
    pub reaches: Vec<usize>,
}

impl CatalogSummary {
    /// Of a catalog that was read in full.
    pub fn from_catalog(catalog: &Catalog) -> CatalogSummary {
        CatalogSummary::of_content(catalog.content())
    }

    /// Of what was read of a catalog.
    pub(super) fn of_content(content: &CatalogIndex) -> CatalogSummary {
        let mut outline =
            CatalogSummary { placeholders: content.placeholders.clone(), ..CatalogSummary::default() };
        let mut reached = vec![false; content.solutions.len()];
        outline.follow(&content.library, &mut |place| {
            if let Some(solution) = reached.get_mut(place as usize) {
                *solution = true;
            }
        });
        outline.rows = rows(&content.library);
        if let (Node::Hardware(below), true) = (&content.library, outline.tables > 0) {
            for (row, (_, node)) in outline.rows.iter_mut().zip(below) {
                // As many steps as the row has, however many solutions there are.
                let mut own = BTreeSet::new();
                CatalogSummary::default().follow(node, &mut |place| _ = own.insert(place as usize));
                row.reaches = own.into_iter().filter(|place| *place < content.solutions.len()).collect();
            }
        }
        let needed: Vec<Vec<String>> = content.solutions.whole().iter().map(launch::helper_kernels).collect();
        for helper in needed.iter().zip(&reached).filter(|(_, reached)| **reached).flat_map(|(own, _)| own) {
            *outline.helpers.entry(helper.clone()).or_default() += 1;
        }
        let place = |helper: &String| outline.helpers.keys().position(|own| own == helper);
        // A catalog of one type has a handful; more than there are bits for would count as there.
        let bit =
            |place: usize| u32::try_from(place).ok().and_then(|place| 1u64.checked_shl(place)).unwrap_or(0);
        let mut solutions = Vec::with_capacity(content.solutions.len());
        for ((solution, reached), needed) in content.solutions.whole().iter().zip(reached).zip(&needed) {
            let beta = |p: &Predicate| matches!(p, Predicate::BetaValue(_) | Predicate::CEqualsD);
            let asks = |strided: bool| solution.problem.contains(&Predicate::StridedBatched(strided));
            solutions.push(Shipped {
                index: solution.index,
                kernel: solution.name,
                source_kernel: solution.mapping.source_kernel,
                reached,
                outside_cache_key: solution.problem.iter().any(beta),
                plain: !asks(false),
                arrays: !asks(true),
                helpers: needed.iter().filter_map(place).fold(0, |bits, place| bits | bit(place)),
            });
        }
        outline.solutions = solutions;
        outline
    }

    /// Counts what is below a node, and hands the place of each solution to `mark`.
    fn follow(&mut self, node: &Node, mark: &mut dyn FnMut(u32)) {
        match node {
            Node::Hardware(rows) => rows.iter().for_each(|(_, node)| self.follow(node, mark)),
            Node::Problem(rows) => rows.iter().for_each(|(_, node)| self.follow(node, mark)),
            Node::ProblemMap(map) => map.iter().for_each(|(_, node)| self.follow(node, mark)),
            Node::Placeholder(_) | Node::Single(None) | Node::Unknown(..) => {}
            Node::Single(Some(place)) => mark(*place),
            Node::Prediction(places) | Node::FreeSize(places) => places.iter().for_each(|place| mark(*place)),
            Node::Matching(table) => {
                self.tables += 1;
                self.empty_tables += u64::from(table.rows.is_empty());
                self.tuned += table.rows.len() as u64;
                table.rows.iter().for_each(|row| mark(row.solution));
            }
            Node::DecisionTree(forest) => {
                self.tables += 1;
                let mut trees = 0;
                for place in forest.solutions() {
                    trees += 1;
                    mark(place);
                }
                self.empty_tables += u64::from(trees == 0);
                self.tuned += trees;
            }
        }
    }
}

/// The rows for devices at the top, and the catalogs below each. Anything else at the top is for every
/// device.
fn rows(top: &Node) -> Vec<DeviceRow> {
    let empty = || DeviceRow::default();
    let Node::Hardware(rows) = top else {
        let mut row = empty();
        row.leads_to = placeholders(top);
        return vec![row];
    };
    let of = |(predicate, node): &(HardwarePredicate, Node)| {
        let mut row = empty();
        narrow(predicate, &mut row);
        row.leads_to = placeholders(node);
        row
    };
    rows.iter().map(of).collect()
}

/// What a row for devices asks for. Of alternatives, which no real row has, nothing is kept.
fn narrow(predicate: &HardwarePredicate, row: &mut DeviceRow) {
    match predicate {
        HardwarePredicate::And(all) => all.iter().for_each(|part| narrow(part, row)),
        HardwarePredicate::Processor(name) => row.processor = Some((*name).to_owned()),
        HardwarePredicate::CuCount(count) => row.compute_units = Some(*count),
        _ => {}
    }
}

/// The placeholders below a node, each once, in the order of the file.
fn placeholders(node: &Node) -> Vec<usize> {
    fn collect(node: &Node, seen: &mut HashSet<usize>, found: &mut Vec<usize>) {
        match node {
            Node::Hardware(rows) => rows.iter().for_each(|(_, node)| collect(node, seen, found)),
            Node::Problem(rows) => rows.iter().for_each(|(_, node)| collect(node, seen, found)),
            Node::ProblemMap(map) => map.iter().for_each(|(_, node)| collect(node, seen, found)),
            Node::Placeholder(number) => {
                if seen.insert(*number) {
                    found.push(*number);
                }
            }
            Node::Matching(_)
            | Node::DecisionTree(_)
            | Node::Single(_)
            | Node::Prediction(_)
            | Node::FreeSize(_)
            | Node::Unknown(..) => {}
        }
    }
    let mut found = Vec::new();
    collect(node, &mut HashSet::new(), &mut found);
    found
}
