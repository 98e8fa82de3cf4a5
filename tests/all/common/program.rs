//! Runs the program like a user.

use super::project;
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Path of the built program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_rocm-audit");

/// A call in the project's folder, with an empty environment and empty standard input.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words).current_dir(project()).env_clear().stdin(Stdio::null());
    command
}

/// Runs it with 80 columns and an otherwise empty environment.
pub fn run(words: &[&str]) -> Output {
    run_at(80, words)
}

/// The same with another number of columns.
pub fn run_at(columns: usize, words: &[&str]) -> Output {
    command(words).env("COLUMNS", columns.to_string()).output().unwrap()
}

/// The same in another folder.
pub fn run_in(folder: &Path, words: &[&str]) -> Output {
    command(words).current_dir(folder).env("COLUMNS", "80").output().unwrap()
}

/// The same with content on its standard input.
pub fn run_with(words: &[&str], input: &[u8]) -> Output {
    fed(command(words).env("COLUMNS", "80"), input)
}

/// Runs a command with content on its standard input.
pub fn fed(command: &mut Command, input: &[u8]) -> Output {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    // A call that does not read its input may end before all of it is written.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Its standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Its standard output.
pub fn shown(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The output of a call that must succeed.
pub fn text(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    shown(&output)
}

/// The JSON document of a call that must succeed.
pub fn json(words: &[&str]) -> Value {
    serde_json::from_str(&text(&[words, &["-f", "json"]].concat())).unwrap()
}

/// The JSON document of a call that may have findings.
pub fn json_with_findings(words: &[&str]) -> Value {
    let output = run(&[words, &["-f", "json"]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The message of a call that must fail.
pub fn refused(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
    said(&output)
}
