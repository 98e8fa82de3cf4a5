//! The program, run as its user runs it.

use std::process::{Command, Output};

/// A call of it in the project's folder, with nothing in its environment.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-audit"));
    command.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).env_clear();
    command
}

/// Runs it with 80 columns and nothing else in its environment.
pub fn run(words: &[&str]) -> Output {
    command(words).env("COLUMNS", "80").output().unwrap()
}

/// What it said on standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
