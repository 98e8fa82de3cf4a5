//! `cargo xtask rooms [--check]`: the order of the rooms of `src/`, who imports whom, and the table of it in
//! `docs/architecture.md`.
//!
//! A room is a child of `src/`; the engines are rooms of their own within `engines/`. Callers stand above,
//! callees below: a room may import those below it only. Code under `#[cfg(test)]` does not count.

mod imports;
mod table;

use anyhow::{Context as _, Result, bail};
use imports::{Import, Tree};
use std::path::{Path, PathBuf};

/// Every room, from the bottom to the top. What a room is for is said by the first paragraph of its own
/// documentation.
const ROOMS: &[&str] = &[
    "limits",
    "error",
    "locator",
    "source",
    "bytes",
    "format",
    "budget",
    "isa",
    "target",
    "codeobject",
    "container",
    "finding",
    "input",
    "engines/tensile",
    "engines/library_claims",
    "engines/miopen",
    "engines/ggml",
    "engines",
    "inventory",
    "scan",
    "stack",
    "capability",
    "report",
    "render",
    "cli",
];

/// Which engine may import which other. Both call rocBLAS, whose selection is Tensile's.
const ENGINE_IMPORTS: &[(&str, &str)] =
    &[("engines/miopen", "engines/tensile"), ("engines/ggml", "engines/tensile")];

/// Children of `src/` that are no rooms: the crate's root and the program, which only call.
const ROOTS: &[&str] = &["lib", "main"];

pub fn run(arguments: &[String]) -> Result<()> {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("rooms [--check]"),
    };
    let root = project();
    let tree = Tree::read(&root.join("src"))?;
    let page = root.join("docs/architecture.md");
    let old = std::fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    let new = table::replaced(&old, &tree)?;
    if !check {
        std::fs::write(&page, &new)?;
        println!("{}", table::total(&tree));
    } else if old != new {
        bail!("the table of rooms in {} is not that of src: run `cargo xtask rooms`", page.display());
    }
    let wrong = violations(&tree);
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The room of a module, such as `["engines", "miopen", "solver"]`; `None` for the crate's root.
fn room(module: &[String]) -> Option<&'static str> {
    let within =
        |room: &str| room.split('/').enumerate().all(|(at, part)| module.get(at).is_some_and(|m| m == part));
    ROOMS.iter().copied().filter(|room| within(room)).max_by_key(|room| room.len())
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|own| *own == room)
}

/// Why an import may not be; `None` for one that may.
fn refusal(import: &Import) -> Option<String> {
    let from = room(&import.from)?;
    let place = format!("{}:{}: {}", import.file, import.line, import.path);
    let Some(to) = room(&import.to) else {
        // A module that is in no room is reported once, by `violations`.
        return import
            .to
            .is_empty()
            .then(|| format!("{place}: {from} imports the crate's root, which stands above every room"));
    };
    if from == to {
        return None;
    }
    if rank(to) > rank(from) {
        return Some(format!(
            "{place}: {from} imports {to}, which stands above it. Move what both need to a room below {from}"
        ));
    }
    let engines = from.starts_with("engines/") && to.starts_with("engines/");
    if engines && !ENGINE_IMPORTS.contains(&(from, to)) {
        return Some(format!("{place}: {from} imports {to}; engines stand apart, but for ENGINE_IMPORTS"));
    }
    None
}

/// All that is wrong with the tree, in sentences: imports upwards, rooms that are not listed, listed rooms
/// without code.
fn violations(tree: &Tree) -> Vec<String> {
    let mut wrong: Vec<String> = tree.imports.iter().filter_map(refusal).collect();
    for module in tree.modules.keys() {
        let root = module.first().is_none_or(|first| ROOTS.contains(&first.as_str()));
        if !root && room(module).is_none() {
            wrong.push(format!(
                "src/{} is in no room: add it to ROOMS in xtask/src/rooms/mod.rs",
                module.join("/")
            ));
        }
    }
    for listed in ROOMS {
        if !tree.modules.keys().any(|module| room(module) == Some(*listed)) {
            wrong.push(format!(
                "the room {listed} is listed in xtask/src/rooms/mod.rs, but src has no such module"
            ));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_room_imports_one_above_it() {
        let tree = Tree::read(&project().join("src")).unwrap();
        let wrong = violations(&tree);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // A reader that finds nothing would find nothing wrong.
        assert!(tree.imports.len() > 500, "{}", tree.imports.len());
    }

    #[test]
    fn the_table_in_the_documentation_is_that_of_the_code() {
        let page = std::fs::read_to_string(project().join("docs/architecture.md")).unwrap();
        let tree = Tree::read(&project().join("src")).unwrap();
        assert!(table::replaced(&page, &tree).unwrap() == page, "run `cargo xtask rooms`");
    }

    /// What is refused of one line of source in a module.
    fn refused(module: &str, source: &str) -> Vec<String> {
        let modules = [
            "error",
            "bytes",
            "bytes/elf",
            "report",
            "engines",
            "engines/ggml",
            "engines/miopen",
            "engines/tensile",
        ];
        let tree = Tree::of(modules.iter().map(|name| (*name, if *name == module { source } else { "" })));
        tree.unwrap().imports.iter().filter_map(refusal).collect()
    }

    #[test]
    fn imports_upwards_and_between_engines_are_refused() {
        assert_eq!(refused("report", "use crate::bytes::{elf::Elf, msgpack};"), [""; 0]);
        assert_eq!(refused("engines/ggml", "use super::tensile::X;"), [""; 0]);
        for (module, source, why) in [
            ("bytes/elf", "use crate::report::v1;", "imports report"),
            ("bytes/elf", "use crate::{error::Parsed, report::v1};", "imports report"),
            ("bytes/elf", "use super::super::report as r;", "imports report"),
            ("bytes/elf", "fn f() -> Vec<crate::report::v1::Row> { g() }", "imports report"),
            ("bytes/elf", "fn f() { println!(\"{}\", crate::report::NAME) }", "imports report"),
            ("bytes/elf", "mod inner { use super::super::super::report::v1; }", "imports report"),
            ("bytes/elf", "use crate::Anything;", "the crate's root"),
            ("engines/ggml", "use crate::engines::miopen::check;", "stand apart"),
            ("engines/miopen", "use crate::engines::{self, tensile};", "imports engines,"),
            ("engines/tensile", "use super::miopen::check::f;", "imports engines/miopen"),
        ] {
            let refused = refused(module, source);
            assert!(matches!(refused.as_slice(), [one] if one.contains(why)), "{source}: {refused:?}");
        }
    }

    #[test]
    fn tests_comments_and_strings_do_not_count() {
        for source in [
            "/// See [`crate::report`].\nfn f() {}",
            "/* /* */ use crate::report; */",
            "const TEXT: &str = \"use crate::report;\"; const RAW: &str = r#\"crate::report::v1\"#;",
            "#[cfg(test)]\nmod tests { use crate::report::v1; }",
            "#[cfg(test)] use crate::report::{v1, v2};",
            "#[cfg(test)] #[allow(unused)] fn f() -> [u8; 2] { crate::report::f() }",
            "pub(crate) struct S; pub(in crate::bytes) struct T;",
            "fn f<'a>(x: &'a u8) -> impl Sized + use<'a> { x }",
        ] {
            assert_eq!(refused("bytes/elf", source), [""; 0], "{source}");
        }
    }

    #[test]
    fn files_of_tests_do_not_count() {
        let files =
            [("bytes", "#[cfg(test)]\nmod tests;"), ("bytes/tests", "use crate::report;"), ("report", "")];
        assert_eq!(Tree::of(files).unwrap().imports.len(), 0);
    }
}
