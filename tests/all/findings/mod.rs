//! For every rule of findings: an input with the finding, and a close look-alike without it; also checks the
//! registry's files, ids and pages. Each topic's inputs are in the file with its name.

mod answer;
mod code;
mod kpack;
mod linking;
mod miopen;
mod read;
mod tensile;
mod waste;

use crate::common::project;
use crate::common::seen::Seen;
use rocm_audit::finding::rules::{RULES, TOPICS};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A rule, an input with the finding, and the same input with that fault repaired.
type Row = (&'static str, fn() -> Vec<Seen>, fn() -> Vec<Seen>);

/// Rules whose findings sum over everything that was read: copies may lie in several roots, so the sum has
/// neither location nor target.
const SUMS: [&str; 1] = ["duplicate-code-objects"];

/// Rules whose inputs need symbolic links.
const LINKS: [&str; 5] =
    ["link-loop", "unreadable-file", "dangling-link", "link-not-followed", "special-file"];

/// All rows, in the order of the registry.
fn rows() -> impl Iterator<Item = &'static Row> {
    [
        read::ROWS,
        code::ROWS,
        linking::ROWS,
        kpack::ROWS,
        waste::ROWS,
        tensile::ROWS,
        miopen::ROWS,
        answer::ROWS,
    ]
    .into_iter()
    .flatten()
}

#[test]
fn every_rule_is_found_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for (id, positive, negative) in rows() {
        if cfg!(not(unix)) && LINKS.contains(id) {
            continue;
        }
        let found = positive();
        match found.iter().find(|seen| seen.id == *id) {
            None => wrong.push(format!("{id} is not found where it is: {found:?}")),
            Some(seen) if seen.placed == SUMS.contains(id) => {
                wrong.push(format!(
                    "{id}: a place or target is {}expected",
                    if seen.placed { "not " } else { "" }
                ));
            }
            Some(_) => {}
        }
        if negative().iter().any(|seen| seen.id == *id) {
            wrong.push(format!("{id} is found where it is not"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_row_and_every_row_a_rule() {
    let rules: Vec<&str> = RULES.iter().map(|(_, rule)| rule.id).collect();
    let rows: Vec<&str> = rows().map(|(id, ..)| *id).collect();
    assert_eq!(rows, rules, "in the order of the registry");
    let unique: BTreeSet<&str> = rules.iter().copied().collect();
    assert_eq!(unique.len(), rules.len(), "two rules have the same id");
}

/// Names of the files of a folder, without their extension.
fn stems(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_file_is_a_rule_and_every_id_fits_its_file() {
    let root = project();
    for topic in TOPICS {
        let of_topic = || RULES.iter().filter(|(name, _)| *name == topic.name).map(|(_, rule)| rule.id);
        let files = stems(&root.join("crates/rocm-audit-files/src/finding/rules").join(topic.name));
        assert_eq!(files.len(), of_topic().count(), "{}: a file is not listed", topic.name);
        for stem in files {
            let plain = stem.replace('_', "-");
            let long = format!("{}-{plain}", topic.name);
            assert!(of_topic().any(|id| id == plain || id == long), "{}/{stem}.rs: no such id", topic.name);
        }
    }
    let pages = stems(&root.join("docs/rules"));
    let ids: BTreeSet<String> = RULES.iter().map(|(_, rule)| rule.id.to_owned()).collect();
    assert_eq!(pages, ids, "run `cargo xtask rules`");
}
