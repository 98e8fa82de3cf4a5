//! Warnings about an answer, and files that could not be read on the way to it.
//!
//! Each answer type has a function here that lists its problems. The same list names unreadable files, since
//! they matter as much: an answer from half a library is half an answer.

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

/// What could not be read of ggml's library.
pub fn of_library(library: &Library) -> Vec<Finding> {
    let file = library.file();
    Finding::all_of_bytes(&file.file.locator().shown(), file.container.problems())
}

/// Merges the findings for an answer and for its files into one list without repetitions, worst first.
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
    /// The findings for an answer, with those for files of this tree that could not be read so far.
    pub fn found(&self, own: Vec<Finding>) -> Vec<Finding> {
        let catalogs = self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone();
        together([own, self.install.faults().to_vec(), catalogs])
    }

    /// Unwraps an answer from catalogs; if a catalog is unreadable, remembers why and returns `None`.
    pub(super) fn heard<T>(&self, answer: Result<T, CatalogError>) -> Option<T> {
        answer.map_err(|error| self.meets(&CATALOG_UNREADABLE, &error)).ok()
    }

    /// Remembers that a catalog could not be read. A missing catalog is not damage: the tree may not serve
    /// the target.
    pub(super) fn meets(&self, rule: &'static Rule, error: &CatalogError) {
        if let Fault::Malformed(_) = &error.fault {
            let found = Finding { rule, ..of_catalog(error) };
            self.unread.lock().unwrap_or_else(PoisonError::into_inner).push(found);
        }
    }
}

/// The finding for a catalog that a question reaches and that cannot be used.
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
