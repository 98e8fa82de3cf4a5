//! What the tables of a target were tuned for: sizes per operation and types, and how far a field of sizes is
//! from them.
#![deny(clippy::indexing_slicing)]

use super::TensileLite;
use super::call::MatmulCall;
use super::library::Library;
use super::problem_type::{ProblemType, Scaled};
use super::tuned::TunedMatch;
use super::types::MatrixType;
use crate::tensile::catalog::{Catalog, CatalogError};
use crate::tensile::coverage::CatalogName;
use crate::tensile::node::Node;
use crate::tensile::table::{Metric, Table};

/// One catalog of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedCatalog {
    /// Its name without the extension.
    pub name: String,
    /// How the matrices enter: `TN`.
    pub transposes: String,
    /// Its types: `f16 × f16 → f16 in f32`.
    pub types: String,
    /// What its kernels do beside the product: `bias, activation`.
    pub parts: Vec<&'static str>,
    /// Its solutions.
    pub solutions: usize,
    /// Exact sizes.
    pub exact: usize,
    /// Sizes of grids.
    pub grid: usize,
    /// Nodes that are not known.
    pub unknown: usize,
    /// Smallest and largest M, N and K of all its sizes.
    pub ranges: Option<[(u64, u64); 3]>,
}

/// How far sizes are from the tables, over M and N.
#[derive(Debug, Clone)]
pub struct TunedMap {
    /// M of each row.
    pub m: Vec<u64>,
    /// N of each column.
    pub n: Vec<u64>,
    /// For each row its cells: how the call stands to the tables, and the solution that comes first.
    pub cells: Vec<Vec<(TunedMatch, Option<u32>)>>,
}

/// Sizes of M and N in a map.
pub const MAP_SIZES: [u64; 12] = [1, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

impl Library {
    /// The catalogs of the device in the order in which its master catalog names them.
    ///
    /// # Errors
    /// Where one of them is missing or malformed.
    pub fn coverage(&self) -> Result<Vec<TunedCatalog>, CatalogError> {
        let count = self.master().content().placeholders.len();
        let catalogs = (0..count).filter_map(|place| self.catalogs().other(place));
        catalogs.map(|catalog| catalog.map(|(name, catalog)| tuned_catalog(name, catalog))).collect()
    }

    /// How far a call is from the tables where M and N change. Its leading dimensions are those of packed
    /// matrices.
    ///
    /// # Errors
    /// As [`Library::choose`].
    pub fn map(&self, call: &MatmulCall) -> Result<TunedMap, CatalogError> {
        let mut cells = Vec::new();
        for m in MAP_SIZES {
            let mut row = Vec::new();
            for n in MAP_SIZES {
                let ld = [call.ta.packed(m, call.k), call.tb.packed(call.k, n), m, m];
                let aux_ld = if call.epilogue.aux { m } else { 0 };
                let choice = self.choose(&MatmulCall { m, n, ld, aux_ld, ..call.clone() }, None)?;
                row.push((
                    TunedMatch::from_choice(&choice),
                    choice.first().map(|found| found.solution.index),
                ));
            }
            cells.push(row);
        }
        Ok(TunedMap { m: MAP_SIZES.to_vec(), n: MAP_SIZES.to_vec(), cells })
    }
}

fn tuned_catalog(name: &str, catalog: &Catalog<TensileLite>) -> TunedCatalog {
    let content = catalog.content();
    let of = catalog.solution(0).and_then(|solution| content.shared.type_of(solution));
    let operation = CatalogName::parse(name).map(|name| name.operation.transposes);
    let mut found = TunedCatalog {
        name: name.to_owned(),
        transposes: operation.unwrap_or_default(),
        types: of.map(types).unwrap_or_default(),
        parts: of.map(parts).unwrap_or_default(),
        solutions: content.solutions.len(),
        exact: 0,
        grid: 0,
        unknown: 0,
        ranges: None,
    };
    found.follow(&content.library);
    found
}

impl TunedCatalog {
    fn follow(&mut self, node: &Node<TensileLite>) {
        match node {
            Node::Hardware(rows) => rows.iter().for_each(|(_, node)| self.follow(node)),
            Node::Problem(rows) => rows.iter().for_each(|(_, node)| self.follow(node)),
            Node::ProblemMap(map) => map.iter().for_each(|(_, node)| self.follow(node)),
            Node::Matching(table) => self.add(table),
            Node::Unknown(..) => self.unknown += 1,
            Node::Placeholder(_)
            | Node::DecisionTree(_)
            | Node::Single(_)
            | Node::Prediction(_)
            | Node::FreeSize(_) => {}
        }
    }

    fn add(&mut self, table: &Table) {
        match table.metric {
            Metric::Equality => self.exact += table.rows.len(),
            _ => self.grid += table.rows.len(),
        }
        for row in &table.rows {
            let [m, n, _, k] = row.key;
            let own = self.ranges.get_or_insert([(m, m), (n, n), (k, k)]);
            for ((least, most), size) in own.iter_mut().zip([m, n, k]) {
                (*least, *most) = ((*least).min(size), (*most).max(size));
            }
        }
    }
}

fn types(of: &ProblemType) -> String {
    let name = |ty| MatrixType::from_data_type(ty).map_or_else(|| format!("{ty}"), |ty| ty.name.to_owned());
    let [a, b, _, d] = of.types;
    format!("{} × {} → {} in {}", name(a), name(b), name(d), name(of.compute))
}

fn parts(of: &ProblemType) -> Vec<&'static str> {
    let all = [
        (of.grouped, "groups"),
        (of.gradient, "gradient"),
        (of.use_bias, "bias"),
        (of.use_aux, "auxiliary"),
        (of.activation, "activation"),
        (of.scale_ab == Scaled::Scalar, "scales of A and B"),
        (of.scale_ab == Scaled::Vector, "vectors of scales"),
        (of.scale_cd, "scales of C and D"),
        (of.scale_alpha_vec, "alpha as a vector"),
    ];
    all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect()
}
