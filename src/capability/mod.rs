//! The capability report: what the facts of an inventory mean for each target and library.
//!
//! A target is reported in four layers: *build* (code objects for it), *selection* (catalogs and databases that name
//! it), *fallback* (what it can use instead) and *ship* (files under its name). Each is only what bytes show.

mod coverage;
pub(crate) mod gemm;
pub(crate) mod instructions;
pub(crate) mod rows;
pub(crate) mod waste;

use crate::codeobject::{AbiVersion, Class, SectionBytes};
use crate::inventory::{ArtifactKind, Inventory, TargetCode};
use crate::report::v1::{self, Evidence, Report};
use crate::target::{Processor, TargetId};
use std::collections::{BTreeMap, BTreeSet};

/// What bytes alone cannot show; printed with every report.
pub const NOT_SHOWN: [&str; 4] = [
    "A kernel that is present, or named by a catalog or database, is not thereby dispatched: no GPU was asked.",
    "Code made at run time (hiprtc, rocFFT and MIOpen kernel compilation, Triton, SPIR-V) leaves no bytes here.",
    "Databases and caches in users' home directories, and environment variables, were not looked at.",
    "Whether code is correct or fast on a device is not a question that bytes answer.",
];

/// Makes the report of an inventory: of all processors found, or, where some are asked for, of those, found or not.
pub fn report(inventory: &Inventory, asked: &[TargetId]) -> Report {
    let processors = if asked.is_empty() { processors(inventory) } else { in_order(asked) };
    let matrix = coverage::matrix(inventory, &processors, asked);
    let targets = processors.iter().map(|p| target(inventory, p, asked, &matrix)).collect();
    Report {
        header: v1::Header::of(v1::document::REPORT),
        complete: !inventory.problems.iter().any(|p| p.kind.makes_incomplete()),
        roots: inventory.roots.clone(),
        versions: rows::versions(inventory),
        summary: summary(inventory),
        packages: rows::packages(inventory),
        targets,
        matrix,
        instructions: instructions::of_libraries(inventory, &processors, asked),
        gemm: keep(gemm::of(inventory), asked, |row| Some(&row.processor)),
        tensile: keep(rows::tensile(inventory), asked, |row| row.processor.as_deref()),
        miopen: keep(rows::miopen(inventory), asked, |row| Some(&row.processor)),
        firmware: keep(rows::firmware(inventory), asked, |row| row.processor.as_deref()),
        asked: asked.iter().map(ToString::to_string).collect(),
        device_bytes: device_bytes(inventory, asked),
        libraries_without_code: rows::libraries_without_code(inventory),
        waste: waste::of(inventory),
        artifacts: rows::artifacts(inventory),
        disagreements: rows::disagreements(inventory),
        problems: rows::problems(&inventory.problems),
        remainder: rows::remainder(inventory),
        not_examined: rows::not_examined(inventory),
        not_shown: NOT_SHOWN.iter().map(|s| (*s).to_owned()).collect(),
    }
}

/// The rows of the processors that were asked for.
fn keep<T>(rows: Vec<T>, asked: &[TargetId], processor: impl Fn(&T) -> Option<&str>) -> Vec<T> {
    let processors = in_order(asked);
    let wanted =
        |row: &T| processors.is_empty() || processor(row).is_some_and(|p| processors.iter().any(|a| a == p));
    rows.into_iter().filter(wanted).collect()
}

/// Every processor that code or a file name names, in the order of the table.
fn processors(inventory: &Inventory) -> Vec<String> {
    let mut found = BTreeSet::new();
    for artifact in &inventory.artifacts {
        let in_code = artifact.device.iter().flat_map(|d| d.targets.keys());
        let in_name = artifact.named_target.iter().filter(|_| !is_firmware(&artifact.kind));
        found.extend(in_code.chain(in_name).map(|t| TargetId::bare(t.processor.clone())));
        let in_ids = artifact.device.iter().flat_map(|d| d.entries.keys());
        let spirv = in_ids.filter(|id| id.ends_with("amdgcnspirv")).map(|_| TargetId::bare("amdgcnspirv"));
        found.extend(spirv);
    }
    found.into_iter().map(|t| t.processor).collect()
}

/// Processors of target IDs, each once, in the order of the table.
fn in_order(asked: &[TargetId]) -> Vec<String> {
    let all: BTreeSet<TargetId> = asked.iter().map(|t| TargetId::bare(t.processor.clone())).collect();
    all.into_iter().map(|t| t.processor).collect()
}

/// Whether code for a target counts for a processor: all of its code where nothing is asked for, else what loads on a
/// target ID that was asked for.
fn counts(code: &TargetId, processor: &str, asked: &[TargetId]) -> bool {
    code.processor == processor && (asked.is_empty() || asked.iter().any(|agent| code.loads_on(agent)))
}

/// Firmware of a chip is no sign that anything here is for it: a firmware package names every chip there is.
fn is_firmware(kind: &ArtifactKind) -> bool {
    matches!(kind, ArtifactKind::Firmware { .. })
}

/// All code of one processor in an inventory, by target ID.
fn code_of<'a>(
    inventory: &'a Inventory,
    processor: &str,
    asked: &[TargetId],
) -> BTreeMap<&'a TargetId, TargetCode> {
    let mut code: BTreeMap<&TargetId, TargetCode> = BTreeMap::new();
    for device in inventory.artifacts.iter().filter_map(|a| a.device.as_ref()) {
        for (target, found) in device.targets.iter().filter(|(t, _)| counts(t, processor, asked)) {
            code.entry(target).or_default().merge(found);
        }
    }
    code
}

fn target(
    inventory: &Inventory,
    processor: &str,
    asked: &[TargetId],
    matrix: &[v1::LibraryRow],
) -> v1::Target {
    let code = code_of(inventory, processor, asked);
    let mut all = TargetCode::default();
    code.values().for_each(|c| all.merge(c));
    let known = Processor::by_name(processor);
    let text = |s: &'static str| (!s.is_empty()).then(|| s.to_owned());
    let cells: Vec<&v1::Cell> =
        matrix.iter().flat_map(|l| &l.cells).filter(|c| c.processor == processor).collect();
    let generics: BTreeSet<&String> = cells.iter().filter_map(|c| c.generic.as_ref()).collect();
    v1::Target {
        processor: processor.to_owned(),
        family: known.map(|p| p.family.name().to_owned()),
        devices: known.and_then(|p| text(p.devices)),
        target_ids: code.iter().map(|(id, c)| rows::target_id(id, c)).collect(),
        build: v1::BuildLayer {
            libraries: cells.iter().filter(|c| c.kernels > 0).count() as u64,
            code_objects: all.objects,
            kernels: all.kernels.count,
            bytes: all.bytes,
            code_bytes: all.code_bytes,
            max_vgprs: all.kernels.max_vgprs,
            max_lds: all.kernels.max_lds,
            spilling_kernels: all.kernels.spilling,
            first: all.first.map(|l| l.to_string()),
            evidence: Some(Evidence::Observed),
        },
        selection: selection(inventory, processor),
        fallback: v1::FallbackLayer {
            code_objects: fallback_objects(inventory, processor),
            libraries_by_generic: cells.iter().filter(|c| c.coverage == v1::Coverage::Generic).count() as u64,
            evidence: Some(if generics.is_empty() { Evidence::Observed } else { Evidence::Code }),
            generic_targets: generics.into_iter().cloned().collect(),
        },
        ship: ship(inventory, processor),
    }
}

fn named<'a>(
    inventory: &'a Inventory,
    processor: &'a str,
) -> impl Iterator<Item = &'a crate::inventory::Artifact> {
    inventory
        .artifacts
        .iter()
        .filter(move |a| a.named_target.as_ref().is_some_and(|t| t.processor == processor))
}

fn selection(inventory: &Inventory, processor: &str) -> v1::SelectionLayer {
    let mut layer =
        v1::SelectionLayer { evidence: Some(Evidence::Observed), ..v1::SelectionLayer::default() };
    for artifact in named(inventory, processor) {
        match &artifact.kind {
            ArtifactKind::Tensile(role, facts) if !role.is_code() && facts.solutions.is_some() => {
                layer.catalogs += 1;
                layer.solutions += facts.solutions.unwrap_or(0);
            }
            ArtifactKind::FindDb(facts) => layer.find_db_lines += facts.records.unwrap_or(0),
            ArtifactKind::PerfDb(facts) => layer.perf_db_lines += facts.records.unwrap_or(0),
            ArtifactKind::KernelDb(facts) => layer.kernel_db_kernels += facts.records.unwrap_or(0),
            ArtifactKind::Model(_) => layer.models += 1,
            _ => {}
        }
    }
    layer
}

fn fallback_objects(inventory: &Inventory, processor: &str) -> u64 {
    let fallback = |kind: &ArtifactKind| matches!(kind, ArtifactKind::Tensile(role, _) if role.is_fallback());
    named(inventory, processor).filter(|a| fallback(&a.kind)).count() as u64
}

fn ship(inventory: &Inventory, processor: &str) -> v1::ShipLayer {
    let mut layer = v1::ShipLayer { evidence: Some(Evidence::Observed), ..v1::ShipLayer::default() };
    for artifact in &inventory.artifacts {
        let named = artifact.named_target.as_ref().is_some_and(|t| t.processor == processor);
        let carries = artifact.device.iter().flat_map(|d| d.targets.keys()).any(|t| t.processor == processor);
        match &artifact.kind {
            ArtifactKind::Firmware { alias, .. } => layer.firmware_files += u64::from(named && !alias),
            _ => {
                layer.named_files += u64::from(named);
                layer.files += u64::from(named || carries);
                layer.bytes += if named { artifact.bytes } else { 0 };
            }
        }
    }
    layer
}

fn summary(inventory: &Inventory) -> v1::Summary {
    let mut sum = v1::Summary {
        files: inventory.files.count,
        bytes: inventory.files.bytes,
        links: inventory.links,
        excluded: inventory.excluded,
        ..v1::Summary::default()
    };
    let mut versions: BTreeMap<AbiVersion, u64> = BTreeMap::new();
    for artifact in &inventory.artifacts {
        sum.artifacts += 1;
        sum.artifact_bytes += artifact.bytes;
        let Some(device) = &artifact.device else { continue };
        sum.bundles += device.bundles;
        sum.compressed_bundles += device.compressed;
        sum.unpacked_bytes += device.unpacked_bytes;
        sum.unverified_bundles += device.unverified;
        for code in device.targets.values() {
            sum.code_objects += code.objects;
            sum.kernels += code.kernels.count;
            sum.code_object_bytes += code.bytes;
            sum.code_bytes += code.code_bytes;
            for (version, count) in &code.versions {
                *versions.entry(*version).or_default() += count;
            }
        }
    }
    sum.abi_versions = versions.into_iter().map(|(version, count)| (version.to_string(), count)).collect();
    sum
}

/// Bytes of all code objects by class, inflated. Of compressed ones whose sections were not read, the code is known from
/// their program headers; the rest is a class of its own, so that the sum is the size of all.
fn device_bytes(inventory: &Inventory, asked: &[TargetId]) -> Vec<v1::ByteClass> {
    let mut classes = SectionBytes::default();
    let (mut all, mut code) = (0, 0);
    let devices = inventory.artifacts.iter().filter_map(|a| a.device.as_ref());
    for (target, found) in devices.flat_map(|d| &d.targets) {
        if counts(target, &target.processor, asked) {
            classes.merge(&found.sections);
            all += found.bytes;
            code += found.code_bytes;
        }
    }
    let unread = all - classes.total().min(all);
    let unread_code = code.saturating_sub(classes.get(Class::Code)).min(unread);
    classes.add(Class::Code, unread_code);
    let mut rows: Vec<_> = rows::byte_classes(&classes);
    if unread > unread_code {
        let class = "compressed, other sections not read".to_owned();
        rows.push(v1::ByteClass { class, bytes: unread - unread_code });
    }
    rows
}
