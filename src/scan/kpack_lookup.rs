//! The kpack archives that a binary's marker leads to, on disk: which are there, and for which targets they
//! have all of the binary's code.

use crate::container::kpack::{self, Reference, Table};
use crate::error::ParseError;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::{kpack as rules, read};
use crate::format::Format;
use crate::inventory::file_code::TargetInArchives;
use crate::source::SourceFile;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::Path;

/// Looks for the archives of the binary at `path`, which registers `units` bundles. What is wrong with
/// archives is said in `findings`.
pub fn look(
    path: &Path,
    reference: &Reference,
    units: u64,
    findings: &mut Vec<Finding>,
) -> Vec<TargetInArchives> {
    let tables = tables(path, reference, findings);
    let targets: BTreeSet<TargetId> = tables.keys().filter_map(|path| reference.target_of(path)).collect();
    let table = |path: &str| tables.get(path);
    let mut all = Vec::new();
    for target in targets {
        let mut found = TargetInArchives { target, archives: Vec::new(), units: 0, behind_a_miss: 0 };
        for unit in 0..units {
            let Some(answer) = reference.resolve(&found.target, unit, &table) else { continue };
            found.units += 1;
            found.behind_a_miss += u64::from(answer.behind_a_miss());
            if !found.archives.iter().any(|known| known == answer.archive()) {
                found.archives.push(answer.archive().to_owned());
            }
        }
        all.push(found);
    }
    all
}

/// What is wrong with the archives of the binary at `path`, which registers `units` bundles.
pub(super) fn judge(path: &Path, shown: &str, reference: &Reference, units: u64) -> Vec<Finding> {
    let mut damage = Vec::new();
    let found = look(path, reference, units, &mut damage);
    let place = |what: String| Location::file(shown, what);
    if found.is_empty() {
        let what = format!("its code is in {}, and there is none", reference.search_paths().join(" or "));
        damage.push(Finding::at(&rules::ARCHIVE_MISSING, place(what)));
    }
    for target in found {
        let finding = match (units, target.units, target.behind_a_miss) {
            (1.., 0, _) => {
                let what = format!("no archive for {} has any of its {units} bundles", target.target);
                Finding::at(&rules::ARCHIVE_WITHOUT_CODE, place(what))
            }
            (_, _, behind @ 1..) => {
                let what =
                    format!("{behind} of {units} bundles for {} lie behind a smaller archive", target.target);
                Finding::at(&rules::ARCHIVE_HIDDEN, place(what))
            }
            _ => continue,
        };
        damage.push(Finding { target: Some(target.target.to_string()), ..finding });
    }
    damage
}

/// Folders that a search path may go up: to the root of a wheel's library and beside it.
const MOST_FOLDERS_UP: usize = 3;

/// The tables of all archives that the search paths lead to, by the path that they would be asked for.
fn tables(binary: &Path, reference: &Reference, findings: &mut Vec<Finding>) -> KeyMap<String, Table> {
    let folder = binary.parent().unwrap_or(Path::new("."));
    let mut tables = KeyMap::new();
    for pattern in reference.search_paths() {
        let (below, _) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        // Real markers lead to a folder beside the one that holds the binary.
        if pattern.starts_with('/') || below.split('/').filter(|part| *part == "..").count() > MOST_FOLDERS_UP
        {
            let what =
                format!("the kpack search path {pattern} leads too far from the binary, and is not followed");
            findings.push(Finding::of_bytes(&binary.to_string_lossy(), ParseError::new(0, what)));
            continue;
        }
        let Ok(entries) = std::fs::read_dir(folder.join(below)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let asked = if pattern.contains('/') { format!("{below}/{name}") } else { name };
            if tables.contains_key(&asked) || reference.target_of(&asked).is_none() {
                continue;
            }
            let shown = entry.path().to_string_lossy().into_owned();
            match SourceFile::open(&entry.path()) {
                Ok(file) if Format::identify(file.head()) == Format::Kpack => {
                    match kpack::read_table(file.bytes()) {
                        Ok(table) => drop(tables.insert(asked, table)),
                        Err(error) => findings.push(Finding::of_bytes(&shown, error)),
                    }
                }
                Ok(_) => {
                    let what = "a kpack archive is expected here, and it does not begin like one";
                    findings.push(Finding::of_bytes(&shown, ParseError::new(0, what)));
                }
                Err(error) => {
                    findings.push(Finding::of_file(&read::UNREADABLE_FILE, &shown, error.to_string()));
                }
            }
        }
    }
    tables
}
