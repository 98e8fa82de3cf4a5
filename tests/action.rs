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
