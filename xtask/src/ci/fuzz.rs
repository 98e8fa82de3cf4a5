//! The job `fuzz-smoke`: every fuzz target for some seconds from the fixtures, with libFuzzer and its coverage, as `cargo fuzz`
//! builds them but for what only a nightly compiler has. On a nightly one, AddressSanitizer watches too.

use super::Ended;
use super::cargo::{metadata, target_folder};
use super::command::{cargo, output, program, project, stdout};
use super::toolchain::compiler;
use anyhow::{Context as _, Result};

const MANIFEST: &str = "fuzz/Cargo.toml";

/// How long a target runs, in seconds.
const SECONDS: u32 = 5;

/// First inputs of targets; those that are not listed have `fixtures/rocm`.
const SEEDS: &[(&str, &str)] = &[
    ("gguf", "fixtures/model"),
    ("instructions", "fixtures/instructions"),
    ("tensile", "fixtures/tensile/library"),
];

/// What `cargo fuzz` gives the compiler: coverage that libFuzzer reads, and checks that release builds leave out.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Copt-level=1 --cfg=fuzzing";

pub(super) fn run() -> Result<Ended> {
    if !cfg!(target_os = "linux") {
        return Ok(Ended::Skipped("fuzz targets are built on Linux only".to_owned()));
    }
    // libFuzzer is C++.
    let mut compiles = program(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    compiles.arg("--version");
    if stdout(compiles).is_err() {
        return Ok(Ended::Skipped("there is no C++ compiler".to_owned()));
    }
    let metadata = metadata(Some(MANIFEST))?;
    let targets = targets(&metadata)?;
    let nightly = compiler()?.contains("nightly");
    let host = host()?;
    let mut build = cargo();
    // With a target, flags are not those of build scripts.
    build.args(["build", "--quiet", "--manifest-path", MANIFEST, "--target", &host]);
    let sanitizer = if nightly { " -Zsanitizer=address" } else { "" };
    build.env("RUSTFLAGS", format!("{FLAGS}{sanitizer}"));
    let built = output(build)?;
    if !built.success {
        return Ok(built.failure());
    }
    let mut runs = 0;
    for target in &targets {
        let found = tempfile::tempdir()?;
        let artifacts = project().join("fuzz/artifacts").join(target);
        std::fs::create_dir_all(&artifacts)?;
        let mut fuzz = program(target_folder(&metadata)?.join(&host).join("debug").join(target));
        // The first folder takes new inputs, the second is only read.
        fuzz.arg(found.path()).arg(seeds(target));
        fuzz.arg(format!("-max_total_time={SECONDS}")).arg("-timeout=20");
        fuzz.arg(format!("-artifact_prefix={}/", artifacts.display()));
        let ran = output(fuzz)?;
        if !ran.success {
            return Ok(ran.failure());
        }
        match inputs(&ran.text) {
            Some(count) if count > 0 => runs += count,
            _ => return Ok(ran.shows_nothing("no input was tried")),
        }
    }
    let watched = if nightly { "with" } else { "without" };
    Ok(Ended::Passed(format!("{} targets, {runs} inputs, {watched} AddressSanitizer", targets.len())))
}

/// The programs of the fuzz crate.
fn targets(metadata: &serde_json::Value) -> Result<Vec<String>> {
    let targets = metadata["packages"][0]["targets"].as_array().context("the fuzz crate has no targets")?;
    let programs = targets.iter().filter(|target| target["kind"][0] == "bin");
    Ok(programs.filter_map(|target| Some(target["name"].as_str()?.to_owned())).collect())
}

fn seeds(target: &str) -> &'static str {
    SEEDS.iter().find(|(name, _)| *name == target).map_or("fixtures/rocm", |(_, folder)| folder)
}

/// The triple of the compiler's own machine.
fn host() -> Result<String> {
    let mut command = program(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--version", "--verbose"]);
    let text = stdout(command)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// How many inputs libFuzzer tried: `Done 123 runs in 6 second(s)`.
fn inputs(text: &str) -> Option<u64> {
    let done = text.lines().rev().find_map(|line| line.strip_prefix("Done "))?;
    done.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_seeds_and_every_row_a_target() {
        let targets = targets(&metadata(Some(MANIFEST)).unwrap()).unwrap();
        let files = std::fs::read_dir(project().join("fuzz/fuzz_targets")).unwrap().count();
        assert_eq!(targets.len(), files);
        for target in &targets {
            assert!(project().join(seeds(target)).is_dir(), "{target}");
        }
        for (row, _) in SEEDS {
            assert!(targets.iter().any(|target| target == row), "{row}");
        }
    }

    #[test]
    fn the_number_of_inputs_is_libfuzzers() {
        assert_eq!(inputs("#2 INITED\nDone 1234 runs in 6 second(s)\n"), Some(1234));
        assert_eq!(inputs("==1==ERROR: libFuzzer: deadly signal\n"), None);
    }
}
