//! Developer verbs: `cargo xtask VERB`. What CI runs is what developers run.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod agree;
mod ci;
mod citations;
mod command;
mod digest;
mod files;
mod fuzz;
mod history;
mod isa;
mod job;
mod measure;
mod page;
mod products;
mod python;
mod python_types;
mod release;
mod rooms;
mod rules;
mod schema;
mod site;
mod toolchain;
mod torture;
mod workspace;

use anyhow::{Result, bail};

/// Name, what it does, what runs it.
type Task = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const TASKS: &[Task] = &[
    (
        "agree",
        "PATH... [--damage N] [--seed S]: compare what the program claims of packages by each of its ways, also of damaged copies",
        agree::run,
    ),
    (
        "ci",
        "[JOB…] [--list] [--install] [--no-skip]: the gate's jobs, or those that are named; `cargo ci` is the same",
        ci::run,
    ),
    (
        "fuzz",
        "[TARGET…] --executions N | --minutes M [--jobs J] [--resume DIR]: run fuzz targets that far; DIR keeps corpora and a tally",
        fuzz::run,
    ),
    (
        "gen-isa",
        "LLVM LLVM_SOURCE [--check]: write crates/amdgpu-isa/src/tables from LLVM's target description, or fail where they differ",
        isa::run,
    ),
    (
        "history",
        "SOURCES: write when libraries first and last named each processor, from a folder of git repositories",
        history::run,
    ),
    (
        "check-citations",
        "SOURCES: look up what the rules cite, in a folder of git repositories: the file at its commit, and what stands in its lines",
        citations::run,
    ),
    (
        "check-isa",
        "LLVM [LLVM_SOURCE] [VECTORS]: compare crates/amdgpu-isa/src/tables with LLVM on random words, its own tests, vectors",
        isa::check::run,
    ),
    (
        "isa-fuzz",
        "LLVM [WORDS] [--seed S]: compare the decoder with LLVM's disassembler on WORDS random words per family",
        isa::fuzz::run,
    ),
    (
        "isa-oracle",
        "LLVM CORPUS [ORACLE] [--sample N]: compare the decoder with the oracle and with llvm-objdump",
        isa::oracle::run,
    ),
    (
        "measure",
        "DEST: speed and memory on those packages, as ratios against cat and the peers",
        measure::run,
    ),
    (
        "measure-isa",
        "DEST: speed of the instruction decoder, as ratios against llvm-objdump and cat",
        isa::measure::run,
    ),
    (
        "packages",
        "FOLDER [--program FILE] | --page | --check: audit public packages and store what came of it in docs/packages and docs/packages.md",
        site::packages::run,
    ),
    (
        "page",
        "OUT [--try [FILE…]]: the page that reads a dropped file in the browser; --try opens fixtures and files in a real one",
        page::run,
    ),
    (
        "products",
        "SOURCES: write the table of products from ROCm's, libhsakmt's, libdrm's and TheRock's lists",
        products::run,
    ),
    (
        "python",
        "VENV [--fleet | --wheel OUT]: build the Python module into a virtual environment and run its tests, with --fleet docs/fleet.md; or make its wheel",
        python::run,
    ),
    (
        "release",
        "OUT [--platform NAME]… [--program PLATFORM=FILE]…: everything that people install, with checksums and bills of materials",
        release::run,
    ),
    (
        "rooms",
        "[--check]: write the table of rooms in docs/architecture.md; fail where a room imports one above it, or the table is stale",
        rooms::run,
    ),
    (
        "rules",
        "[--check]: write docs/rules.md and docs/rules/*.md from the rules of findings, or fail where they differ",
        rules::run,
    ),
    (
        "schema",
        "[--check]: write docs/schema/*.json from the report types, or fail where they differ",
        schema::run,
    ),
    ("site", "[OUT]: make the book of docs with mdbook, and check its links", site::run),
    (
        "torture",
        "DEST [--runs N] [--seed S] [--program FILE] [--show CASE | --again]: break real files in DEST and the fixtures, run all on them",
        torture::run,
    ),
    (
        "try-release",
        "OUT [ROOT]: install what a release has on the system in ROOT and in empty folders, and run the README's first example",
        release::try_out,
    ),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((verb, rest)) = arguments.split_first()
        && let Some((_, _, run)) = TASKS.iter().find(|(name, ..)| name == verb)
    {
        return run(rest);
    }
    for (name, what, _) in TASKS {
        println!("{name:<16} {what}");
    }
    if arguments.is_empty() { Ok(()) } else { bail!("no such verb: {}", arguments.join(" ")) }
}
