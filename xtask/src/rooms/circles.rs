//! Circles inside rooms: modules of one room that call each other, round and round. They are counted, and may
//! only become fewer: [`MOST`] has what there is.

use super::imports::{Module, Tree};
use super::{ROOMS, room};
use std::collections::{BTreeMap, BTreeSet};

/// How many modules of each room lie on circles. Rooms that are not here have none.
const MOST: &[(&str, usize)] = &[
    ("isa", 4),
    ("codeobject", 2),
    ("container", 3),
    ("messages", 2),
    ("input", 5),
    ("engines/tensile", 6),
    ("engines/miopen", 7),
    ("engines/ggml", 2),
    ("engines/onnx", 2),
    ("engines/workload", 3),
    ("inventory", 2),
    ("scan", 2),
    ("capability", 2),
    ("tables", 2),
    ("render", 2),
    ("cli", 3),
];

/// The circles of each room, each with its modules. What a module imports of the modules within it does not
/// count: it shows them, and they use what it has.
pub fn circles(tree: &Tree) -> BTreeMap<&'static str, Vec<Vec<Module>>> {
    let mut graphs: BTreeMap<&'static str, BTreeMap<&Module, BTreeSet<&Module>>> = BTreeMap::new();
    for import in &tree.imports {
        let (Some(from), Some(to)) = (room(&import.from), room(&import.home)) else { continue };
        if from == to && !import.home.starts_with(&import.from) {
            graphs.entry(from).or_default().entry(&import.from).or_default().insert(&import.home);
        }
    }
    graphs
        .into_iter()
        .map(|(room, graph)| (room, knots(&graph)))
        .filter(|(_, found)| !found.is_empty())
        .collect()
}

/// The groups of modules in which each module reaches every other.
fn knots(graph: &BTreeMap<&Module, BTreeSet<&Module>>) -> Vec<Vec<Module>> {
    let reached = |from: &Module| {
        let mut seen: BTreeSet<&Module> = BTreeSet::new();
        let mut next: Vec<&Module> = graph.get(from).into_iter().flatten().copied().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(graph.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let all: BTreeMap<&Module, BTreeSet<&Module>> =
        graph.keys().map(|module| (*module, reached(module))).collect();
    let mut found: BTreeSet<Vec<Module>> = BTreeSet::new();
    for (module, below) in all.iter().filter(|(module, below)| below.contains(*module)) {
        let is_with = |other: &&&Module| all.get(*other).is_some_and(|back| back.contains(*module));
        found.insert(below.iter().filter(is_with).map(|other| (*other).clone()).collect());
    }
    found.into_iter().collect()
}

/// What is more, or less, than [`MOST`] says, in sentences.
pub fn violations(tree: &Tree) -> Vec<String> {
    let found = circles(tree);
    let mut wrong = Vec::new();
    for (room, _) in ROOMS {
        let knots = found.get(room).map(Vec::as_slice).unwrap_or_default();
        let now: usize = knots.iter().map(Vec::len).sum();
        let most = MOST.iter().find(|(own, _)| own == room).map_or(0, |(_, most)| *most);
        let names: Vec<String> = knots
            .iter()
            .map(|knot| knot.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" "))
            .collect();
        match now.cmp(&most) {
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Less => wrong.push(format!(
                "{room}: {now} modules lie on circles, and MOST in xtask/src/rooms/circles.rs allows {most}: lower it"
            )),
            std::cmp::Ordering::Greater => wrong.push(format!(
                "{room}: {now} modules lie on circles, {most} may. Move what both sides need to a file of its own: {}",
                names.join("; ")
            )),
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::{CRATES, tool};

    fn knots_of(files: &[(&'static str, &'static str)]) -> Vec<Vec<String>> {
        let files = files.iter().map(|(name, text)| (tool(), *name, *text));
        let found = circles(&Tree::from_files(CRATES, files).unwrap());
        let names = |knot: &Vec<Module>| knot.iter().map(|module| module.join("::")).collect();
        found.values().flatten().map(names).collect()
    }

    #[test]
    fn circles_are_found_by_way_of_what_is_shown_on() {
        let root = ("report", "pub mod a; pub mod b;");
        let found = knots_of(&[root, ("report/a", "use super::b::B;"), ("report/b", "use super::a::A;")]);
        assert_eq!(found, [["report::a", "report::b"]]);
        // The module around them shows both; they use each other through it.
        let root = ("report", "mod a; mod b; pub use a::A; pub(crate) use b::{B as C};");
        let found = knots_of(&[root, ("report/a", "use super::C;"), ("report/b", "use crate::report::A;")]);
        assert_eq!(found, [["report::a", "report::b"]]);
        // It uses what is within it, and that what it has: no circle.
        let found = knots_of(&[("report", "mod a; use a::A; pub struct R;"), ("report/a", "use super::R;")]);
        assert_eq!(found, [[""; 0]; 0]);
        // One way, and tests.
        let back = "#[cfg(test)] mod tests { use super::super::a::A; }";
        let found = knots_of(&[("report", ""), ("report/a", "use super::b::B;"), ("report/b", back)]);
        assert_eq!(found, [[""; 0]; 0]);
    }
}
