//! Makes the report of library folders.

use super::rows;
use super::v1::{self, Evidence, LibraryDefect, LibraryFolder, LibraryTarget, TensileReport};
use crate::engines::tensile::consistency::defect::{Defect, Known, Severity};
use crate::engines::tensile::consistency::{Consistency, Owner, TargetState};

/// What the files alone do not show.
const NOT_SHOWN: [&str; 3] = [
    "That a kernel is there does not say that it is right or fast, or that a program ever asks for it.",
    "hipBLASLt's choice among its solutions is not reproduced: only what it ships and covers is shown.",
    "Environment variables that point at other folders or override choices were not looked at.",
];

/// The report of folders that were checked.
pub fn tensile(folders: &[Consistency], asked: &[String]) -> TensileReport {
    TensileReport {
        header: v1::Header::of(v1::document::TENSILE),
        asked: asked.to_vec(),
        folders: folders.iter().map(folder).collect(),
        not_shown: NOT_SHOWN.iter().map(|s| (*s).to_owned()).collect(),
    }
}

fn folder(checked: &Consistency) -> LibraryFolder {
    LibraryFolder {
        path: checked.folder.to_string_lossy().into_owned(),
        library: match checked.owner {
            Owner::RocBlas => "rocBLAS",
            Owner::HipBlasLt => "hipBLASLt",
        }
        .to_owned(),
        counts: rows::severities(checked.defects.iter().map(|defect| defect.kind.severity)),
        consistent: !checked.defects.iter().any(|d| d.kind.severity == Severity::Error),
        catalogs: checked.catalogs,
        code_objects: checked.code_objects,
        solutions: checked.solutions,
        tuned_sizes: checked.tuned,
        targets: checked.targets.iter().map(target).collect(),
        defects: checked.defects.iter().map(|defect| of_defect(defect, checked)).collect(),
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

fn of_defect(defect: &Defect, checked: &Consistency) -> LibraryDefect {
    // What was measured was measured with rocBLAS.
    let known = match (defect.kind.known, checked.owner) {
        (Known::Measured, Owner::RocBlas) => Evidence::Runtime,
        (Known::Code, Owner::RocBlas) => Evidence::Code,
        _ => Evidence::Inferred,
    };
    let examples = defect.examples.iter().map(|example| {
        let file = example.path.strip_prefix(&checked.folder).unwrap_or(&example.path).to_string_lossy();
        match (example.offset, example.what.as_str()) {
            (Some(at), what) => format!("{file}, offset {at:#x}: {what}"),
            (None, "") => file.into_owned(),
            (None, what) if file.is_empty() => what.to_owned(),
            (None, what) => format!("{file}: {what}"),
        }
    });
    LibraryDefect {
        id: defect.kind.id.to_owned(),
        severity: defect.kind.severity,
        target: defect.target.clone(),
        count: defect.count,
        what: defect.kind.what.to_owned(),
        effect: defect.kind.effect.to_owned(),
        effect_known: known,
        examples: examples.collect(),
    }
}
