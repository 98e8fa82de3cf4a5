//! Makes the rows that several documents share.

use super::v1;
use crate::capability::gemm;
use crate::codeobject::SectionBytes;
use crate::engines::tensile::coverage::{Coverage, GemmService};
use crate::inventory::TargetCode;
use crate::target::TargetId;

/// Code objects of a target ID.
pub(super) fn target_id(id: &TargetId, code: &TargetCode) -> v1::TargetIdRow {
    v1::TargetIdRow {
        target_id: id.to_string(),
        code_objects: code.objects,
        kernels: code.kernels.count(),
        bytes: code.bytes,
    }
}

/// The classes that occur, with their bytes.
pub(super) fn byte_classes(bytes: &SectionBytes) -> Vec<v1::ByteClass> {
    bytes
        .iter()
        .filter(|row| row.2 > 0)
        .map(|(class, title, bytes)| v1::ByteClass {
            class: class.id().to_owned(),
            title: title.to_owned(),
            bytes,
        })
        .collect()
}

/// How a coverage serves each type.
pub(super) fn gemm_types(coverage: &Coverage) -> Vec<v1::GemmType> {
    let served = |served: GemmService| match served {
        GemmService::None => v1::Served::None,
        GemmService::Fallback => v1::Served::Fallback,
        GemmService::Tuned => v1::Served::Tuned,
        GemmService::TunedForArrays => v1::Served::TunedForArrays,
        GemmService::SomeFail => v1::Served::SomeFail,
        GemmService::Fails => v1::Served::Fails,
        GemmService::Missing => v1::Served::CatalogMissing,
    };
    let row = |row: gemm::TypeRow<'_>| v1::GemmType {
        name: row.name.to_owned(),
        tuned: row.count(GemmService::Tuned),
        all: row.all().map(served),
        served: row.served.into_iter().map(|(way, by)| (way.to_owned(), served(by))).collect(),
    };
    gemm::types(coverage).into_iter().map(row).collect()
}
