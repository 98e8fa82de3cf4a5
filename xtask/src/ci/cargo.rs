//! Jobs about the project's crates, as cargo knows them.

use crate::command::{cargo, is_here, output, program};
use crate::job::Ended;
use anyhow::Result;

/// The sets of features for which crates are checked beside the default one. Of `cli`, `engines`, `packages`
/// and `sqlite` every two are seen together, apart and both left out: with the default set these five rows
/// are enough for that.
const FEATURE_SETS: &[&str] = &[
    "--lib --no-default-features",
    "--lib --no-default-features --features engines,packages",
    "--lib --no-default-features --features engines,sqlite",
    // With what releases have beside the default set.
    "--lib --bins --no-default-features --features cli,packages,sqlite,tls",
    "--lib --bins --no-default-features --features cli,engines,pure,sandbox",
    "--package amdgpu-isa --lib --no-default-features",
    // Without the standard library: by `alloc` alone, and as bindings/c has it.
    "--package amdgpu-object --lib --no-default-features",
    "--package amdgpu-object --lib --no-default-features --features md5,miniz,ruzstd",
    "--package amdgpu-object --lib --no-default-features --features demangle,launch-limits",
    "--package amdgpu-object --lib --no-default-features --features zstd",
    "--package amdgpu-object --lib --no-default-features --features miniz,ruzstd,std",
    "--package amdgpu-object --lib --all-features",
    "--package amdgpu-kernel --lib --no-default-features",
    "--package amdgpu-kernel --lib --all-features",
    // As it is released: the gate's job `python` has it with the features of the program.
    "--package rocm-audit-py --lib",
];

/// Clippy for every set of features.
pub(super) fn clippy_features() -> Result<Ended> {
    for set in FEATURE_SETS {
        let mut command = cargo();
        command.args(["clippy", "--quiet"]).args(set.split_whitespace()).args(["--", "-D", "warnings"]);
        let output = output(command)?;
        if !output.success {
            return Ok(output.failure());
        }
    }
    Ok(Ended::Passed(format!("{} sets of features", FEATURE_SETS.len())))
}

/// Runs tests. At least one has to have run.
pub(super) fn tests(arguments: &[&str]) -> Result<Ended> {
    let mut command = cargo();
    command.args(arguments);
    let output = output(command)?;
    if !output.success {
        return Ok(output.failure());
    }
    Ok(match passed(&output.text) {
        0 => output.shows_nothing("no test ran"),
        count => Ended::Passed(format!("{count} tests{}", not_asked())),
    })
}

/// Programs that tests ask what they make of an output.
const ASKED: [&str; 5] = ["bash", "jq", "python3", "script", "tar"];

/// Those of them that are not here, so that what they would say was not shown.
fn not_asked() -> String {
    let lacking: Vec<&str> = ASKED.into_iter().filter(|name| !is_here(program(name))).collect();
    if lacking.is_empty() {
        String::new()
    } else {
        format!("; not shown, as these are not here: {}", lacking.join(", "))
    }
}

/// The crates whose tests run alone, with their own features and nothing that another crate asks for.
const ALONE: [&str; 4] = ["amdgpu-isa", "amdgpu-kernel", "amdgpu-object", "amdgpu-samples"];

/// Tests of `amdgpu-object` as bindings/c has it.
const WITHOUT_STD: [&str; 7] = [
    "test",
    "--package",
    "amdgpu-object",
    "--lib",
    "--no-default-features",
    "--features",
    "md5,miniz,ruzstd",
];

/// The tests of the workspace but for those that [`tests_alone`] runs. Chosen, they would have their default
/// features, and all crates above them would be built a second time.
pub(super) fn tests_of_workspace() -> Result<Ended> {
    let mut arguments = vec!["test", "--workspace", "--no-fail-fast"];
    ALONE.iter().for_each(|name| arguments.extend(["--exclude", name]));
    tests(&arguments)
}

/// The tests of each crate below ours, alone.
pub(super) fn tests_alone() -> Result<Ended> {
    let mut counts = Vec::new();
    for name in ALONE {
        match tests(&["test", "--package", name])? {
            Ended::Passed(count) => counts.push(format!("{name} {count}")),
            other => return Ok(other),
        }
    }
    match tests(&WITHOUT_STD)? {
        Ended::Passed(count) => counts.push(format!("amdgpu-object without std {count}")),
        other => return Ok(other),
    }
    Ok(Ended::Passed(counts.join(", ")))
}

/// The number of tests that passed, of all the test programs that printed their sums.
fn passed(text: &str) -> u64 {
    let counts = text.lines().filter_map(|line| {
        line.strip_prefix("test result: ok. ")?.split_once(" passed;")?.0.parse::<u64>().ok()
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::project;

    #[test]
    fn tests_are_counted_over_all_programs() {
        let text = "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\n\n\
                    test result: ok. 40 passed; 0 failed; 0 ignored\ntest result: FAILED. 7 passed; 1 failed;\n";
        assert_eq!(passed(text), 42);
        assert_eq!(passed("test result: ok. 0 passed; 0 failed"), 0);
    }

    /// A dependency that the tool gains has to be in their lock files, too, or what is released of them is
    /// not what was tried. Where their crates were never fetched cargo stops before it looks, and says so in
    /// other words; nothing is fetched for this.
    #[test]
    fn lock_files_of_workspaces_beside_this_one_are_not_behind() {
        let manifest = std::fs::read_to_string(project().join("Cargo.toml")).unwrap();
        let line = manifest.lines().find(|line| line.starts_with("exclude = [")).unwrap();
        let beside: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        assert!(beside.len() > 2, "{beside:?}");
        for folder in beside {
            let mut command = cargo();
            command.args(["metadata", "--format-version", "1", "--locked", "--offline", "--manifest-path"]);
            command.arg(format!("{folder}/Cargo.toml"));
            let said = output(command).unwrap();
            assert!(
                said.success || !said.text.contains("--locked was passed"),
                "{folder}/Cargo.lock is behind: {}",
                said.text
            );
        }
    }
}
