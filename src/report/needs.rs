//! Makes the report of `needs`.

use super::{findings, v1};
use crate::capability::Capability;
use crate::capability::needs::{LeastRuntime, Needed, NeededLibraryPlace, Needs};
use crate::finding::rules::linking as rules;
use crate::finding::{self, Finding};
use crate::inventory::Inventory;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The topic of the rules that this command reports in addition to damage.
const TOPIC: &str = "linking";

/// The report on what the libraries of an inventory need.
pub fn needs(inventory: &Inventory) -> v1::NeedsReport {
    let found = Capability::from_inventory(inventory, &[]);
    let needs = Needs::from_inventory(inventory);
    let own = |finding: &&Finding| finding.is_damage() || finding.rule.topic() == TOPIC;
    let missing = needs.findings(true).into_iter().filter(|finding| finding.rule == &rules::NEEDED_NOT_HERE);
    let others = found.findings.iter().filter(own).filter(|finding| finding.rule != &rules::NEEDED_NOT_HERE);
    let kept: Vec<Finding> = finding::merged(others.cloned().chain(missing));
    let mut missing: KeyMap<&str, v1::MissingLibrary> = KeyMap::new();
    for one in &needs.files {
        for needed in &one.needed {
            let (place, _) = place(&needed.place);
            if matches!(place, v1::NeededPlace::Here | v1::NeededPlace::Unreachable) {
                continue;
            }
            let library = missing.entry(needed.name).or_insert_with(|| v1::MissingLibrary {
                name: needed.name.to_owned(),
                place,
                needed_by: Vec::new(),
            });
            library.needed_by.push(one.file.shown.clone());
        }
    }
    let mut missing: Vec<v1::MissingLibrary> = missing.into_values().collect();
    missing.sort_rows_by_key(|library| match library.place {
        v1::NeededPlace::Rocm => 0,
        v1::NeededPlace::Other => 1,
        _ => 2,
    });
    let files = needs.files.iter().map(|one| v1::FileNeeds {
        path: one.file.shown.clone(),
        soname: one.file.soname.clone(),
        search_paths: one.file.search.folders().to_vec(),
        is_rpath: one.file.search.is_rpath(),
        least_runtime: one.least_runtime.as_ref().map(least),
        unnamed_runtime_symbols: one.file.unnamed_hip.0,
        absolute_paths: one.absolute.iter().map(ToString::to_string).collect(),
        needed: libraries(&one.needed),
        opens: libraries(&one.opens),
    });
    let versions = needs.versions.iter().map(|version| v1::NeededVersion {
        library: version.library.to_owned(),
        version: version.version.to_owned(),
        asked_by: version.asked_by.iter().map(ToString::to_string).collect(),
    });
    v1::NeedsReport {
        header: v1::Header::from_document(v1::document::NEEDS),
        roots: inventory.roots.clone(),
        complete: found.complete,
        failed_because: Vec::new(),
        files: files.collect(),
        missing,
        versions: versions.collect(),
        least_runtime: needs.least_runtime().map(least),
        findings: findings::rows(&kept),
    }
}

fn libraries(all: &[Needed<'_>]) -> Vec<v1::NeededLibrary> {
    let library = |needed: &Needed<'_>| {
        let (place, path) = place(&needed.place);
        v1::NeededLibrary { name: needed.name.to_owned(), place, path }
    };
    all.iter().map(library).collect()
}

fn least(least: &LeastRuntime) -> v1::LeastRuntime {
    let (major, minor) = least.release;
    v1::LeastRuntime { release: format!("{major}.{minor}"), why: least.why.clone() }
}

fn place(place: &NeededLibraryPlace) -> (v1::NeededPlace, Option<String>) {
    match place {
        NeededLibraryPlace::Here(path) => (v1::NeededPlace::Here, Some(path.clone())),
        NeededLibraryPlace::Unreachable(path) => (v1::NeededPlace::Unreachable, Some(path.clone())),
        NeededLibraryPlace::System => (v1::NeededPlace::System, None),
        NeededLibraryPlace::Rocm => (v1::NeededPlace::Rocm, None),
        NeededLibraryPlace::Other => (v1::NeededPlace::Other, None),
    }
}
