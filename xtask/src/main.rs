//! Developer verbs: `cargo xtask VERB`. What CI runs is what developers run.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod ci;
mod command;
mod fuzz;
mod instructions;
mod job;
mod page;
mod python;
mod python_types;
mod release;
mod releases;
mod rooms;
mod rules;
mod schema;
mod site;
mod toolchain;
mod workspace;

use anyhow::{Result, bail};

/// Name, what it does, what runs it.
type Task = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const TASKS: &[Task] = &[
    (
        "bench",
        "--against REV [--runs N] [PATH…]: build the program of another revision, and time both on the fixtures and on PATH in turns",
        bench::run,
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
        "instructions",
        "--renew: count the instructions of the calls in benches/instructions.tsv under valgrind, and write the table",
        instructions::run,
    ),
    (
        "packages",
        "FOLDER [--program FILE] | --page | --check: audit public packages and store what came of it in docs/packages, docs/packages.md and src/diagnosis/packages.tsv",
        site::packages::run,
    ),
    (
        "page",
        "OUT [--try [FILE…]]: the page that reads a dropped file in the browser; --try opens fixtures and files in a real one",
        page::run,
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
        "[--check]: write docs/rules.md, docs/rules/*.md and docs/releases.md from the code's tables, or fail where they differ",
        rules::run,
    ),
    (
        "schema",
        "[--check]: write docs/schema/*.json from the report types, or fail where they differ",
        schema::run,
    ),
    ("site", "[OUT]: make the book of docs with mdbook, and check its links", site::run),
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
