//! The table of rooms in `docs/architecture.md`.

use super::imports::Tree;
use super::{ROOMS, room};
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};

const BEGIN: &str = "<!-- Written by `cargo xtask rooms`; do not edit. -->\n";
const END: &str = "<!-- End of what `cargo xtask rooms` writes. -->\n";

/// The page with the table of this tree.
///
/// # Errors
/// Where the page lacks a marker.
pub fn replaced(page: &str, tree: &Tree) -> Result<String> {
    let (before, rest) =
        page.split_once(BEGIN).context("docs/architecture.md has no place for the table of rooms")?;
    let (_, after) =
        rest.split_once(END).context("docs/architecture.md does not say where the table of rooms ends")?;
    Ok(format!("{before}{BEGIN}\n{}\n\n{}\n{END}{after}", total(tree), rows(tree)))
}

/// A sentence with the number of imports between rooms. An import is a pair of modules: one names something
/// of the other, however often.
pub fn total(tree: &Tree) -> String {
    let all: usize = counts(tree).values().sum();
    let arrows = counts(tree).len();
    format!(
        "{} rooms; {all} imports between modules of different rooms, on {arrows} ways from room to room.",
        ROOMS.len()
    )
}

/// Imports from room to room.
fn counts(tree: &Tree) -> BTreeMap<(&'static str, &'static str), usize> {
    let pairs: BTreeSet<_> = tree.imports.iter().map(|import| (&import.from, &import.to)).collect();
    let mut counts = BTreeMap::new();
    for (from, to) in pairs {
        if let (Some(from), Some(to)) = (room(from), room(to))
            && from != to
        {
            *counts.entry((from, to)).or_default() += 1;
        }
    }
    counts
}

/// One row for each room, callers above.
fn rows(tree: &Tree) -> String {
    let counts = counts(tree);
    let mut text =
        "| room | crate | what is in it | imports | imported by |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    for (room, crates) in ROOMS.iter().rev() {
        let module: Vec<String> = room.split('/').map(str::to_owned).collect();
        let what = tree.modules.get(&module).map_or("", String::as_str);
        let what = what.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
        let named = |other: &str, count: Option<&usize>| count.map(|count| format!("{other} {count}"));
        let imports = ROOMS.iter().filter_map(|(to, _)| named(to, counts.get(&(*room, *to))));
        let by = ROOMS.iter().filter_map(|(from, _)| named(from, counts.get(&(*from, *room))));
        let (imports, by): (Vec<_>, Vec<_>) = (imports.collect(), by.collect());
        let crates = crates.join(", ").replace('_', "-");
        text += &format!("| `{room}` | {crates} | {what} | {} | {} |\n", imports.join(", "), by.join(", "));
    }
    text
}
