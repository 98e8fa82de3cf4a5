//! Defects of a folder: names that no device looks up, devices without a perf-db, pointers instead of
//! databases.

use super::of_file;
use crate::miopen::folder::{Choice, DatabaseFolder, DatabaseKind};
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::rules::miopen as rules;
use std::collections::BTreeMap;

/// Finds defects in a folder's file names.
///
/// A SQLite perf-db counts as its text form if that is missing, since a default build makes the text form
/// from it.
pub fn of_folder(folder: &DatabaseFolder) -> Vec<Finding> {
    let mut found = Vec::new();
    for database in &folder.databases {
        if let Some(why) = database.name.never_produced(&database.base) {
            found.push(of_file(&rules::IMPOSSIBLE_NAME, &database.file, why));
        }
        if database.pointer {
            let what = "it begins with `version `, as a Git LFS pointer does".to_owned();
            found.push(of_file(&rules::LFS_POINTER, &database.file, what));
        }
    }
    found.extend(without_perf_db(folder));
    found
}

/// The devices that have a find-db which HIP builds look up, but no perf-db.
fn without_perf_db(folder: &DatabaseFolder) -> Vec<Finding> {
    let text = folder.as_text_build();
    if text.of_kind(DatabaseKind::PerfDbText).next().is_none() {
        // This folder contains no perf-dbs at all.
        return Vec::new();
    }
    let mut devices = BTreeMap::new();
    for database in folder.of_kind(DatabaseKind::FindDbHip) {
        if let Some(device) = database.name.device().filter(|d| d.base_name() == database.base) {
            devices.insert(database.file.as_str(), device);
        }
    }
    let said = |file: &str, detail| of_file(&rules::NO_PERF_DB, file, detail);
    devices
        .into_iter()
        .filter_map(|(file, device)| {
            let base = device.base_name();
            match text.choose(&device, DatabaseKind::PerfDbText) {
                Choice::Exact(_) | Choice::Nearest(_) | Choice::OfProcessor(_) => None,
                Choice::Unreachable(nearest) => Some(said(
                    file,
                    format!("{base}.db.txt is not there, and the search for {} cannot find it", nearest.file),
                )),
                Choice::Pointer(pointer) => {
                    Some(said(file, format!("{} is a Git LFS pointer", pointer.file)))
                }
                Choice::Nothing => Some(said(file, format!("no perf-db of {} is there", device.target))),
            }
        })
        .collect()
}
