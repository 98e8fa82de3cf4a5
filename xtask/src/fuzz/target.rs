//! The fuzz targets: what each begins with and how long its inputs may be, and how they are built.

use crate::command::{Output, cargo, is_here, output, program, stdout};
use crate::toolchain::compiler;
use crate::workspace::{metadata, target_folder};
use anyhow::{Context as _, Result, ensure};
use rocm_audit_fuzz::first_inputs;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "rocm-audit-fuzz";

/// What `cargo fuzz` gives the compiler: coverage that libFuzzer reads. Optimisation and checks are those of
/// the profile in the manifest.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg=fuzzing";

/// A target that is built.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Its name; with a part of a seed's name behind a slash where it begins with these seeds only.
    pub name: String,
    program: PathBuf,
}

/// How targets are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Programs {
    /// One program for all, little optimised: built soonest, for runs of seconds.
    Together,
    /// A program for each: tries the most inputs in a second.
    Each,
    /// The same with AddressSanitizer, on a released compiler too.
    EachSanitized,
}

/// The program of all targets.
const ALL: &str = "all";

/// All targets, built; or what the compiler printed.
pub(crate) enum Built {
    /// The targets by name, and whether AddressSanitizer watches.
    Targets(Vec<Target>, bool),
    /// It failed.
    Failed(Output),
    /// They cannot be built here, and why.
    NotHere(&'static str),
}

/// Builds all targets: with AddressSanitizer on a nightly compiler, and on any where that is asked for. A
/// released compiler brings its runtime too, and takes the flag where it is made to behave like a nightly
/// one. C parts are compiled with it as well: their reads and writes are what it is for.
///
/// # Errors
/// Where cargo or the compiler could not be asked.
pub(crate) fn build(programs: Programs) -> Result<Built> {
    let sanitize = programs == Programs::EachSanitized;
    if !cfg!(target_os = "linux") {
        return Ok(Built::NotHere("fuzz targets are built on Linux only"));
    }
    // libFuzzer is C++.
    if !is_here(program(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()))) {
        return Ok(Built::NotHere("there is no C++ compiler"));
    }
    let metadata = metadata(None)?;
    let sanitized = sanitize || compiler()?.contains("nightly");
    let host = host()?;
    let mut build = cargo();
    // With a target, flags are not those of build scripts.
    build.args(["build", "--quiet", "--package", PACKAGE, "--features", "libfuzzer", "--target", &host]);
    let profile = if programs == Programs::Together { "smoke" } else { "fuzz" };
    build.args(["--profile", profile]);
    if programs == Programs::Together {
        build.args(["--bin", ALL, "--features", ALL]);
    }
    let sanitizer = if sanitized { " -Zsanitizer=address" } else { "" };
    build.env("RUSTFLAGS", format!("{FLAGS}{sanitizer}"));
    // Beside the others: each would throw away what the other built.
    let folder = target_folder(&metadata)?.join(if sanitize { "sanitized" } else { "fuzz" });
    build.arg("--target-dir").arg(&folder);
    if sanitize {
        build.env("RUSTC_BOOTSTRAP", "1").env("CFLAGS", "-fsanitize=address -fno-omit-frame-pointer");
    }
    let built = output(build)?;
    if !built.success {
        return Ok(Built::Failed(built));
    }
    let folder = folder.join(&host).join(profile);
    let program = |name: &str| folder.join(if programs == Programs::Together { ALL } else { name });
    let targets =
        names(&metadata)?.into_iter().map(|name| Target { program: program(&name), name }).collect();
    Ok(Built::Targets(targets, sanitized))
}

/// The targets of the fuzz crate: its programs but for that of all.
fn names(metadata: &serde_json::Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let package = packages.iter().find(|package| package["name"] == PACKAGE);
    let targets = package.and_then(|package| package["targets"].as_array());
    let targets = targets.context("the fuzz crate has no targets")?;
    let programs = targets.iter().filter(|target| target["kind"][0] == "bin");
    let names = programs.filter_map(|target| target["name"].as_str()).filter(|name| *name != ALL);
    Ok(names.map(str::to_owned).collect())
}

/// The triple of the compiler's own machine.
fn host() -> Result<String> {
    let mut command = program(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--version", "--verbose"]);
    let text = stdout(command)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// The result of one run of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// Inputs that were tried.
    pub executions: u64,
    /// Edges of the program that were reached, as libFuzzer counts them.
    pub coverage: u64,
}

impl Target {
    /// The target that begins with those seeds whose names have `part` in them: each reader of a target that
    /// has many is run for as long as it needs, and has a row of its own.
    ///
    /// # Errors
    /// Where no seed has such a name.
    pub(crate) fn narrowed(&self, part: &str) -> Result<Self> {
        let target = Target { name: format!("{}/{part}", self.name), program: self.program.clone() };
        ensure!(!target.first_inputs()?.is_empty(), "{}: no seed has {part} in its name", target.name);
        Ok(target)
    }

    /// The name of its program, and the part of seeds' names.
    fn split(&self) -> (&str, Option<&str>) {
        self.name.split_once('/').map_or((self.name.as_str(), None), |(base, part)| (base, Some(part)))
    }

    /// The seeds that a narrowed target begins with.
    fn first_inputs(&self) -> Result<Vec<PathBuf>> {
        let Some(part) = self.split().1 else { return Ok(Vec::new()) };
        let mut inputs = Vec::new();
        for entry in std::fs::read_dir(self.seeds())? {
            let entry = entry?;
            if entry.file_type()?.is_file() && entry.file_name().to_string_lossy().contains(part) {
                inputs.push(entry.path());
            }
        }
        Ok(inputs)
    }

    /// Runs for so many seconds or inputs, whichever ends first. New inputs go to `corpus`, those that fail
    /// to `findings`. With a number for `random`, mutations are the same each time.
    ///
    /// # Errors
    /// Where it could not be started.
    pub(crate) fn run(
        &self,
        corpus: &Path,
        findings: &Path,
        seconds: u64,
        most: u64,
        random: Option<u32>,
    ) -> Result<(Run, Output)> {
        let mut fuzz = self.command(findings);
        // The first folder takes new inputs, the second is only read.
        let (base, part) = self.split();
        fuzz.arg(corpus);
        if part.is_none() {
            fuzz.arg(self.seeds());
            first_inputs::write_made(base, corpus)?;
        }
        for input in self.first_inputs()? {
            std::fs::copy(&input, corpus.join(input.file_name().context("a seed has no name")?))?;
        }
        fuzz.arg(format!("-max_total_time={seconds}")).arg(format!("-runs={most}"));
        if let Some(random) = random {
            fuzz.arg(format!("-seed={random}"));
        }
        if let Some(length) = first_inputs::longest(base) {
            fuzz.arg(format!("-max_len={length}"));
        }
        if let Some(dictionary) = first_inputs::dictionary(base) {
            fuzz.arg(format!("-dict={}", dictionary.display()));
        }
        let output = output(fuzz)?;
        Ok((Run::parse(&output.text), output))
    }

    /// Whether an input that failed fails still.
    ///
    /// # Errors
    /// Where it could not be started.
    pub(crate) fn still_fails(&self, input: &Path) -> Result<bool> {
        // libFuzzer fails by itself where this folder is not there.
        let elsewhere = tempfile::tempdir()?;
        let mut command = self.command(elsewhere.path());
        command.arg(input);
        Ok(!output(command)?.success)
    }

    fn command(&self, findings: &Path) -> std::process::Command {
        let mut command = program(&self.program);
        // Which target it is, where the program has all.
        command.env("FUZZ_TARGET", self.split().0);
        command.arg(format!("-artifact_prefix={}/", findings.display()));
        command.args(["-timeout=120", "-rss_limit_mb=2048"]);
        // Threads for small inputs are most of the time that these take.
        command.env("RAYON_NUM_THREADS", "1");
        // As `cargo fuzz` has it: SQLite would count as defined twice.
        command.env("ASAN_OPTIONS", "detect_odr_violation=0");
        command
    }

    /// The folder of the first inputs.
    pub(crate) fn seeds(&self) -> PathBuf {
        first_inputs::folder(self.split().0)
    }
}

impl Run {
    /// What libFuzzer prints: `#4096 pulse cov: 123 ft: 456 corp: …`, at the end `Done 5000 runs in 6
    /// second(s)`.
    fn parse(text: &str) -> Self {
        let mut run = Run::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if let Some(count) = line.strip_prefix('#').and_then(|line| line.split_whitespace().next()) {
                run.executions =
                    count.trim_end_matches(':').parse().unwrap_or(run.executions).max(run.executions);
            } else if let Some(count) = line.strip_prefix("Done ").and_then(|rest| rest.split(' ').next()) {
                run.executions = count.parse().unwrap_or(run.executions);
            }
            if words.any(|word| word == "cov:") {
                run.coverage = words.next().and_then(|word| word.parse().ok()).unwrap_or(run.coverage);
            }
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::project;

    #[test]
    fn every_target_has_seeds_and_every_row_a_target() {
        let names = names(&metadata(None).unwrap()).unwrap();
        let folder = project().join("fuzz/fuzz_targets");
        // Each is a file; two more have all of them.
        assert_eq!(names.len() + 2, std::fs::read_dir(&folder).unwrap().count());
        let all = std::fs::read_to_string(project().join("fuzz/src/lib.rs")).unwrap();
        for name in &names {
            let target = Target { name: name.clone(), program: PathBuf::new() };
            assert!(target.seeds().is_dir(), "{name}");
            assert!(all.lines().any(|line| line.trim() == name), "{name} is missing in for_each_target");
        }
        for entry in std::fs::read_dir(project().join("fuzz/dictionaries")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(names.iter().any(|target| *target == name.trim_end_matches(".dict")), "{name}");
        }
    }

    #[test]
    fn a_part_of_a_name_chooses_seeds() {
        let forms = Target { name: "forms".to_owned(), program: PathBuf::new() };
        assert!(forms.first_inputs().unwrap().is_empty());
        let rpm = forms.narrowed(".rpm").unwrap();
        assert_eq!((rpm.name.as_str(), rpm.seeds()), ("forms/.rpm", forms.seeds()));
        let inputs = rpm.first_inputs().unwrap();
        assert!(
            !inputs.is_empty() && inputs.iter().all(|path| path.extension().is_some_and(|end| end == "rpm"))
        );
        assert!(forms.narrowed("no such seed").is_err());
    }

    #[test]
    fn the_numbers_are_libfuzzers() {
        let done = "#2 INITED cov: 17 ft: 18\n#4096 pulse  cov: 20 ft: 30 corp: 1/1b\nDone 5000 runs in 6 second(s)\n";
        assert_eq!(Run::parse(done), Run { executions: 5000, coverage: 20 });
        let stopped =
            "#2 INITED cov: 17 ft: 18\n#512\tREDUCE cov: 19 ft: 30\n==1==ERROR: libFuzzer: deadly signal\n";
        assert_eq!(Run::parse(stopped), Run { executions: 512, coverage: 19 });
        assert_eq!(Run::parse("==1==ERROR: libFuzzer: deadly signal\n"), Run::default());
    }
}
