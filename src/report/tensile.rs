//! Makes the report on a library folder.

use super::v1::{self, LibraryFolder, LibraryTarget};
use super::{findings, rows};
use crate::engines::tensile::consistency::{Consistency, TargetState};

/// The findings in one folder.
pub(super) fn folder(checked: &Consistency) -> LibraryFolder {
    let found = findings::rows(&checked.findings);
    let counts = v1::SeverityCounts::from_found(&found);
    LibraryFolder {
        path: checked.folder.to_string_lossy().into_owned(),
        library: checked.library.to_owned(),
        consistent: counts.errors == 0,
        counts,
        catalogs: checked.catalogs,
        code_objects: checked.code_objects,
        solutions: checked.solutions,
        tuned_sizes: checked.tuned,
        targets: checked.targets.iter().map(target).collect(),
        findings: found,
    }
}

fn target(state: &TargetState) -> LibraryTarget {
    LibraryTarget {
        target: state.target.clone(),
        native_catalogs: state.native_catalogs,
        catalogs: state.catalogs,
        solutions: state.solutions,
        source_solutions: state.source_kernels,
        kernels: state.kernels,
        code_objects: state.code_objects,
        catalog_bytes: state.catalog_bytes,
        code_bytes: state.code_bytes,
        types: rows::gemm_types(&state.coverage),
        variants: state.coverage.variants.clone(),
    }
}
