//! `cargo xtask rooms [--check]`: the order of the rooms, who imports whom, and the table of it in
//! `docs/architecture.md`.
//!
//! A room is a module at the root of a crate; the engines are rooms of their own within `engines/`. Callers
//! stand above, callees below: a room may import those below it only. Code under `#[cfg(test)]` does not
//! count.

mod circles;
mod imports;
mod never;
mod table;

use anyhow::{Context as _, Result, bail};
use imports::{Crate, Import, Tree};
use std::path::{Path, PathBuf};

/// The crates that rooms lie in, callees first. `amdgpu-isa` and `amdgpu-kernel` are one room each.
const CRATES: &[Crate] = &[
    Crate { name: "amdgpu_isa", folder: "crates/amdgpu-isa/src", root: &["isa"] },
    Crate { name: "amdgpu_object", folder: "crates/amdgpu-object/src", root: &[] },
    Crate { name: "amdgpu_kernel", folder: "crates/amdgpu-kernel/src", root: &["kernel"] },
    Crate { name: "rocm_audit_files", folder: "crates/rocm-audit-files/src", root: &[] },
    Crate { name: "rocm_audit_engines", folder: "crates/rocm-audit-engines/src", root: &["engines"] },
    Crate { name: "rocm_audit", folder: "src", root: &[] },
    Crate { name: "xtask", folder: "xtask/src", root: &["xtask"] },
];

const ISA: &[&str] = &["amdgpu_isa"];
const OBJECT: &[&str] = &["amdgpu_object"];
const KERNEL: &[&str] = &["amdgpu_kernel"];
const FILES: &[&str] = &["rocm_audit_files"];
const ENGINES: &[&str] = &["rocm_audit_engines"];
const TOOL: &[&str] = &["rocm_audit"];
const XTASK: &[&str] = &["xtask"];
/// What `amdgpu_object` has, with what only the tool needs.
const BOTH: &[&str] = &["amdgpu_object", "rocm_audit_files"];

/// Every room, from the bottom to the top, with the crates that it lies in. What a room is for is said by the
/// first paragraph of its own documentation.
const ROOMS: &[(&str, &[&str])] = &[
    ("answer", OBJECT),
    ("key_map", FILES),
    ("sorted_rows", FILES),
    ("limits", BOTH),
    ("error", BOTH),
    ("locator", OBJECT),
    ("source", OBJECT),
    ("bytes", OBJECT),
    ("format", OBJECT),
    ("budget", BOTH),
    ("isa", ISA),
    ("target", OBJECT),
    ("asked", TOOL),
    ("codeobject", OBJECT),
    ("container", OBJECT),
    ("carried", OBJECT),
    ("kernel", KERNEL),
    ("finding", FILES),
    ("messages", TOOL),
    ("input", FILES),
    ("engines/rule_file", ENGINES),
    ("engines/tensile", ENGINES),
    ("engines/library_claims", ENGINES),
    ("engines/history", ENGINES),
    ("engines/miopen", ENGINES),
    ("engines/ggml", ENGINES),
    ("engines/model", ENGINES),
    ("engines/onnx", ENGINES),
    ("engines/attention", ENGINES),
    ("engines/workload", ENGINES),
    ("engines", ENGINES),
    ("inventory", TOOL),
    ("scan", TOOL),
    ("tree", TOOL),
    ("capability", TOOL),
    ("diagnosis", TOOL),
    ("answers", TOOL),
    ("report", TOOL),
    ("comparison", TOOL),
    ("question", TOOL),
    ("tables", TOOL),
    ("render", TOOL),
    ("cli", TOOL),
    ("xtask", XTASK),
];

/// Which engine may import which other: four have rule files, two call rocBLAS, whose selection is Tensile's, a model's products
/// are ggml's, and a list of problems has those of all.
const ENGINE_IMPORTS: &[(&str, &str)] = &[
    ("engines/library_claims", "engines/rule_file"),
    ("engines/miopen", "engines/rule_file"),
    ("engines/ggml", "engines/rule_file"),
    ("engines/model", "engines/rule_file"),
    ("engines/miopen", "engines/tensile"),
    ("engines/ggml", "engines/tensile"),
    ("engines/model", "engines/ggml"),
    ("engines/workload", "engines/tensile"),
    ("engines/workload", "engines/miopen"),
    ("engines/workload", "engines/ggml"),
    ("engines/workload", "engines/model"),
];

/// Modules at the root that are no rooms: the crates' roots and the program, which only call.
const ROOTS: &[&str] = &["lib", "main"];

pub fn run(arguments: &[String]) -> Result<()> {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("rooms [--check]"),
    };
    let root = project();
    let tree = Tree::read(&root, CRATES)?;
    let page = root.join("docs/architecture.md");
    let old = std::fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    let new = table::replaced(&old, &tree)?;
    if !check {
        std::fs::write(&page, &new)?;
        println!("{}", table::total(&tree));
    } else if old != new {
        bail!("the table of rooms in {} is not that of the code: run `cargo xtask rooms`", page.display());
    }
    let mut wrong = violations(&tree);
    wrong.extend(never::violations(&tree));
    wrong.extend(circles::violations(&tree));
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The room of a module, such as `["engines", "miopen", "solver"]`; `None` for the crate's root.
fn room(module: &[String]) -> Option<&'static str> {
    let within =
        |room: &str| room.split('/').enumerate().all(|(at, part)| module.get(at).is_some_and(|m| m == part));
    ROOMS.iter().map(|(room, _)| *room).filter(|room| within(room)).max_by_key(|room| room.len())
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|(own, _)| *own == room)
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
            .then(|| format!("{place}: {from} imports a crate's root, which stands above every room"));
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
    for (module, place) in &tree.places {
        let root = module.first().is_none_or(|first| ROOTS.contains(&first.as_str()));
        let listed = ROOMS.iter().find(|(listed, _)| room(module) == Some(*listed));
        if !root && listed.is_none_or(|(_, crates)| !crates.contains(&place.name)) {
            wrong.push(format!(
                "{} in {} is in no room: add it to ROOMS in xtask/src/rooms/mod.rs",
                module.join("::"),
                place.folder
            ));
        }
    }
    for (listed, crates) in ROOMS {
        for own in *crates {
            let has =
                |(module, place): &(Vec<String>, &Crate)| place.name == *own && room(module) == Some(*listed);
            if !tree.places.iter().any(has) {
                wrong.push(format!(
                    "the room {listed} is listed in xtask/src/rooms/mod.rs, but {own} has no such module"
                ));
            }
        }
    }
    wrong
}

/// The crate that the tests' examples lie in.
#[cfg(test)]
fn tool() -> &'static Crate {
    CRATES.iter().find(|own| own.name == "rocm_audit").unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_room_imports_one_above_it() {
        let tree = Tree::read(&project(), CRATES).unwrap();
        let mut wrong = violations(&tree);
        wrong.extend(never::violations(&tree));
        wrong.extend(circles::violations(&tree));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // A reader that finds nothing would find nothing wrong.
        assert!(tree.imports.len() > 500, "{}", tree.imports.len());
    }

    #[test]
    fn the_table_in_the_documentation_is_that_of_the_code() {
        let page = std::fs::read_to_string(project().join("docs/architecture.md")).unwrap();
        let tree = Tree::read(&project(), CRATES).unwrap();
        assert!(table::replaced(&page, &tree).unwrap() == page, "run `cargo xtask rooms`");
    }

    /// What is refused of one line of source in a module.
    fn refused(module: &str, source: &str) -> Vec<String> {
        let modules = [
            "error",
            "bytes",
            "bytes/elf",
            "isa",
            "report",
            "engines",
            "engines/ggml",
            "engines/miopen",
            "engines/tensile",
        ];
        let text = |name: &str| if name == module { source } else { "" };
        let tree = Tree::from_files(CRATES, modules.iter().map(|name| (tool(), *name, text(name))));
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
            ("bytes/elf", "pub use rocm_audit::report::v1;", "imports report"),
            ("bytes/elf", "fn f() { amdgpu_isa::class::classes_of_number(1); }", "imports isa"),
            ("bytes/elf", "use crate::Anything;", "a crate's root"),
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
        let files = files.map(|(name, text)| (tool(), name, text));
        assert_eq!(Tree::from_files(CRATES, files).unwrap().imports.len(), 0);
    }

    #[test]
    fn a_crate_is_read_as_a_part_of_the_tree() {
        let [isa, object, _, files_crate, _, tool, _] = CRATES else { panic!("seven crates") };
        let files = [
            (isa, "lib", "//! Instructions.\npub mod class;"),
            (isa, "class", "use crate::mnemonic; use super::legality;"),
            (object, "bytes/elf", "use amdgpu_isa::class::CLASSES;"),
            (object, "limits", "//! Below."),
            (files_crate, "limits", "//! All.\npub use amdgpu_object::limits::*;"),
            (tool, "report", "use amdgpu_object::{bytes::elf::Elf, limits};"),
            (tool, "bytes/more", ""),
        ];
        let tree = Tree::from_files(CRATES, files).unwrap();
        let found: Vec<_> = tree.imports.iter().map(|i| (i.file.as_str(), i.to.join("::"))).collect();
        assert_eq!(
            found,
            [
                ("crates/amdgpu-isa/src/class.rs", "isa".to_owned()),
                ("crates/amdgpu-isa/src/class.rs", "isa".to_owned()),
                ("crates/amdgpu-object/src/bytes/elf.rs", "isa::class".to_owned()),
                ("crates/rocm-audit-files/src/limits.rs", "limits".to_owned()),
                ("src/report.rs", "bytes::elf".to_owned()),
                ("src/report.rs", "limits".to_owned()),
            ]
        );
        assert_eq!(tree.modules[&vec!["limits".to_owned()]], "All.");
        let wrong = violations(&tree).join("\n");
        assert!(wrong.contains("bytes imports isa, which stands above it"), "{wrong}");
        assert!(wrong.contains("bytes::more in src is in no room"), "{wrong}");
        assert!(wrong.contains("the room budget is listed"), "{wrong}");
    }
}
