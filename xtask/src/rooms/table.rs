//! The table of rooms in `docs/architecture.md`.

use super::imports::Tree;
use super::{ROOMS, room};
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;

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

/// A sentence with the number of rooms and of ways between them. Imports are not counted: each change would
/// count them again.
pub fn total(tree: &Tree) -> String {
    format!("{} rooms; modules import from room to room on {} ways.", ROOMS.len(), ways(tree).len())
}

/// From which room to which other modules import.
fn ways(tree: &Tree) -> BTreeSet<(&'static str, &'static str)> {
    let rooms = tree.imports.iter().filter_map(|import| Some((room(&import.from)?, room(&import.to)?)));
    rooms.filter(|(from, to)| from != to).collect()
}

/// One row for each room, callers above.
fn rows(tree: &Tree) -> String {
    let ways = ways(tree);
    let mut text =
        "| room | crate | what is in it | imports | imported by |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    for (room, crates) in ROOMS.iter().rev() {
        let module: Vec<String> = room.split('/').map(str::to_owned).collect();
        let what = tree.modules.get(&module).map_or("", String::as_str);
        let what = what.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
        let all = || ROOMS.iter().map(|(other, _)| *other);
        let imports: Vec<&str> = all().filter(|to| ways.contains(&(*room, *to))).collect();
        let by: Vec<&str> = all().filter(|from| ways.contains(&(*from, *room))).collect();
        let crates = crates.join(", ").replace('_', "-");
        text += &format!("| `{room}` | {crates} | {what} | {} | {} |\n", imports.join(", "), by.join(", "));
    }
    text
}
