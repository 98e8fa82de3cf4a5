//! How one solution stands for a call: why it is not the one that was chosen.
#![deny(clippy::indexing_slicing)]

use super::by_index::{every_index, of_index, reach};
use super::call::GemmCall;
use super::catalog::Catalog;
use super::dialect::Dialect as _;
use super::hardware::Hardware;
use super::library::Library;
use super::node::Node;
use super::rocblas::RocBlas;
use super::select::file_name;
use super::trace::TunedRow;

/// How a solution stands for a call.
#[derive(Debug, Clone, PartialEq)]
pub enum SolutionStanding {
    /// No catalog of the device has a solution of this index.
    Absent,
    /// It stands in a catalog for other operations, types or sizes, which the call does not reach.
    Elsewhere {
        /// The catalog's file.
        catalog: String,
        /// Its kernel.
        kernel: String,
    },
    /// The call reaches it, and a predicate of it fails.
    Refused {
        /// The catalog's file.
        catalog: String,
        /// Its kernel.
        kernel: String,
        /// The first predicate that fails.
        predicate: String,
    },
    /// It can solve the call.
    Able {
        /// The catalog's file.
        catalog: String,
        /// Its kernel.
        kernel: String,
        /// Its row that is nearest to the call; none where no table of the catalog has a row for it.
        nearest: Option<TunedRow>,
    },
}

impl Library {
    /// How the solution of an index stands for a call. A catalog that cannot be read is as one that is not
    /// there.
    pub fn standing(&self, call: &GemmCall, index: u32) -> SolutionStanding {
        let hardware = call.hardware(&self.device().processor);
        let catalogs = self.catalogs();
        let contraction = call.contraction();
        let reached = contraction.as_ref().and_then(|problem| {
            let found = of_index(catalogs, problem, &hardware, index)?;
            Some((problem, found))
        });
        let Some((problem, found)) = reached else {
            return match every_index(catalogs, index) {
                Some(found) => SolutionStanding::Elsewhere {
                    catalog: file_name(found.catalog),
                    kernel: found.catalog.text(found.solution.name).to_owned(),
                },
                None => SolutionStanding::Absent,
            };
        };
        let (catalog, kernel) =
            (file_name(found.catalog), found.catalog.text(found.solution.name).to_owned());
        match found.solution.obstacle(problem, &hardware, found.catalog.bytes()) {
            Some(predicate) => SolutionStanding::Refused { catalog, kernel, predicate },
            None => {
                let place = found.catalog.content().solutions.place_of(index);
                let nearest = place.and_then(|place| nearest(found.catalog, problem, &hardware, place));
                SolutionStanding::Able { catalog, kernel, nearest }
            }
        }
    }
}

/// The row of a solution that is nearest to a problem, in the tables that the problem reaches.
fn nearest(
    catalog: &Catalog,
    problem: &<RocBlas as super::dialect::Dialect>::Problem,
    hardware: &Hardware,
    place: u32,
) -> Option<TunedRow> {
    let mut best: Option<TunedRow> = None;
    reach(&catalog.content().library, catalog, problem, hardware, &mut |node| {
        let Node::Matching(table) = node else { return };
        let found = RocBlas::look_up(table, problem, 1, &mut |at, _| at == place).ok();
        let Some(row) = found.and_then(|rows| rows.first().copied()) else { return };
        if best.as_ref().is_none_or(|best| row.distance < best.distance) {
            let solution = catalog.content().solutions.index_at(place).unwrap_or_default();
            best = Some(TunedRow { solution, distance: row.distance, size: table.size(&row) });
        }
    });
    best
}
