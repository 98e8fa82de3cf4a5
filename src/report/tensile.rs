//! Makes the report on library folders.

use super::v1::{self, LibraryFolder, LibraryTarget, TensileReport};
use super::{findings, rows};
use crate::engines::tensile::consistency::{Consistency, TargetState};
use crate::finding::Finding;

/// What the files alone do not show.
const NOT_SHOWN: [&str; 2] = [
    "That a kernel is there does not say that it is right or fast, or that a program ever asks for it.",
    "Environment variables that point at other folders or override choices were not looked at.",
];

/// The report on checked folders; `found` has findings from reading, such as unreadable files.
pub fn tensile(folders: &[Consistency], asked: &[String], found: &[Finding]) -> TensileReport {
    let folders: Vec<LibraryFolder> = folders.iter().map(folder).collect();
    let parts = folders.iter().map(|folder| (folder.path.as_str(), &folder.findings[..]));
    TensileReport {
        header: v1::Header::of(v1::document::TENSILE),
        found: v1::Found::with_parts(findings::rows(found), parts),
        asked: asked.to_vec(),
        folders,
        not_shown: NOT_SHOWN.iter().map(|s| (*s).to_owned()).collect(),
    }
}

fn folder(checked: &Consistency) -> LibraryFolder {
    let found = findings::rows(&checked.findings);
    let counts = v1::SeverityCounts::of(&found);
    LibraryFolder {
        path: checked.folder.to_string_lossy().into_owned(),
        library: checked.owner.name().to_owned(),
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
