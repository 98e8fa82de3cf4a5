//! Makes the manifest of an artifact.

use super::v1::{self, Manifest};
use super::verdict;
use crate::capability::Capability;
use crate::capability::gemm::{GemmRow, types};
use crate::capability::linked_with::linked_releases;
use crate::capability::verdict::{LibraryVerdict, Verdict};
use crate::engines::tensile::coverage::GemmService;
use crate::finding::Finding;
use crate::format::Format;
use crate::inventory::{Artifact, ArtifactKind, Inventory};
use crate::target::{PROCESSORS, Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

/// The manifest of the one artifact that an inventory is of, which is called `name` and has `bytes`; `sha256` is
/// that of the file. It is about these processors; about all, where none is named.
pub fn manifest(
    inventory: &Inventory,
    (name, bytes, sha256): (String, u64, Option<String>),
    asked: &[TargetId],
) -> Manifest {
    let all = if asked.is_empty() { processors(inventory) } else { Vec::new() };
    let asked = if asked.is_empty() { &all } else { asked };
    let found = Capability::from_inventory(inventory, asked);
    let mut cards: Vec<v1::ManifestCards> = Vec::new();
    for verdict in &found.verdicts {
        let row = cards_of(inventory, &found, verdict);
        match cards.iter_mut().find(|known| is_same(known, &row)) {
            Some(known) => known.processors.extend(row.processors),
            None => cards.push(row),
        }
    }
    Manifest {
        header: v1::Header::from_document(v1::document::MANIFEST),
        artifact: v1::ManifestArtifact {
            name,
            identity: identity(inventory),
            bytes,
            sha256,
            reported_bytes: found.summary.artifacts.bytes,
        },
        complete: found.complete,
        targets: targets(inventory),
        releases: releases(inventory),
        libraries: libraries(&found),
        files: files(inventory),
        cards,
        findings: findings(&found.findings),
    }
}

/// All processors of the table, and those that only the artifact has.
fn processors(inventory: &Inventory) -> Vec<TargetId> {
    let known: BTreeSet<&str> = PROCESSORS.iter().map(|processor| processor.name()).collect();
    let devices = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
    let here = devices.flat_map(|device| device.targets.keys()).map(|id| id.processor.as_str());
    let others: BTreeSet<&str> = here.filter(|name| !known.contains(name)).collect();
    let all = PROCESSORS.iter().map(|processor| processor.name()).chain(others);
    all.map(TargetId::bare).collect()
}

/// The target IDs of all code objects, in the order of the processors.
fn targets(inventory: &Inventory) -> Vec<v1::ManifestTarget> {
    let mut all: KeyMap<(usize, String), v1::ManifestTarget> = KeyMap::new();
    let devices = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
    for (id, code) in devices.flat_map(|device| &device.targets) {
        let target_id = id.to_string();
        let key = (Processor::rank(&id.processor), target_id.clone());
        let row =
            all.entry(key).or_insert_with(|| v1::ManifestTarget { target_id, code_objects: 0, kernels: 0 });
        row.code_objects += code.objects;
        row.kernels += code.kernels.count();
    }
    all.into_values().collect()
}

/// What the package states of itself: of the outermost one, where one lies in another.
fn identity(inventory: &Inventory) -> Option<String> {
    let outermost = inventory.packages.iter().min_by_key(|package| package.shown.len())?;
    outermost.identity.as_deref().map(str::to_owned)
}

fn releases(inventory: &Inventory) -> Vec<v1::ManifestRelease> {
    let linked = linked_releases(inventory).into_iter().filter(|linked| !linked.release.is_empty());
    let linked = linked.map(|linked| v1::ManifestRelease {
        component: linked.library,
        version: linked.release,
        linked: true,
    });
    let stated = inventory.artifacts.iter().filter_map(|artifact| match &artifact.kind {
        ArtifactKind::Version { component, version } => Some(v1::ManifestRelease {
            component: component.clone(),
            version: version.clone(),
            linked: false,
        }),
        _ => None,
    });
    linked.chain(stated).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The libraries of all verdicts, each once, by name.
fn libraries(found: &Capability<'_>) -> Vec<v1::ManifestLibrary> {
    let mut all: KeyMap<&str, v1::ManifestLibrary> = KeyMap::new();
    for library in found.verdicts.iter().flat_map(|verdict| &verdict.libraries) {
        let row = all.entry(library.library).or_insert_with(|| v1::ManifestLibrary {
            library: library.library.to_owned(),
            role: library.role,
            needs: Vec::new(),
        });
        let new = |soname: &&str| !row.needs.iter().any(|known| known == soname);
        let needs: Vec<String> =
            library.needs.iter().map(|need| need.soname).filter(new).map(str::to_owned).collect();
        row.needs.extend(needs);
    }
    all.into_values().collect()
}

/// The binaries with code, by path.
fn files(inventory: &Inventory) -> Vec<v1::ManifestFile> {
    let is_binary = |artifact: &&Artifact| {
        let format = artifact.device.as_ref().and_then(|device| device.format);
        matches!(format, Some(Format::HostElf | Format::WindowsPe))
    };
    let file = |artifact: &Artifact| v1::ManifestFile {
        path: below_root(inventory, &artifact.shown),
        library: artifact.library.clone(),
        bytes: artifact.bytes,
    };
    let mut files: Vec<v1::ManifestFile> = inventory.artifacts.iter().filter(is_binary).map(file).collect();
    files.sort_rows_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files
}

fn cards_of(inventory: &Inventory, found: &Capability<'_>, verdict: &Verdict<'_>) -> v1::ManifestCards {
    let place = found.targets.iter().position(|target| target.processor == verdict.processor);
    let best = verdict.overrides.first();
    v1::ManifestCards {
        processors: vec![verdict.processor.clone()],
        answer: verdict.answer,
        headline: of_any(&verdict.headline, &verdict.processor),
        libraries: verdict
            .libraries
            .iter()
            .map(|library| coverage(inventory, found, &verdict.processor, place, library))
            .collect(),
        override_value: best.map(|best| v1::ManifestOverride {
            value: best.value.clone(),
            processor: best.processor.clone(),
            answer: verdict::safety(best.judgement.safety),
            without: verdict.without_override.clone(),
        }),
    }
}

fn coverage(
    inventory: &Inventory,
    found: &Capability<'_>,
    processor: &str,
    place: Option<usize>,
    library: &LibraryVerdict<'_>,
) -> v1::ManifestCoverage {
    let cell = |tensile: bool| {
        let is_it = |row: &&crate::capability::coverage::LibraryRow<'_>| {
            row.part.library == library.library
                && row.part.place == library.place
                && row.part.tensile == tensile
        };
        found.matrix.iter().find(is_it)?.cells.get(place?).map(|cell| cell.coverage)
    };
    let (mut tuned, mut fallback) = (BTreeSet::new(), BTreeSet::new());
    let own = |row: &&GemmRow<'_>| row.library == library.library && row.processor == processor;
    for row in found.gemm.iter().filter(own) {
        for ty in types(&row.coverage) {
            if ty.count(GemmService::Tuned) > 0 {
                tuned.insert(ty.name.to_owned());
            } else if ty.count(GemmService::Fallback) > 0 {
                fallback.insert(ty.name.to_owned());
            }
        }
    }
    v1::ManifestCoverage {
        library: library.library.to_owned(),
        place: library.place.map(|place| below_root(inventory, place)),
        answer: library.answer,
        reason: of_any(&library.reason, processor),
        kernels: cell(false),
        catalogs: cell(true),
        tuned: tuned.into_iter().collect(),
        fallback: fallback.into_iter().collect(),
    }
}

/// A sentence without the name of its processor at the end, so that it is the same for several.
fn of_any(text: &str, processor: &str) -> String {
    match text.strip_suffix(processor).filter(|rest| rest.ends_with(' ')) {
        Some(rest) => format!("{rest}this processor"),
        None => text.to_owned(),
    }
}

/// A place without the folders of the machine.
fn below_root(inventory: &Inventory, place: &str) -> String {
    let below = inventory.roots.iter().find_map(|root| place.strip_prefix(root.as_str()));
    below.unwrap_or(place).trim_start_matches(['/', '!']).to_owned()
}

/// Whether two rows differ in nothing but their processors.
fn is_same(a: &v1::ManifestCards, b: &v1::ManifestCards) -> bool {
    (a.answer, &a.headline, &a.libraries, &a.override_value)
        == (b.answer, &b.headline, &b.libraries, &b.override_value)
}

fn findings(found: &[Finding]) -> Vec<v1::ManifestFinding> {
    let mut rows: KeyMap<&str, v1::ManifestFinding> = KeyMap::new();
    for finding in found {
        let row = rows.entry(finding.rule.id).or_insert_with(|| v1::ManifestFinding {
            id: finding.rule.id.to_owned(),
            targets: Vec::new(),
            count: 0,
        });
        row.count += finding.count;
        row.targets.extend(finding.target.clone().filter(|target| !row.targets.contains(target)));
    }
    rows.into_values().collect()
}
