//! Pairs of rooms that must never be, though the one stands below the other: a renderer opens nothing, a report asks nobody.
//! What there is of them today is listed by files. A list may only become shorter.

use super::imports::Tree;
use super::room;
use std::collections::BTreeSet;

/// Rooms that import these rooms only.
const ONLY: &[(&str, &[&str])] = &[("render", &["report", "finding"])];

/// Rooms that never import those.
const NEVER: &[(&str, &str)] = &[
    ("report", "scan"),
    ("report", "answers"),
    ("cli", "scan"),
    ("cli", "engines/tensile"),
    ("cli", "engines/miopen"),
    ("cli", "engines/ggml"),
    ("cli", "engines/model"),
    ("cli", "engines/onnx"),
];

/// Rooms that open files of the system by themselves.
const OPEN_FILES: &[&str] = &["source", "input", "cli", "xtask"];

/// What there is of such imports, and is to go: the file and the room; `std::fs` where it opens files.
const TODAY: &[(&str, &str)] = &[];

/// The imports that must not be: the file, the line, and the room.
fn found(tree: &Tree) -> BTreeSet<(String, &'static str)> {
    let mut all = BTreeSet::new();
    for import in &tree.imports {
        let (Some(from), Some(to)) = (room(&import.from), room(&import.to)) else { continue };
        let others = ONLY.iter().any(|(own, only)| *own == from && from != to && !only.contains(&to));
        if others || NEVER.contains(&(from, to)) {
            all.insert((import.file.clone(), to));
        }
    }
    let opens =
        tree.opens.iter().filter(|(module, ..)| room(module).is_some_and(|own| !OPEN_FILES.contains(&own)));
    all.extend(opens.map(|(_, file, _)| (file.clone(), "std::fs")));
    all
}

/// What is new, and what is gone and still listed, in sentences.
pub fn violations(tree: &Tree) -> Vec<String> {
    let found = found(tree);
    let is_listed = |file: &str, to: &str| TODAY.contains(&(file, to));
    let new = found.iter().filter(|(file, to)| !is_listed(file, to)).map(|(file, to)| {
        format!("{file} imports {to}, which its room must never do: see xtask/src/rooms/never.rs")
    });
    let gone = TODAY.iter().filter(|(file, to)| !found.iter().any(|(own, room)| own == file && room == to));
    let gone = gone.map(|(file, to)| {
        format!("{file} no longer imports {to}: take it out of TODAY in xtask/src/rooms/never.rs")
    });
    new.chain(gone).collect()
}
