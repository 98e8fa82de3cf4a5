//! `cargo xtask ci [JOB…] [--list] [--install] [--no-skip]`: the gate's jobs by name. The gate, the hosted
//! workflow and developers run the same ones.

pub(crate) mod browser;
mod cargo;
mod fuzz;
mod package;
#[cfg(test)]
mod pages;
mod parts;
mod readme;
mod toolchain;
pub(crate) mod vendored;
mod wasm;

use crate::command::{self, Line};
use crate::job::{Ended, Wishes};
use anyhow::{Result, bail};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What a job runs.
enum Work {
    /// Every line has to end with 0.
    Lines(&'static [Line]),
    /// A function; an error counts as failed.
    Function(fn(Wishes) -> Result<Ended>),
}

/// One job of the gate.
struct Job {
    name: &'static str,
    /// What holds where it passes.
    shows: &'static str,
    work: Work,
}

/// Every job, in the order in which they run: quick ones first.
const JOBS: &[Job] = &[
    Job {
        name: "fmt",
        shows: "the source is formatted",
        work: Work::Lines(&[
            Line::cargo("fmt --all --check"),
            Line::cargo("fmt --manifest-path oracles/Cargo.toml --check"),
            Line::cargo("fmt --manifest-path bindings/c/Cargo.toml --check"),
        ]),
    },
    Job {
        name: "rooms",
        shows: "no room imports one above it, and the table of rooms is that of the code",
        work: Work::Function(|_| checked(crate::rooms::run)),
    },
    Job {
        name: "schema",
        shows: "docs/schema and the types of reports for Python are what the report types say",
        work: Work::Function(|_| checked(crate::schema::run)),
    },
    Job {
        name: "rules",
        shows: "docs/rules.md and docs/rules are what the rules of findings say",
        work: Work::Function(|_| checked(crate::rules::run)),
    },
    Job {
        name: "clippy",
        shows: "clippy finds nothing in any target of the workspace and of the oracles",
        work: Work::Lines(&[
            Line::cargo("clippy --quiet --workspace --all-targets -- -D warnings"),
            Line::cargo(
                "clippy --quiet --manifest-path oracles/Cargo.toml --target-dir target --all-targets -- -D warnings",
            ),
        ]),
    },
    Job {
        name: "clippy-features",
        shows: "clippy finds nothing in the library with fewer features",
        work: Work::Function(|_| cargo::clippy_features()),
    },
    Job {
        name: "docs",
        shows: "the documentation builds without a warning, and its links lead somewhere",
        work: Work::Lines(&[
            Line::cargo("doc --quiet --no-deps --workspace").with("RUSTDOCFLAGS", "-D warnings")
        ]),
    },
    Job {
        name: "test",
        shows: "the tests pass, the console blocks of README and docs among them",
        work: Work::Function(|_| cargo::tests_of_workspace()),
    },
    Job {
        name: "test-no-default",
        shows: "the library's tests pass without the command line",
        work: Work::Function(|_| {
            cargo::tests(&[
                "test",
                "--no-default-features",
                // With `schema`, as the workspace has it, the crates below are those of the job before.
                "--features=engines,lines,packages,parquet,schema,sqlite,zstd",
                "--no-fail-fast",
                // Half a minute, with and without the command line of the same code.
                "--",
                "--skip",
                "agreement::no_answer_is_better",
            ])
        }),
    },
    Job {
        name: "crates",
        shows: "the crates below ours pass their tests alone",
        work: Work::Function(|_| cargo::tests_alone()),
    },
    Job {
        name: "readme",
        shows: "the commands that the README begins with do what it says",
        work: Work::Function(|_| readme::run()),
    },
    Job {
        name: "instructions",
        shows: "eight calls on the fixtures take no more instructions than benches/instructions.tsv says, and 3 %",
        work: Work::Function(crate::instructions::job),
    },
    Job {
        name: "python",
        shows: "the Python module answers as the program does, with the types that it states; its page and notebooks print what they show",
        work: Work::Function(|_| crate::python::job()),
    },
    Job {
        name: "browser",
        shows: "pages open in a real browser at three widths, light and dark: nothing is loaded, tables sort, names stay names",
        work: Work::Function(browser::run),
    },
    Job {
        name: "package",
        shows: "every crate builds from its package, and none is above 1.5 MB",
        work: Work::Function(|_| package::run()),
    },
    Job {
        name: "site",
        shows: "the book of docs builds, every page is in its list, and all links of it lead somewhere",
        work: Work::Function(crate::site::job),
    },
    Job {
        name: "release-metadata",
        shows: "packages of all kinds have one version, the same files and, made twice, the same bytes",
        work: Work::Function(crate::release::check::run),
    },
    Job {
        name: "semver",
        shows: "no crate breaks what its last release promised, unless its version says so",
        work: Work::Function(toolchain::semver),
    },
    Job {
        name: "fuzz-smoke",
        shows: "no fuzz target fails within some seconds from its seeds",
        work: Work::Function(|_| fuzz::run()),
    },
    Job {
        name: "msrv",
        shows: "the crates build with the Rust that their manifests name",
        work: Work::Function(toolchain::msrv),
    },
    Job {
        name: "wasm",
        shows: "the crates are right for WebAssembly, without C, files and threads",
        work: Work::Function(wasm::run),
    },
    Job {
        name: "parts",
        shows: "the library for C and WebAssembly is small, and its examples in C, Go, Node and Python agree with each other, with LLVM and with the program",
        work: Work::Function(parts::run),
    },
    Job {
        name: "vendored",
        shows: "C code that crates bring has the versions that docs/security.md names, and there is no other",
        work: Work::Function(|_| vendored::run()),
    },
    Job {
        name: "deny",
        shows: "no dependency is banned, has an unknown licence or source, or a known advisory",
        work: Work::Function(toolchain::deny),
    },
];

/// Jobs that run where they are named, as the hosted workflow does. `test` has every fuzz target without
/// libFuzzer, and building these with it is a fifth of the gate's time.
const BY_NAME: &[&str] = &["fuzz-smoke"];

/// Runs the jobs that are named, or all but those of [`BY_NAME`].
///
/// # Errors
/// An unknown job or flag; a job that failed.
pub fn run(arguments: &[String]) -> Result<()> {
    let (flags, names): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    let mut wishes = Wishes::default();
    let mut list = false;
    for flag in flags {
        match flag.as_str() {
            "--list" => list = true,
            "--install" => wishes.install = true,
            "--no-skip" => wishes.no_skip = true,
            _ => bail!("{flag}: ci [JOB…] [--list] [--install] [--no-skip]"),
        }
    }
    let jobs = chosen(&names)?;
    if list {
        print!("{}", listed(&jobs));
        return Ok(());
    }
    let begun = Instant::now();
    let rows = in_lanes(&jobs, wishes);
    println!("\n{}{:.0} s in all", summary(&rows), begun.elapsed().as_secs_f64());
    match failed(&rows, wishes) {
        names if names.is_empty() => Ok(()),
        names => bail!("failed: {}", names.join(", ")),
    }
}

/// Jobs with a build folder of their own. The compiler has one thread for most of a crate's time, so they run
/// beside the others, which wait for each other's folder.
const BESIDE: &[&str] = &["readme", "instructions", "parts"];

/// Runs the jobs, those of [`BESIDE`] at the side of the others, and prints each as it ends. The rows are in
/// the order of the jobs.
fn in_lanes(jobs: &[&Job], wishes: Wishes) -> Vec<(&'static str, Ended, Duration)> {
    let (ended, rows) = mpsc::channel();
    std::thread::scope(|scope| {
        for beside in [false, true] {
            let ended = ended.clone();
            scope.spawn(move || {
                let lane = jobs.iter().filter(|job| BESIDE.contains(&job.name) == beside);
                for job in lane {
                    let begun = Instant::now();
                    // Who reads is there until both lanes have ended.
                    let _ = ended.send((job.name, job.run(wishes), begun.elapsed()));
                }
            });
        }
        drop(ended);
        let mut all: Vec<(&'static str, Ended, Duration)> = rows
            .into_iter()
            .inspect(|(name, ended, took)| {
                println!("{name:<16} {:>6.1} s  {}", took.as_secs_f64(), ended.line());
                if let Ended::Failed(why) = ended {
                    println!("{}\n", why.trim_end());
                }
            })
            .collect();
        all.sort_by_key(|(name, ..)| jobs.iter().position(|job| job.name == *name));
        all
    })
}

impl Job {
    fn run(&self, wishes: Wishes) -> Ended {
        let ended = match &self.work {
            Work::Lines(lines) => command::all(lines),
            Work::Function(function) => function(wishes),
        };
        ended.unwrap_or_else(|error| Ended::Failed(format!("{error:#}")))
    }
}

/// A verb of this program as a job.
fn checked(verb: fn(&[String]) -> Result<()>) -> Result<Ended> {
    verb(&["--check".to_owned()])?;
    Ok(Ended::Passed(String::new()))
}

/// The jobs of these names, in the order of the table; where none is named all but those of [`BY_NAME`].
fn chosen(names: &[&String]) -> Result<Vec<&'static Job>> {
    if let Some(unknown) = names.iter().find(|name| JOBS.iter().all(|job| job.name != name.as_str())) {
        bail!("no such job: {unknown}. There are:\n{}", listed(&JOBS.iter().collect::<Vec<_>>()));
    }
    let wanted = |job: &&Job| match names {
        [] => !BY_NAME.contains(&job.name),
        names => names.iter().any(|name| *name == job.name),
    };
    Ok(JOBS.iter().filter(wanted).collect())
}

fn listed(jobs: &[&Job]) -> String {
    jobs.iter().map(|job| format!("{:<16} {}\n", job.name, job.shows)).collect()
}

fn summary(rows: &[(&str, Ended, Duration)]) -> String {
    let mut text = format!("{:<16} {:<8} {:>7}\n", "job", "result", "seconds");
    for (name, ended, took) in rows {
        text += &format!("{name:<16} {:<8} {:>7.1}\n", ended.word(), took.as_secs_f64());
    }
    let count = |word: &str| rows.iter().filter(|(_, ended, _)| ended.word() == word).count();
    text + &format!("{} passed, {} failed, {} skipped\n", count("passed"), count("FAILED"), count("skipped"))
}

/// The names of the jobs for which the whole is not a success.
fn failed(rows: &[(&'static str, Ended, Duration)], wishes: Wishes) -> Vec<&'static str> {
    let bad = |ended: &Ended| match ended {
        Ended::Passed(_) => false,
        Ended::Failed(_) => true,
        Ended::Skipped(_) => wishes.no_skip,
    };
    rows.iter().filter(|(_, ended, _)| bad(ended)).map(|(name, ..)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_job_that_does_not_exist_is_refused_with_the_list() {
        let error = run(&words(&["fmt", "clipy"])).unwrap_err().to_string();
        assert!(error.starts_with("no such job: clipy"), "{error}");
        assert!(error.contains("\nclippy-features "), "{error}");
        assert!(run(&words(&["--quick"])).is_err());
    }

    #[test]
    fn names_are_unique_and_fit_their_column() {
        for (at, job) in JOBS.iter().enumerate() {
            assert!(JOBS.iter().skip(at + 1).all(|other| other.name != job.name), "{}", job.name);
            assert!(job.name.len() <= 16 && !job.shows.is_empty(), "{}", job.name);
        }
        assert!(BESIDE.iter().chain(BY_NAME).all(|name| JOBS.iter().any(|job| job.name == *name)));
    }

    #[test]
    fn named_jobs_run_in_the_order_of_the_table() {
        let wanted = words(&["docs", "fmt"]);
        let jobs = chosen(&wanted.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(jobs.iter().map(|job| job.name).collect::<Vec<_>>(), ["fmt", "docs"]);
    }

    #[test]
    fn what_is_skipped_is_not_counted_as_passed() {
        let rows = || {
            [
                ("fmt", Ended::Passed(String::new()), Duration::from_secs(1)),
                ("deny", Ended::Skipped("no tool".to_owned()), Duration::ZERO),
            ]
        };
        assert!(summary(&rows()).ends_with("1 passed, 0 failed, 1 skipped\n"));
        assert_eq!(failed(&rows(), Wishes::default()), [""; 0]);
        assert_eq!(failed(&rows(), Wishes { no_skip: true, install: false }), ["deny"]);
        let broken = [("test", Ended::Failed(String::new()), Duration::ZERO)];
        assert_eq!(failed(&broken, Wishes::default()), ["test"]);
    }
}
