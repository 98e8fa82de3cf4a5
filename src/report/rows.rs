//! Makes the rows that several documents have.

use super::v1;
use crate::capability::{disagreement, gemm};
use crate::codeobject::SectionBytes;
use crate::engines::tensile::coverage::{Coverage, Served};
use crate::finding::read_fault::ReadFault;
use crate::finding::severity::Severity;
use crate::inventory::{Disagreement, TargetCode};
use crate::target::TargetId;

/// Code objects of a target ID.
pub(super) fn target_id(id: &TargetId, code: &TargetCode) -> v1::TargetIdRow {
    v1::TargetIdRow {
        target_id: id.to_string(),
        code_objects: code.objects,
        kernels: code.kernels.count,
        bytes: code.bytes,
    }
}

/// The classes that have bytes.
pub(super) fn byte_classes(bytes: &SectionBytes) -> Vec<v1::ByteClass> {
    bytes
        .iter()
        .filter(|row| row.2 > 0)
        .map(|(_, class, bytes)| v1::ByteClass { class: class.to_owned(), bytes })
        .collect()
}

/// Disagreements of one file, like ones together.
pub(super) fn disagreements_of_file(path: &str, found: &[Disagreement]) -> Vec<v1::Disagreement> {
    disagreements(&disagreement::grouped(found.iter().map(|one| (path, one))))
}

/// Disagreements, like ones together.
pub(super) fn disagreements(groups: &[disagreement::Disagreement<'_>]) -> Vec<v1::Disagreement> {
    let text = |name: Option<&str>| name.map(str::to_owned);
    let row = |group: &disagreement::Disagreement<'_>| v1::Disagreement {
        e_flags: group.names.e_flags.to_owned(),
        bundle_id: text(group.names.bundle_id),
        metadata: text(group.names.metadata),
        file_name: text(group.names.file_name),
        code_objects: group.code_objects,
        files: group
            .files
            .iter()
            .map(|(path, code_objects, first)| v1::DisagreementFile {
                path: (*path).to_owned(),
                code_objects: *code_objects,
                first: first.to_string(),
            })
            .collect(),
    };
    groups.iter().map(row).collect()
}

/// What could not be read.
pub(super) fn problems(problems: &[ReadFault]) -> Vec<v1::Problem> {
    let row = |p: &ReadFault| v1::Problem {
        kind: p.kind,
        path: p.shown.clone(),
        offset: p.offset,
        unpacked: p.unpacked,
        what: p.what.clone(),
    };
    problems.iter().map(row).collect()
}

/// What a coverage serves, by type.
pub(super) fn gemm_types(coverage: &Coverage) -> Vec<v1::GemmType> {
    let served = |served: Served| match served {
        Served::None => v1::Served::None,
        Served::Fallback => v1::Served::Fallback,
        Served::Tuned => v1::Served::Tuned,
        Served::Missing => v1::Served::CatalogMissing,
    };
    let row = |row: gemm::TypeRow<'_>| v1::GemmType {
        name: row.name.to_owned(),
        tuned: row.count(Served::Tuned),
        all: row.all().map(served),
        served: row.served.into_iter().map(|(way, by)| (way.to_owned(), served(by))).collect(),
    };
    gemm::types(coverage).into_iter().map(row).collect()
}

/// How many findings there are of each severity.
pub(super) fn severities(all: impl Iterator<Item = Severity>) -> v1::SeverityCounts {
    let mut counts = v1::SeverityCounts { errors: 0, warnings: 0, notes: 0 };
    for severity in all {
        match severity {
            Severity::Error => counts.errors += 1,
            Severity::Warning => counts.warnings += 1,
            Severity::Note => counts.notes += 1,
        }
    }
    counts
}
