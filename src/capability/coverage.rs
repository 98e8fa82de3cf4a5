//! The matrix: what each library has for each processor.

use crate::container::bundle_reader::Payload;
use crate::engines::tensile::name::Role;
use crate::inventory::{Artifact, ArtifactKind, Inventory, TargetCode};
use crate::report::v1::{Cell, Coverage, LibraryRow};
use crate::target::{Processor, TargetId};
use std::collections::{BTreeMap, BTreeSet};

/// All code of a library for one processor.
#[derive(Default)]
struct Code {
    code: TargetCode,
    /// Bundles with device code in files that hold the processor in some bundles and not in others.
    partial_of: u64,
    partial: u64,
    /// Whether there is a tuned Tensile code object.
    tuned: bool,
    /// Number of SPIR-V entries.
    spirv: u64,
    /// Whether any of it lies in a Tensile library folder.
    tensile: bool,
}

/// The processor that SPIR-V entries are for.
const SPIRV_PROCESSOR: &str = "amdgcnspirv";

/// One row for each library that carries device code, sorted by name. The kernels in a Tensile library folder are a row
/// of their own: a library can have its own kernels for a target and no matrix product, and the other way round.
pub(super) fn matrix(inventory: &Inventory, processors: &[String], asked: &[TargetId]) -> Vec<LibraryRow> {
    let mut libraries: BTreeMap<(String, bool), Vec<&Artifact>> = BTreeMap::new();
    for artifact in inventory.artifacts.iter().filter(|a| {
        a.device
            .as_ref()
            .is_some_and(|d| !d.targets.is_empty() || d.other_payloads.contains_key(Payload::SpirV.name()))
    }) {
        let tensile = matches!(artifact.kind, ArtifactKind::Tensile(..));
        libraries.entry((artifact.library.clone(), tensile)).or_default().push(artifact);
    }
    let mut rows: Vec<LibraryRow> =
        libraries.into_iter().map(|(name, files)| row(name, &files, processors, asked)).collect();
    rows.sort_by_key(|row| (row.library.to_lowercase(), row.tensile));
    rows
}

fn row(
    (library, tensile): (String, bool),
    files: &[&Artifact],
    processors: &[String],
    asked: &[TargetId],
) -> LibraryRow {
    let mut by_processor: BTreeMap<&str, Code> = BTreeMap::new();
    for artifact in files {
        let Some(device) = &artifact.device else { continue };
        let role = match &artifact.kind {
            ArtifactKind::Tensile(role, _) => Some(*role),
            _ => None,
        };
        if let Some(tally) = device.other_payloads.get(Payload::SpirV.name()) {
            by_processor.entry(SPIRV_PROCESSOR).or_default().spirv += tally.count;
        }
        for (target, code) in
            device.targets.iter().filter(|(t, _)| asked.is_empty() || asked.iter().any(|a| t.loads_on(a)))
        {
            let entry = by_processor.entry(&target.processor).or_default();
            entry.code.merge(code);
            entry.tensile |= role.is_some();
            entry.tuned |= role == Some(Role::CodeObject);
            if device.bundles > 0
                && code.bundles < device.bundles
                && same_processor_bundles(device, target) < device.bundles
            {
                entry.partial += code.bundles;
                entry.partial_of += device.bundles;
            }
        }
    }
    let sonames: BTreeSet<String> = files.iter().filter_map(|a| a.device.as_ref()?.soname.clone()).collect();
    let cells = processors.iter().map(|p| cell(p, &by_processor)).collect();
    LibraryRow { library, tensile, files: files.len() as u64, sonames: sonames.into_iter().collect(), cells }
}

/// Bundles that hold any target ID of the same processor: `xnack+` and `xnack-` often lie in the same ones.
fn same_processor_bundles(device: &crate::inventory::DeviceCode, target: &TargetId) -> u64 {
    let same = device.targets.iter().filter(|(t, _)| t.processor == target.processor);
    same.map(|(_, c)| c.bundles).max().unwrap_or(0)
}

fn cell(processor: &str, by_processor: &BTreeMap<&str, Code>) -> Cell {
    let empty = Code::default();
    let code = by_processor.get(processor).unwrap_or(&empty);
    let generic = Processor::by_name(processor)
        .and_then(|p| p.generic)
        .filter(|generic| by_processor.get(generic).is_some_and(|c| c.code.kernels.count > 0));
    let coverage = match code {
        Code { spirv: 1.., .. } => Coverage::RunTime,
        Code { code, .. } if code.objects == 0 && generic.is_some() => Coverage::Generic,
        Code { code, .. } if code.objects == 0 => Coverage::Absent,
        Code { code, .. } if code.kernels.count == 0 => Coverage::NoKernels,
        Code { tensile: true, tuned: false, .. } => Coverage::FallbackOnly,
        Code { partial_of: 1.., .. } => Coverage::Partial,
        _ => Coverage::Native,
    };
    Cell {
        processor: processor.to_owned(),
        coverage,
        code_objects: code.code.objects,
        kernels: code.code.kernels.count,
        bytes: code.code.bytes,
        bundles: (coverage == Coverage::Partial).then_some([code.partial, code.partial_of]),
        generic: (coverage == Coverage::Generic).then(|| generic.map(str::to_owned)).flatten(),
        first: code.code.first.as_ref().map(ToString::to_string),
    }
}
