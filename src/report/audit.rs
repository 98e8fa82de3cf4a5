//! Makes the capability report: copies facts and conclusions into the output types.

use super::v1::{self, Evidence, Report};
use super::{findings, instructions, rows, verdict, waste};
use crate::capability::caches::Cache;
use crate::capability::coverage::{CoverageCell, CoveredPart, FileShare, LibraryRow, TargetCoverage};
use crate::capability::layers::{Selection, Target};
use crate::capability::shipped::{self, MiopenDatabases};
use crate::capability::summary::{DeviceBytes, NotExamined, UncountedFiles};
use crate::capability::{Capability, NO_CACHES, NOT_SHOWN};
use crate::codeobject::SectionBytes;
use crate::engines::tensile::name::Role;
use crate::inventory::run_time_compiler::{CompilerFound, CompilerRelation};
use crate::inventory::{Artifact, ArtifactKind, Inventory};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeMap;

/// The report on an inventory and the conclusions from it.
pub fn audit(inventory: &Inventory, found: &Capability<'_>) -> Report {
    let all = findings::of_trees(inventory, &found.findings);
    let answers = crate::capability::instructions::answers(&found.code, found.asked);
    Report {
        header: v1::Header::from_document(v1::document::REPORT),
        claim: None,
        complete: found.complete,
        failed_because: Vec::new(),
        roots: inventory.roots.clone(),
        inputs: Vec::new(),
        asked: found.asked.iter().map(ToString::to_string).collect(),
        verdicts: found.verdicts.iter().map(verdict::verdict).collect(),
        mixed_host: found.mixed_host.clone(),
        versions: versions(inventory),
        linked_with: crate::capability::linked_with::linked_releases(inventory),
        summary: summary(inventory, found),
        packages: packages(inventory),
        caches: found.caches.iter().map(cache).collect(),
        user_places: inventory.user_places.iter().map(user_place).collect(),
        targets: found.targets.iter().map(target).collect(),
        totals: totals(found),
        matrix: found.matrix.iter().map(|row| library(row, &found.targets)).collect(),
        answers: found.answers.iter().map(answer).collect(),
        instructions: instructions::of_libraries(&found.code),
        instruction_answers: instructions::answers(&answers),
        libraries_without_code: libraries_without_code(inventory),
        gemm: found.gemm.iter().map(gemm).collect(),
        tensile: found.shipped.tensile.iter().map(tensile).collect(),
        miopen: found.shipped.miopen.rows.iter().map(database).collect(),
        firmware: found.shipped.firmware.rows.iter().map(firmware).collect(),
        device_bytes: device_bytes(&found.device_bytes),
        waste: waste::waste(&found.waste),
        artifacts: inventory.artifacts.iter().map(artifact).collect(),
        run_time_compilers: run_time_compilers(inventory),
        counts: v1::SeverityCounts::from_found(&all),
        findings: all,
        remainder: found.remainder.iter().map(remainder).collect(),
        not_examined: found.not_examined.iter().map(not_examined).collect(),
        not_shown: not_shown(!inventory.user_places.is_empty()),
    }
}

fn cache(cache: &Cache) -> v1::Cache {
    v1::Cache {
        of: cache.of.to_owned(),
        version: cache.version.clone(),
        folders: cache.folders.iter().cloned().collect(),
        entries: cache.entries,
        targets: cache.targets.clone(),
        bytes: cache.bytes,
        broken: cache.broken.clone(),
        stale_for: cache.stale_for.clone(),
    }
}

fn user_place(place: &crate::inventory::UserPlace) -> v1::UserPlace {
    let crate::inventory::UserPlace { of, path, variable, is_there } = place;
    v1::UserPlace {
        of: (*of).to_owned(),
        path: path.clone(),
        variable: variable.map(str::to_owned),
        is_there: *is_there,
    }
}

fn versions(inventory: &Inventory) -> Vec<v1::Version> {
    let statement = |a: &Artifact| match &a.kind {
        ArtifactKind::Version { component, version } => Some(v1::Version {
            component: component.clone(),
            version: version.clone(),
            path: a.shown.clone(),
            evidence: Evidence::Observed,
        }),
        _ => None,
    };
    inventory.artifacts.iter().filter_map(statement).collect()
}

fn run_time_compilers(inventory: &Inventory) -> Vec<v1::RunTimeCompiler> {
    let row = |found: CompilerFound<'_>| v1::RunTimeCompiler {
        name: found.compiler.name.to_owned(),
        compiles: found.compiler.compiles.to_owned(),
        makes_kernels: found.compiler.makes_kernels,
        sign: found.sign,
        files: found.files,
        first: found.first.to_owned(),
        evidence: if found.sign == CompilerRelation::IsLinked {
            Evidence::Observed
        } else {
            Evidence::Inferred
        },
    };
    inventory.run_time_compilers.iter().map(row).collect()
}

fn summary(inventory: &Inventory, found: &Capability<'_>) -> v1::Summary {
    let sum = &found.summary;
    let outer = sum.outer_packages;
    v1::Summary {
        files: inventory.files.count,
        bytes: inventory.files.bytes,
        links: inventory.links,
        other_names: Some(inventory.other_names).filter(|names| *names > 0),
        excluded: inventory.excluded,
        artifacts: sum.artifacts.count,
        artifact_bytes: sum.artifacts.bytes,
        artifact_files: sum.artifact_files,
        not_examined_files: sum.not_examined_files,
        outer_packages: v1::Count { count: outer.count, bytes: outer.bytes },
        bundles: sum.bundles,
        compressed_bundles: sum.compressed_bundles,
        unpacked_bytes: sum.unpacked_bytes,
        unverified_bundles: sum.unverified_bundles,
        code_objects: sum.code_objects,
        kernels: sum.kernels,
        code_object_bytes: sum.code_object_bytes,
        code_bytes: sum.code_bytes,
        abi_versions: sum.abi_versions.iter().map(|(version, n)| (version.to_string(), *n)).collect(),
    }
}

/// Packages; outer ones come before those inside them.
fn packages(inventory: &Inventory) -> Vec<v1::Package> {
    let row = |p: &crate::inventory::PackageFacts| v1::Package {
        path: p.shown.clone(),
        identity: p.identity.as_deref().map(str::to_owned),
        format: p.format.name().to_owned(),
        bytes: p.bytes,
        members: p.members.count,
        member_bytes: p.members.bytes,
        layers: p.layers.iter().map(layer).collect(),
    };
    let mut rows: Vec<v1::Package> = inventory.packages.iter().map(row).collect();
    rows.sort_rows_by(|a, b| a.path.cmp(&b.path));
    rows
}

fn layer(layer: &crate::input::package::layer::Layer) -> v1::ImageLayer {
    let count = |sum: crate::input::package::layer::Sum| v1::Count { count: sum.files, bytes: sum.bytes };
    v1::ImageLayer {
        image: Some(layer.image.clone()).filter(|image| !image.is_empty()),
        number: layer.number as u64,
        digest: layer.digest.clone(),
        command: layer.command.clone(),
        files: count(layer.files),
        deleted: count(layer.deleted),
        replaced: count(layer.replaced),
    }
}

fn target(target: &Target) -> v1::Target {
    let code = &target.build.code;
    let owned = |names: &mut dyn Iterator<Item = &&'static str>| names.map(|n| (*n).to_owned()).collect();
    v1::Target {
        processor: target.processor.clone(),
        family: target.known.map(|p| p.family().name().to_owned()),
        devices: target.known.map(|p| p.devices().to_owned()).filter(|devices| !devices.is_empty()),
        target_ids: target.code.iter().map(|(id, code)| rows::target_id(id, code)).collect(),
        also_runs_on: owned(&mut target.also_runs_on.iter()),
        also_runs_on_evidence: Evidence::Code,
        build: v1::BuildLayer {
            libraries: target.build.libraries,
            code_objects: code.objects,
            kernels: code.kernels.count(),
            trap_stubs: code.trap_stubs,
            bodies_unread: code.bodies_unread,
            bytes: code.bytes,
            code_bytes: code.code_bytes,
            max_vgprs: code.kernels.max_vgprs(),
            max_lds: code.kernels.max_lds(),
            spilling_kernels: code.kernels.spilling(),
            first: code.first.as_ref().map(ToString::to_string),
            evidence: Evidence::Observed,
        },
        selection: selection(&target.selection),
        fallback: v1::FallbackLayer {
            code_objects: target.fallback.code_objects,
            generic_targets: owned(&mut target.fallback.generic_targets.iter()),
            libraries_by_generic: target.fallback.libraries_by_generic,
            evidence: target.fallback.evidence,
        },
        ship: v1::ShipLayer {
            files: target.ship.files,
            named_files: target.ship.named_files,
            bytes: target.ship.bytes,
            firmware_files: target.ship.firmware_files,
            evidence: Evidence::Observed,
        },
        runtime_kernels_only: target.runtime_kernels_only,
    }
}

fn selection(layer: &Selection) -> v1::SelectionLayer {
    v1::SelectionLayer {
        catalogs: layer.catalogs,
        solutions: layer.solutions,
        find_db_lines: layer.find_db_lines,
        perf_db_lines: layer.perf_db_lines,
        db_lines: layer.db_lines(),
        kernel_db_kernels: layer.kernel_db_kernels,
        models: layer.models,
        evidence: Evidence::Observed,
    }
}

fn totals(found: &Capability<'_>) -> v1::Totals {
    let MiopenDatabases { by_processor, lines, .. } = &found.shipped.miopen;
    let of_processor = |sum: &shipped::DatabaseLines<'_>| v1::DatabaseLines {
        processor: sum.processor.to_owned(),
        databases: sum.databases,
        lines: sum.lines,
    };
    v1::Totals {
        targets: found.totals,
        database_lines_by_processor: by_processor.iter().map(of_processor).collect(),
        database_lines: *lines,
        firmware: found.shipped.firmware.total,
        firmware_of_no_processor: found.shipped.firmware.of_no_processor,
        device_bytes: found.device_bytes.total(),
        not_decoded: found.code.iter().map(|row| instructions::not_decoded(row.objects, &row.tally)).sum(),
    }
}

/// What bytes alone cannot show, in sentences.
pub(super) fn not_shown(caches_read: bool) -> Vec<String> {
    let said = NOT_SHOWN.iter().filter(|said| !caches_read || **said != NO_CACHES);
    said.map(|said| (*said).to_owned()).collect()
}

/// The classes that occur, with their bytes, by id.
fn classes(bytes: &SectionBytes) -> BTreeMap<&'static str, u64> {
    bytes.iter().filter(|(.., bytes)| *bytes > 0).map(|(class, _, bytes)| (class.id(), bytes)).collect()
}

fn library(row: &LibraryRow<'_>, targets: &[Target]) -> v1::LibraryRow {
    let cell = |(cell, target): (&CoverageCell<'_>, &Target)| v1::Cell {
        processor: target.processor.clone(),
        coverage: cell.coverage,
        code_objects: cell.code_objects,
        kernels: cell.kernels,
        trap_stubs: cell.trap_stubs,
        bodies_unread: cell.bodies_unread,
        bytes: cell.bytes,
        bytes_by_class: classes(&cell.sections),
        files: cell.files.as_ref().map(file_share),
        bundles: cell.bundles,
        generic: cell.generic.map(str::to_owned),
        first: cell.first.map(ToString::to_string),
    };
    v1::LibraryRow {
        library: row.part.library.to_owned(),
        tensile: row.part.tensile,
        place: row.part.place.map(str::to_owned),
        files: row.files,
        sonames: row.sonames.iter().map(|soname| (*soname).to_owned()).collect(),
        several_versions: row.several_versions,
        cells: row.cells.iter().zip(targets).map(cell).collect(),
    }
}

fn answer(answer: &TargetCoverage<'_>) -> v1::TargetAnswer {
    let libraries = answer.libraries.iter().map(|(how, parts)| v1::CoveredLibraries {
        coverage: *how,
        parts: parts.iter().map(covered_part).collect(),
    });
    v1::TargetAnswer { processor: answer.processor.clone(), libraries: libraries.collect() }
}

fn covered_part(covered: &CoveredPart<'_>) -> v1::CoveredPart {
    v1::CoveredPart {
        part: instructions::part(covered.part),
        kernels: covered.kernels,
        trap_stubs: covered.trap_stubs,
        files: covered.files.as_ref().map(file_share),
    }
}

fn file_share(share: &FileShare<'_>) -> v1::FileShare {
    let own = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    v1::FileShare { with: own(&share.with), without: own(&share.without) }
}

fn libraries_without_code(inventory: &Inventory) -> Vec<v1::LibraryWithoutCode> {
    let mut files: KeyMap<&str, Vec<String>> = KeyMap::new();
    for (library, path) in &inventory.libraries_without_code {
        files.entry(library).or_default().push(path.clone());
    }
    let row = |(library, paths): (&str, _)| v1::LibraryWithoutCode { library: library.to_owned(), paths };
    files.into_iter().map(row).collect()
}

fn gemm(row: &crate::capability::gemm::GemmRow<'_>) -> v1::GemmRow {
    v1::GemmRow {
        library: row.library.to_owned(),
        folder: row.folder.to_owned(),
        processor: row.processor.to_owned(),
        types: rows::gemm_types(&row.coverage),
        variants: row.coverage.variants.clone(),
    }
}

fn tensile(row: &shipped::TensileRow<'_>) -> v1::TensileRow {
    v1::TensileRow {
        library: row.library.to_owned(),
        processor: row.processor.map(str::to_owned),
        files: row.files,
        bytes: row.bytes,
        code_files: row.code_files,
        catalogs: row.catalogs,
        fallback_files: row.fallback_files,
        solutions: row.solutions,
        types: row.types.iter().map(|(code, files)| ((*code).to_owned(), *files)).collect(),
        first: row.first.to_string(),
    }
}

fn database(row: &shipped::Database<'_>) -> v1::MiopenRow {
    v1::MiopenRow {
        processor: row.processor.to_owned(),
        compute_units: row.facts.compute_units,
        kind: row.kind,
        backend: row.facts.backend.clone(),
        form: row.facts.form,
        records: row.facts.records,
        path: row.path.to_owned(),
    }
}

fn firmware(row: &shipped::FirmwareRow<'_>) -> v1::FirmwareRow {
    v1::FirmwareRow {
        codename: row.codename.to_owned(),
        processor: row.processor.map(str::to_owned),
        files: row.count.files,
        links: row.count.links,
        bytes: row.count.bytes,
        mes: row
            .mes
            .iter()
            .map(|(file, release)| v1::MesFirmware {
                file: (*file).to_owned(),
                release: *release,
                evidence: Evidence::Inferred,
            })
            .collect(),
        first: row.first.to_string(),
    }
}

fn device_bytes(bytes: &DeviceBytes) -> Vec<v1::ByteClass> {
    let mut all = rows::byte_classes(&bytes.classes);
    if bytes.unread > 0 {
        let (class, title) = ("unread".to_owned(), "compressed, other sections not read".to_owned());
        all.push(v1::ByteClass { class, title, bytes: bytes.unread });
    }
    all
}

fn artifact(a: &Artifact) -> v1::Artifact {
    let (kind, records) = match &a.kind {
        ArtifactKind::DeviceCode => (v1::ArtifactKind::DeviceCode, None),
        ArtifactKind::Tensile(role, facts) => (tensile_kind(*role), facts.solutions),
        ArtifactKind::FindDb(facts) => (v1::ArtifactKind::FindDb, facts.records),
        ArtifactKind::PerfDb(facts) => (v1::ArtifactKind::PerfDb, facts.records),
        ArtifactKind::KernelDb(facts) => (v1::ArtifactKind::KernelDb, facts.records),
        ArtifactKind::Model(_) => (v1::ArtifactKind::Model, None),
        ArtifactKind::Firmware { alias: false, .. } => (v1::ArtifactKind::Firmware, None),
        ArtifactKind::Firmware { alias: true, .. } => (v1::ArtifactKind::FirmwareLink, None),
        ArtifactKind::Version { .. } => (v1::ArtifactKind::Version, None),
    };
    let device = a.device.as_ref();
    let entries = device.iter().flat_map(|d| &d.entries);
    v1::Artifact {
        root: a.root,
        path: a.relative.clone(),
        owner: a.owner.as_deref().map(str::to_owned),
        package: a.package.as_deref().map(str::to_owned),
        library: a.library.clone(),
        scanner: a.scanner.to_owned(),
        kind,
        bytes: a.bytes,
        named_target: a.named_target.as_ref().map(ToString::to_string),
        link_to: a.link_to.clone(),
        bundles: device.map_or(0, |d| d.bundles),
        compressed_bundles: device.map_or(0, |d| d.compressed),
        entries: entries.map(|(id, t)| (id.clone(), *t)).collect(),
        targets: device.iter().flat_map(|d| &d.targets).map(|(id, code)| rows::target_id(id, code)).collect(),
        records,
    }
}

fn tensile_kind(role: Role) -> v1::ArtifactKind {
    match role {
        Role::LazyCatalog => v1::ArtifactKind::LazyCatalog,
        Role::Catalog => v1::ArtifactKind::Catalog,
        Role::FallbackCatalog => v1::ArtifactKind::FallbackCatalog,
        Role::MergedCatalog => v1::ArtifactKind::MergedCatalog,
        Role::CodeObject => v1::ArtifactKind::CodeObject,
        Role::FallbackCodeObject => v1::ArtifactKind::FallbackCodeObject,
        Role::Helper => v1::ArtifactKind::HelperKernels,
        Role::Extension => v1::ArtifactKind::Extension,
    }
}

fn remainder(row: &UncountedFiles) -> v1::Remainder {
    v1::Remainder {
        format: row.format.to_owned(),
        files: row.files.count,
        bytes: row.files.bytes,
        state: row.state,
    }
}

fn not_examined(row: &NotExamined<'_>) -> v1::NotExamined {
    v1::NotExamined {
        what: row.what.to_owned(),
        files: row.files.count,
        bytes: row.files.bytes,
        example: row.example.to_owned(),
        in_remainder: row.in_remainder,
    }
}
