//! Full reports one page at a time, on a pseudo-terminal made by `script` of util-linux. Without it the tests
//! do nothing, but with the variable CI they fail.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)] // A test that could not run says so.

use crate::common::program::PROGRAM;
use std::io::ErrorKind;
use std::process::{Command, Output, Stdio};

const TREE: &str = "fixtures/rocm/lib/rocblas";

/// Runs a call on a terminal; `None` without `script`.
fn on_a_terminal(words: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let line = format!("{} {words}", PROGRAM);
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TERM", "xterm");
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Some(output),
        // In CI a missing tool is a failure.
        Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("CI").is_none() => {
            println!("not shown: there is no `script`");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether each line of the report came through `sed s/^/PAGED:/`.
fn is_paged(text: &str) -> bool {
    text.contains("PAGED:")
}

#[test]
fn a_full_report_goes_through_the_pager_of_the_user() {
    let own = ("ROCM_AUDIT_PAGER", "sed s/^/PAGED:/");
    let common = ("PAGER", "sed s/^/PAGED:/");
    let full = format!("--full --no-progress {TREE}");
    for variables in [&[own][..], &[common], &[own, ("PAGER", "false")]] {
        let Some(output) = on_a_terminal(&full, variables) else { return };
        let said = text(&output);
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        assert!(
            lines.len() > 20 && lines.iter().all(|line| line.starts_with("PAGED:")),
            "{variables:?}: {said}"
        );
        assert_eq!(output.status.code(), Some(0), "{variables:?}");
    }
    // Not paged: reports that are not full, output that is not text, and calls that disable paging.
    for (words, variables) in [
        (format!("--no-progress {TREE}"), &[own][..]),
        (format!("{full} --no-pager"), &[own]),
        (format!("{full} -f json"), &[own]),
        (full.clone(), &[own, ("ROCM_AUDIT_NO_PAGER", "true")]),
        (full.clone(), &[own, ("CI", "true")]),
        (full.clone(), &[own, ("TERM", "dumb")]),
        (full.clone(), &[("ROCM_AUDIT_PAGER", ""), common]),
        (full.clone(), &[("ROCM_AUDIT_PAGER", "cat"), common]),
        ("list arches --full".to_owned(), &[own]),
    ] {
        let Some(output) = on_a_terminal(&words, variables) else { return };
        let said = text(&output);
        assert!(!is_paged(&said) && said.contains("gfx900"), "{words} {variables:?}: {said}");
    }
}

#[test]
fn a_pager_changes_neither_the_status_nor_what_is_safe() {
    // The pager runs outside of the program's sandbox, and the program inside.
    let paged = [("ROCM_AUDIT_PAGER", "sed s/^/PAGED:/")];
    let words = format!("--full --no-progress --sandbox on {TREE} --fail-on note");
    let Some(output) = on_a_terminal(&words, &paged) else { return };
    if !text(&output).contains("--sandbox on:") {
        assert!(is_paged(&text(&output)));
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    }
    // A pager that reads three lines and exits is fine too.
    let short = [("ROCM_AUDIT_PAGER", "head -n 3")];
    let output = on_a_terminal(&format!("--full --no-progress {TREE}"), &short).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).lines().count() <= 3, "{}", text(&output));
    // A missing pager is reported if it was named for this program, and the report is printed anyway.
    for (variable, told) in [("ROCM_AUDIT_PAGER", true), ("PAGER", false)] {
        let nobody = [(variable, "no-such-pager-anywhere")];
        let output = on_a_terminal(&format!("--full --no-progress {TREE}"), &nobody).unwrap();
        let said = text(&output);
        assert_eq!(said.contains("the pager cannot be started"), told, "{said}");
        assert!(said.contains("gfx900") && output.status.success(), "{said}");
    }
}

#[test]
fn what_goes_into_a_pipe_is_never_paged() {
    let mut command = Command::new(PROGRAM);
    command.args(["--full", TREE]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.env("ROCM_AUDIT_PAGER", "sed s/^/PAGED:/").env("TERM", "xterm").output().unwrap();
    assert!(!is_paged(&text(&output)) && text(&output).contains("gfx900"));
}
