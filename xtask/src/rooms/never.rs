//! Pairs of rooms that must never be, though the one stands below the other: a renderer opens no file, and a
//! report asks no room for answers. What there is of them today is listed by files. A list may only become
//! shorter.

use super::imports::Tree;
use super::room;
use std::collections::BTreeSet;

/// Rooms that import these rooms only. A screen may sort what it was given. `xtask` asks as callers do, and has
/// the tables that it makes pages and other tables of.
const ONLY: &[(&str, &[&str])] = &[
    ("render", &["report", "finding", "key_map", "sorted_rows"]),
    ("xtask", &["answers", "report", "tree", "isa", "target", "finding", "diagnosis", "engines"]),
];

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
const TODAY: &[(&str, &str)] = &[
    ("src/answers/model_files.rs", "std::fs"),
    ("src/cli/audit.rs", "scan"),
    ("src/cli/fatbin/files.rs", "scan"),
    ("src/cli/fatbin/kernels.rs", "scan"),
    ("src/cli/fatbin/mod.rs", "scan"),
    ("src/cli/fatbin/reported.rs", "scan"),
    ("src/cli/list.rs", "engines/miopen"),
    ("src/cli/list.rs", "scan"),
    ("src/cli/model/args.rs", "engines/ggml"),
    ("src/cli/model/args.rs", "engines/model"),
    ("src/cli/needs.rs", "scan"),
    ("src/cli/progress.rs", "scan"),
    ("src/cli/select/conv.rs", "engines/miopen"),
    ("src/cli/select/flash_attn.rs", "engines/ggml"),
    ("src/cli/select/gemm.rs", "engines/tensile"),
    ("src/cli/select/matmul.rs", "engines/tensile"),
    ("src/cli/select/matmul/stated.rs", "engines/tensile"),
    ("src/cli/select/mul_mat.rs", "engines/ggml"),
    ("src/cli/select/route.rs", "engines/ggml"),
    ("src/cli/tables.rs", "scan"),
    ("src/cli/workload.rs", "engines/ggml"),
    ("src/comparison/saved.rs", "std::fs"),
    ("src/render/check.rs", "locator"),
    ("src/render/coverage.rs", "locator"),
    ("src/render/entries.rs", "container"),
    ("src/render/entries.rs", "target"),
    ("src/render/explain.rs", "locator"),
    ("src/render/fatbin.rs", "format"),
    ("src/render/fatbin.rs", "target"),
    ("src/render/figures.rs", "codeobject"),
    ("src/render/ggml.rs", "isa"),
    ("src/render/instructions.rs", "capability"),
    ("src/render/instructions.rs", "isa"),
    ("src/render/kernels.rs", "codeobject"),
    ("src/render/kernels.rs", "inventory"),
    ("src/render/kernels.rs", "isa"),
    ("src/render/kernels.rs", "scan"),
    ("src/render/mod.rs", "error"),
    ("src/render/outcome.rs", "comparison"),
    ("src/render/override_value.rs", "capability"),
    ("src/render/published.rs", "locator"),
    ("src/render/sarif.rs", "locator"),
    ("src/render/verdict.rs", "capability"),
    ("src/render/verdict.rs", "locator"),
    ("src/render/verdict.rs", "target"),
    ("src/report/beside.rs", "answers"),
    ("src/report/conv/layers.rs", "answers"),
    ("src/report/conv/mod.rs", "answers"),
    ("src/report/conv/statements.rs", "answers"),
    ("src/report/ggml/mod.rs", "answers"),
    ("src/report/ggml/statements.rs", "answers"),
    ("src/report/model/mod.rs", "answers"),
    ("src/report/model/phase.rs", "answers"),
    ("src/report/model/statements.rs", "answers"),
    ("src/report/model/verdict.rs", "answers"),
    ("src/report/model_graph.rs", "answers"),
    ("src/report/survey.rs", "answers"),
    ("src/report/survey.rs", "scan"),
    ("src/report/workload.rs", "answers"),
    ("src/scan/dispatch/holes.rs", "std::fs"),
    ("src/scan/entry_lost.rs", "std::fs"),
    ("src/scan/extract.rs", "std::fs"),
    ("src/scan/kpack_lookup.rs", "std::fs"),
    ("src/tables/folder.rs", "std::fs"),
    ("src/tables/parquet.rs", "std::fs"),
    ("src/tables/scan.rs", "std::fs"),
    ("xtask/src/page/try_out.rs", "capability"),
    ("xtask/src/page/try_out.rs", "scan"),
    ("xtask/src/page/try_out.rs", "source"),
];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::{CRATES, tool};

    #[test]
    fn what_must_never_be_is_found() {
        let modules = ["scan", "finding", "report", "render", "cli", "answers", "capability", "engines/ggml"];
        for (module, source, to) in [
            ("render", "use crate::capability::X;", Some("capability")),
            ("render", "fn f() { crate::scan::f() }", Some("scan")),
            ("render", "use crate::{finding::F, report::R}; use super::render::x;", None),
            ("report", "use crate::answers::A;", Some("answers")),
            ("report", "use crate::capability::A;", None),
            ("cli", "use crate::engines::ggml::A;", Some("engines/ggml")),
            ("cli", "use std::{fs, io};", None),
            ("report", "use std::{fs::File, io};", Some("std::fs")),
            ("report", "fn f() { std::fs::read(x) }", Some("std::fs")),
            ("report", "#[cfg(test)] mod tests { fn f() { std::fs::read(x) } }", None),
            ("report", "use std::io;", None),
        ] {
            let text = |name: &str| if name == module { source } else { "" };
            let tree =
                Tree::from_files(CRATES, modules.iter().map(|name| (tool(), *name, text(name)))).unwrap();
            let found: Vec<&str> = found(&tree).into_iter().map(|(_, to)| to).collect();
            assert_eq!(found, to.into_iter().collect::<Vec<_>>(), "{module}: {source}");
        }
    }
}
