//! What an inventory's facts are worth saying: names that disagree, and bytes that need not be there.

use super::caches::{self, Cache};
use super::tensile_chain::CheckedFolder;
use super::waste::Waste;
use super::{agreement, code_limits, linking};
use crate::finding::location::Location;
use crate::finding::rules::{code, waste};
use crate::finding::severity::Severity;
use crate::finding::{self, Finding};
use crate::inventory::file_code::FileCode;
use crate::inventory::{Inventory, NameConflict};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// All findings of an inventory: what could not be read, what is broken between a library and its kernels,
/// and what follows from the rest.
pub(super) fn of_inventory(
    inventory: &Inventory,
    folders: &[CheckedFolder<'_>],
    found: &Waste<'_>,
    caches: &[Cache],
) -> Vec<Finding> {
    let conflicts = inventory.artifacts.iter().flat_map(|artifact| {
        let found = artifact.device.iter().flat_map(|device| &device.name_conflicts);
        found.map(|one| (artifact.shown.as_str(), one))
    });
    let mut all = finding::merged(inventory.findings.iter().cloned());
    all.extend(of_names(conflicts));
    let limits = inventory.artifacts.iter().flat_map(|artifact| {
        artifact.device.iter().flat_map(|device| code_limits::code_limit_findings(&artifact.shown, device))
    });
    all.extend(finding::merged(limits));
    all.extend(finding::merged(
        linking::linking_findings(inventory).into_iter().chain(agreement::agreement_findings(inventory)),
    ));
    all.extend(finding::merged(of_folders(folders, inventory)));
    all.extend(finding::merged(caches::findings(caches)));
    all.extend(of_waste(found));
    finding::sort(&mut all);
    all
}

/// All findings of one file with device code.
pub fn of_file(file: &FileCode, found: &Waste<'_>) -> Vec<Finding> {
    let mut all = finding::merged(file.findings.iter().cloned());
    all.extend(code_limits::code_limit_findings(&file.shown, &file.code));
    all.extend(code_limits::wait_findings(&file.shown, file.waits.as_ref()));
    all.extend(of_names(file.code.name_conflicts.iter().map(|one| (file.shown.as_str(), one))));
    all.extend(of_waste(found));
    finding::sort(&mut all);
    all
}

/// What breaks the chain from a library to its kernels, so that a verdict and the findings say the same. What
/// calls can do without is left to `verify`, and files that could not be read are found once.
fn of_folders<'a>(
    folders: &'a [CheckedFolder<'_>],
    inventory: &'a Inventory,
) -> impl Iterator<Item = Finding> + 'a {
    let unread: BTreeSet<&str> = inventory
        .findings
        .iter()
        .filter(|found| found.is_damage())
        .flat_map(|found| found.locations.iter().map(|place| place.path.as_str()))
        .collect();
    let is_known = move |found: &&Finding| {
        found.is_damage() && found.locations.iter().all(|place| unread.contains(place.path.as_str()))
    };
    let whole = folders.iter().filter(|folder| folder.is_whole);
    let own = whole.flat_map(|folder| &folder.found.findings);
    own.filter(|found| found.rule.severity == Severity::Error).filter(move |found| !is_known(found)).cloned()
}

/// Code objects whose names disagree, those that do it in the same way together. Each comes with the path of
/// its file.
fn of_names<'a>(found: impl IntoIterator<Item = (&'a str, &'a NameConflict)>) -> Vec<Finding> {
    let mut groups: KeyMap<String, Finding> = KeyMap::new();
    for (path, conflict) in found {
        let group = groups.entry(names(conflict)).or_insert_with(|| Finding {
            target: Some(conflict.e_flags.clone()),
            count: 0,
            detail: names(conflict),
            ..Finding::new(&code::NAMES_DISAGREE)
        });
        group.count += conflict.count;
        group.locations.push(Location {
            path: path.to_owned(),
            offset: conflict.first.range.map(|range| range.0),
            what: format!("{} of its code objects, the first is {}", conflict.count, conflict.first),
            ..Location::default()
        });
    }
    groups.into_values().collect()
}

/// Who says what: `e_flags say gfx900, the bundle id gfx906`.
fn names(found: &NameConflict) -> String {
    let mut text = format!("e_flags say {}", found.e_flags);
    let others =
        [("bundle id", &found.bundle_id), ("metadata", &found.metadata), ("file name", &found.file_name)];
    for (who, name) in others {
        if let Some(name) = name.as_deref().filter(|name| *name != found.e_flags) {
            text.push_str(&format!(", the {who} {name}"));
        }
    }
    text
}

/// Bytes that need not be there.
fn of_waste(found: &Waste<'_>) -> Vec<Finding> {
    let objects = &found.duplicates.objects;
    let rows = [
        (&waste::DUPLICATE_CODE_OBJECTS, objects.extra, objects.bytes),
        (&waste::DEBUG_INFORMATION, 1, found.debug),
        (&waste::UNCOMPRESSED_BUNDLES, found.plain.count, found.plain.bytes),
        (&waste::PADDING, 1, found.padding),
    ];
    let some = rows.into_iter().filter(|(_, count, bytes)| *count > 0 && *bytes > 0);
    some.map(|(rule, count, bytes)| Finding { count, detail: format!("{bytes} bytes"), ..Finding::new(rule) })
        .collect()
}
