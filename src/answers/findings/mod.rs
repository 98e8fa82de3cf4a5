//! What should make a reader careful about an answer, and what could not be read on the way to it.
//!
//! Each answer has a function here that says what is wrong with it. What could not be read of the files that it was taken from
//! stands beside that in the same list, since it decides as much: an answer from half a library is half an answer.

mod convolution;
mod gemm;
mod matmul;
mod model;
mod route;
mod tuning;
mod workload;

pub use convolution::of_convolution;
pub use gemm::of_gemm;
pub use matmul::of_matmul;
pub use model::of_model;
pub use route::{of_route, of_routes};
pub use tuning::of_tuning;
pub use workload::{of_graph, of_workload, wrong_lines};

use super::Answers;
use crate::engines::ggml::presence::Library;
use crate::engines::tensile::catalog::{CatalogError, Fault};
use crate::finding::location::Location;
use crate::finding::rule::Rule;
use crate::finding::rules::tensile::{CATALOG_MISSING, CATALOG_UNREADABLE};
use crate::finding::{self, Finding};
use std::sync::PoisonError;

/// What could not be read of a library of ggml's.
pub fn of_library(library: &Library) -> Vec<Finding> {
    let file = library.file();
    Finding::all_of_bytes(&file.file.locator().shown(), file.container.problems())
}

/// Findings of an answer and of what it was taken from as one list, each once, the worst first.
pub fn together(parts: impl IntoIterator<Item = Vec<Finding>>) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for found in parts.into_iter().flatten() {
        if !all.contains(&found) {
            all.push(found);
        }
    }
    finding::sort(&mut all);
    all
}

impl Answers {
    /// Findings of an answer of this tree, with what could not be read of the tree until now.
    pub fn found(&self, own: Vec<Finding>) -> Vec<Finding> {
        let catalogs = self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone();
        together([own, self.install.faults().to_vec(), catalogs])
    }

    /// An answer from catalogs. Where one cannot be read there is none, and it is kept in mind why.
    pub(super) fn heard<T>(&self, answer: Result<T, CatalogError>) -> Option<T> {
        answer.map_err(|error| self.meets(&CATALOG_UNREADABLE, &error)).ok()
    }

    /// Keeps in mind that a catalog could not be read. One that is not here is no damage: the target may be none of the tree's.
    pub(super) fn meets(&self, rule: &'static Rule, error: &CatalogError) {
        if let Fault::Malformed(_) = &error.fault {
            let found = Finding { rule, ..of_catalog(error) };
            self.unread.lock().unwrap_or_else(PoisonError::into_inner).push(found);
        }
    }
}

/// A catalog that a question leads to and that cannot be used.
fn of_catalog(error: &CatalogError) -> Finding {
    let path = error.path.to_string_lossy().into_owned();
    match &error.fault {
        Fault::Malformed(what) => {
            let (offset, unpacked, what) = (Some(what.offset()), what.unpacked(), what.what().to_owned());
            let place = Location { path, offset, unpacked, what, ..Location::default() };
            Finding::at(&CATALOG_UNREADABLE, place)
        }
        Fault::Unreadable(what) => Finding::of_file(&CATALOG_MISSING, &path, what.as_str()),
    }
}
