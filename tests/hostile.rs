//! Input that is made to harm, and surroundings that fail, as the user of the command meets them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::process::{Command, Output};

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-audit"));
    command.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear();
    command
}

fn run(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_list_of_kernels_says_beside_it_what_could_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libx.so");
    let whole = std::fs::read("fixtures/rocm/lib/librccl.so.1.0").unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let output = run(&["-f", "jsonl", text(&path)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("libx.so, offset"), "{}", errors(&output));
}

#[test]
#[cfg(target_os = "linux")]
fn where_standard_error_is_full_the_status_is_that_of_the_run() {
    for (words, status) in [
        (&["-f", "jsonl", "nowhere"][..], 2),
        (&["--fail-on", "padding,error,note,warning", "fixtures/rocm"], 1),
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(words).stderr(full).stdout(std::process::Stdio::null()).status().unwrap();
        assert_eq!(output.code(), Some(status), "{words:?}");
    }
}
