//! The plain rows of a report: facts copied, grouped and sorted.

use crate::codeobject::SectionBytes;
use crate::inventory::{ArtifactKind, DatabaseFacts, Inventory, TargetCode};
use crate::report::v1;
use crate::target::{Processor, TargetId};
use std::collections::BTreeMap;

pub(crate) fn target_id(id: &TargetId, code: &TargetCode) -> v1::TargetIdRow {
    v1::TargetIdRow {
        target_id: id.to_string(),
        code_objects: code.objects,
        kernels: code.kernels.count,
        bytes: code.bytes,
    }
}

pub(crate) fn byte_classes(bytes: &SectionBytes) -> Vec<v1::ByteClass> {
    bytes
        .iter()
        .filter(|row| row.2 > 0)
        .map(|(_, class, bytes)| v1::ByteClass { class: class.to_owned(), bytes })
        .collect()
}

pub(super) fn versions(inventory: &Inventory) -> Vec<v1::Version> {
    let statement = |a: &crate::inventory::Artifact| match &a.kind {
        ArtifactKind::Version { component, version } => Some(v1::Version {
            component: component.clone(),
            version: version.clone(),
            path: a.shown.clone(),
            evidence: v1::Evidence::Observed,
        }),
        _ => None,
    };
    inventory.artifacts.iter().filter_map(statement).collect()
}

pub(super) fn tensile(inventory: &Inventory) -> Vec<v1::TensileRow> {
    let mut rows: BTreeMap<(String, Option<TargetId>), v1::TensileRow> = BTreeMap::new();
    for artifact in &inventory.artifacts {
        let ArtifactKind::Tensile(role, facts) = &artifact.kind else { continue };
        let processor = artifact.named_target.as_ref().map(|t| TargetId::bare(t.processor.clone()));
        let key = (artifact.library.clone(), processor.clone());
        let row = rows.entry(key).or_insert_with(|| v1::TensileRow {
            library: artifact.library.clone(),
            processor: processor.map(|p| p.processor),
            files: 0,
            bytes: 0,
            code_files: 0,
            catalogs: 0,
            fallback_files: 0,
            solutions: 0,
            types: BTreeMap::new(),
            first: artifact.locator.to_string(),
        });
        row.files += 1;
        row.bytes += artifact.bytes;
        let code = artifact.device.is_some() || role.is_code();
        row.code_files += u64::from(code);
        row.catalogs += u64::from(!code);
        row.fallback_files += u64::from(role.is_fallback());
        row.solutions += facts.solutions.unwrap_or(0);
        if let Some(code) = &facts.type_code {
            *row.types.entry(code.clone()).or_default() += 1;
        }
    }
    // Files that name no target come last.
    let (none, some): (Vec<_>, Vec<_>) = rows.into_values().partition(|row| row.processor.is_none());
    some.into_iter().chain(none).collect()
}

pub(super) fn miopen(inventory: &Inventory) -> Vec<v1::MiopenRow> {
    let mut rows = Vec::new();
    for artifact in &inventory.artifacts {
        let (kind, facts): (_, &DatabaseFacts) = match &artifact.kind {
            ArtifactKind::FindDb(facts) => ("find-db", facts),
            ArtifactKind::PerfDb(facts) => ("perf-db", facts),
            ArtifactKind::KernelDb(facts) => ("kernel-db", facts),
            ArtifactKind::Model(facts) => ("model", facts),
            _ => continue,
        };
        rows.push(v1::MiopenRow {
            processor: artifact.named_target.as_ref().map(|t| t.processor.clone()).unwrap_or_default(),
            compute_units: facts.compute_units,
            kind: kind.to_owned(),
            backend: facts.backend.clone(),
            form: facts.form.to_owned(),
            records: facts.records,
            path: artifact.shown.clone(),
        });
    }
    rows.sort_by_key(|row| {
        (Processor::rank(&row.processor), row.compute_units, row.kind.clone(), row.path.clone())
    });
    rows
}

pub(super) fn firmware(inventory: &Inventory) -> Vec<v1::FirmwareRow> {
    let mut rows: BTreeMap<(usize, String), v1::FirmwareRow> = BTreeMap::new();
    for artifact in &inventory.artifacts {
        let ArtifactKind::Firmware { codename, alias } = &artifact.kind else { continue };
        let processor = artifact.named_target.as_ref().map(|t| t.processor.clone());
        let rank = processor.as_deref().map_or(usize::MAX, Processor::rank);
        let row = rows.entry((rank, codename.clone())).or_insert_with(|| v1::FirmwareRow {
            codename: codename.clone(),
            processor,
            files: 0,
            links: 0,
            bytes: 0,
            first: artifact.locator.to_string(),
        });
        row.files += u64::from(!alias);
        row.links += u64::from(*alias);
        row.bytes += artifact.bytes;
    }
    rows.into_values().collect()
}

pub(super) fn artifacts(inventory: &Inventory) -> Vec<v1::Artifact> {
    let row = |a: &crate::inventory::Artifact| {
        let (kind, records) = match &a.kind {
            ArtifactKind::DeviceCode => ("device code", None),
            ArtifactKind::Tensile(role, facts) => (role.name(), facts.solutions),
            ArtifactKind::FindDb(facts) => ("MIOpen find-db", facts.records),
            ArtifactKind::PerfDb(facts) => ("MIOpen perf-db", facts.records),
            ArtifactKind::KernelDb(facts) => ("MIOpen kernel database", facts.records),
            ArtifactKind::Model(_) => ("MIOpen model", None),
            ArtifactKind::Firmware { alias: false, .. } => ("firmware", None),
            ArtifactKind::Firmware { alias: true, .. } => ("link to firmware", None),
            ArtifactKind::Version { .. } => ("version", None),
        };
        let device = a.device.as_ref();
        let entries = device.iter().flat_map(|d| &d.entries);
        v1::Artifact {
            root: a.root,
            path: a.relative.clone(),
            library: a.library.clone(),
            scanner: a.scanner.to_owned(),
            kind: kind.to_owned(),
            bytes: a.bytes,
            named_target: a.named_target.as_ref().map(ToString::to_string),
            bundles: device.map_or(0, |d| d.bundles),
            compressed_bundles: device.map_or(0, |d| d.compressed),
            entries: entries
                .map(|(id, t)| (id.clone(), v1::Count { count: t.count, bytes: t.bytes }))
                .collect(),
            targets: device.iter().flat_map(|d| &d.targets).map(|(id, code)| target_id(id, code)).collect(),
            records,
        }
    };
    inventory.artifacts.iter().map(row).collect()
}

pub(super) fn libraries_without_code(inventory: &Inventory) -> Vec<v1::LibraryFile> {
    let row =
        |(library, path): &(String, String)| v1::LibraryFile { library: library.clone(), path: path.clone() };
    inventory.libraries_without_code.iter().map(row).collect()
}

pub(super) fn disagreements(inventory: &Inventory) -> Vec<v1::Disagreement> {
    let of_file = |a: &crate::inventory::Artifact| {
        let device = a.device.as_ref()?;
        Some(device.disagreements.iter().map(|d| disagreement(&a.shown, d)).collect::<Vec<_>>())
    };
    inventory.artifacts.iter().filter_map(of_file).flatten().collect()
}

pub(crate) fn disagreement(path: &str, d: &crate::inventory::Disagreement) -> v1::Disagreement {
    v1::Disagreement {
        path: path.to_owned(),
        bundle_id: d.bundle_id.clone(),
        e_flags: d.e_flags.clone(),
        metadata: d.metadata.clone(),
        file_name: d.file_name.clone(),
        count: d.count,
        first: d.first.to_string(),
    }
}

pub(crate) fn problems(problems: &[crate::finding::read_fault::ReadFault]) -> Vec<v1::Problem> {
    let row = |p: &crate::finding::read_fault::ReadFault| v1::Problem {
        kind: p.kind.id().to_owned(),
        path: p.shown.clone(),
        offset: p.offset,
        unpacked: p.unpacked,
        what: p.what.clone(),
    };
    problems.iter().map(row).collect()
}

/// Packages, the outer ones before those in them.
pub(super) fn packages(inventory: &Inventory) -> Vec<v1::Package> {
    let row = |p: &crate::inventory::PackageFacts| v1::Package {
        path: p.shown.clone(),
        format: p.format.name().to_owned(),
        bytes: p.bytes,
        members: p.members.count,
        member_bytes: p.members.bytes,
    };
    let mut rows: Vec<v1::Package> = inventory.packages.iter().map(row).collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}

pub(super) fn remainder(inventory: &Inventory) -> Vec<v1::Remainder> {
    let row = |(format, tally): (&&'static str, &crate::inventory::Tally)| v1::Remainder {
        format: (*format).to_owned(),
        files: tally.count,
        bytes: tally.bytes,
    };
    inventory.remainder.iter().map(row).collect()
}

pub(super) fn not_examined(inventory: &Inventory) -> Vec<v1::NotExamined> {
    let mut rows: BTreeMap<&str, v1::NotExamined> = BTreeMap::new();
    for seen in &inventory.not_examined {
        let row = rows.entry(&seen.what).or_insert_with(|| v1::NotExamined {
            what: seen.what.clone(),
            files: 0,
            bytes: 0,
            example: seen.shown.clone(),
        });
        row.files += 1;
        row.bytes += seen.bytes;
    }
    rows.into_values().collect()
}
