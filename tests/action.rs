//! The action and the hook do what they say: their own scripts are run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn yaml(file: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// Runs the step `audit` of the action with these inputs, and gives what it wrote as summary and as outputs.
fn step(inputs: &[(&str, &str)]) -> (Output, String, String) {
    let action = yaml("action.yml");
    let step = action["runs"]["steps"].as_array().unwrap().iter().find(|step| step["id"] == "audit").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [summary, outputs] = ["summary", "outputs"].map(|name| folder.path().join(name));
    let bin = Path::new(env!("CARGO_BIN_EXE_rocm-audit")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut command = Command::new("bash");
    command.args(["-e", "-c", step["run"].as_str().unwrap()]).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env("PATH", path.unwrap()).env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_OUTPUT", &outputs);
    for (variable, source) in step["env"].as_object().unwrap() {
        // `${{ inputs.fail-on }}`
        let name = source.as_str().unwrap().trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        assert!(action["inputs"][name].is_object(), "{name} is no input");
        let value = inputs.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value);
        command.env(variable, value);
    }
    let output = command.output().unwrap();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let texts = (read(&summary), read(&outputs));
    (output, texts.0, texts.1)
}

#[test]
fn the_action_gates_reports_and_compares() {
    let (output, summary, outputs) =
        step(&[("path", "fixtures/ggml/plain\n"), ("require", "gfx900,gfx1201"), ("args", "--per-file\n")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text.contains("::error title=requirement-not-met::gfx1201"), "{text}");
    assert!(summary.contains("gfx1201") && outputs == "status=1\n", "{summary}\n{outputs}");

    let (output, summary, outputs) = step(&[("path", "fixtures/ggml/plain"), ("require", "gfx900")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(summary.contains("✅") && outputs == "status=0\n", "{summary}\n{outputs}");

    let (output, summary, _) = step(&[
        ("path", "fixtures/rocm/lib/rocblas"),
        ("baseline", "fixtures/rocm"),
        ("fail-on", "lost-target"),
    ]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(summary.contains("lost"), "{summary}");

    let (output, _, outputs) = step(&[("path", "no such file")]);
    assert_eq!((output.status.code(), &*outputs), (Some(2), "status=2\n"), "{output:?}");
}

#[test]
fn the_hook_takes_the_files_of_the_field() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    // The second one differs in where the program comes from.
    for key in ["entry", "files", "types_or"] {
        assert_eq!(hooks[0][key], hooks[1][key], "{key}");
    }
    assert_eq!([&hooks[0]["language"], &hooks[1]["language"]], ["rust", "system"]);
    let files = regex::Regex::new(hooks[0]["files"].as_str().unwrap()).unwrap();
    for name in
        ["libfoo.so.4.1", "k.hsaco", "TensileLibrary_lazy_gfx900.dat", "gfx90878.HIP.fdb.txt", "x.tar.zst"]
    {
        assert!(files.is_match(name), "{name}");
    }
    assert!(!files.is_match("main.rs") && !files.is_match("README.md"));
    let entry: Vec<&str> = hooks[0]["entry"].as_str().unwrap().split(' ').collect();
    let whole = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.hsaco");
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(whole)).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    for (file, status) in [(Path::new(whole), 0), (&cut, 1)] {
        let output = Command::new(env!("CARGO_BIN_EXE_rocm-audit"))
            .args(&entry[1..])
            .arg(file)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
    }
}

/// Runs the step `install` of the action where the releases in `folder` are, for a runner of that kind; `cargo` only says that it
/// was called. Gives what was printed and what is added to the PATH.
fn install(folder: &Path, from: &str, runner: (&str, &str)) -> (Output, String) {
    let action = yaml("action.yml");
    let step =
        action["runs"]["steps"].as_array().unwrap().iter().find(|step| step["id"] == "install").unwrap();
    let run = tempfile::tempdir().unwrap();
    let tools = run.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    for tool in ["sed", "head", "curl", "sha256sum", "grep", "tar", "gzip"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|at| at.join(tool))
            .find(|at| at.exists());
        std::os::unix::fs::symlink(found.unwrap_or_else(|| panic!("no {tool}")), tools.join(tool)).unwrap();
    }
    std::fs::write(tools.join("cargo"), "#!/bin/sh\necho cargo \"$@\"\n").unwrap();
    std::fs::set_permissions(tools.join("cargo"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let added = run.path().join("path");
    std::fs::write(&added, "").unwrap();
    let shell = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "bash" };
    let output = Command::new(shell)
        .args(["-e", "-c", step["run"].as_str().unwrap()])
        .env("PATH", &tools)
        .env("SOURCE", env!("CARGO_MANIFEST_DIR"))
        .env("RELEASES", format!("file://{}", folder.display()))
        .env("FROM", from)
        .env("RUNNER_OS", runner.0)
        .env("RUNNER_ARCH", runner.1)
        .env("RUNNER_TEMP", run.path())
        .env("GITHUB_PATH", &added)
        .output()
        .unwrap();
    (output, std::fs::read_to_string(&added).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn the_action_takes_a_release_that_is_what_its_checksums_say() {
    let releases = tempfile::tempdir().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let stem = format!("rocm-audit-{version}-x86_64-unknown-linux-musl");
    let folder = releases.path().join(format!("v{version}"));
    std::fs::create_dir_all(folder.join(&stem)).unwrap();
    std::fs::write(folder.join(&stem).join("rocm-audit"), "#!/bin/sh\n").unwrap();
    let archive = format!("{stem}.tar.gz");
    let shell = |script: &str| {
        assert!(Command::new("sh").args(["-ec", script]).current_dir(&folder).status().unwrap().success());
    };
    shell(&format!(
        "tar -czf {archive} {stem} && sha256sum {archive} > SHA256SUMS && echo 00  other >> SHA256SUMS"
    ));

    let linux = ("Linux", "X64");
    let (output, added) = install(releases.path(), "release", linux);
    assert!(output.status.success(), "{output:?}");
    assert!(added.trim_end().ends_with(&stem), "{added}");

    // There is none of this version, or none for this runner, or the source is asked for.
    let none = tempfile::tempdir().unwrap();
    for (place, from, runner) in [
        (none.path(), "release", linux),
        (releases.path(), "release", ("Linux", "RISCV64")),
        (releases.path(), "source", linux),
    ] {
        let (output, added) = install(place, from, runner);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && added.is_empty(), "{output:?}");
        assert!(text.contains("cargo install --quiet --locked --path"), "{text}");
        assert_eq!(text.contains("::notice::"), from == "release", "{text}");
    }

    // Changed on the way.
    shell(&format!("echo more >> {archive}"));
    let (output, added) = install(releases.path(), "release", linux);
    assert!(!output.status.success() && added.is_empty(), "{output:?}");
    let (output, _) = install(releases.path(), "elsewhere", linux);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
