//! What code that took over a reader could do: a library that is loaded into the program tries each call that
//! docs/security.md names, where an input is opened, and the system itself answers.
#![cfg(all(target_os = "linux", target_env = "gnu", feature = "sandbox"))]

use crate::common::program::{PROGRAM, said};
use crate::common::project;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The probe, compiled; `None` without a compiler of C.
fn compiled(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("probe.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library);
    let source = project().join("tests/all/sandbox_probe.c");
    let status = compiler.arg(source).arg("-ldl").status().ok()?;
    assert!(status.success());
    Some(library)
}

/// The calls that the page's table names.
fn listed() -> BTreeSet<String> {
    let page = std::fs::read_to_string(project().join("docs/security.md")).unwrap();
    let (_, table) = page.split_once("| tried | before | now |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let first = rows.filter_map(|row| row.split('|').nth(1));
    first.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

/// `EPERM` of the filter of calls, `EACCES` of Landlock and of the system's own rights.
const REFUSED: [i32; 2] = [1, 13];

#[test]
fn each_call_that_the_page_names_is_refused() {
    // Beside the folder for temporary files, in which all may be written.
    let (folder, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(library) = compiled(folder.path()) else {
        assert!(std::env::var_os("CI").is_none(), "no compiler of C");
        return println!("not shown: no compiler of C");
    };
    std::fs::write(folder.path().join("f"), "kept").unwrap();
    let input = folder.path().join("probed.hsaco");
    std::fs::copy(project().join("fixtures/rocm/lib/codeobject/v5_gfx90a_heavy.hsaco"), &input).unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["--sandbox", "on", "-q"]).arg(&input).env_clear().env("TMPDIR", temporary.path());
    command.env("LD_PRELOAD", library).env("PROBE_INPUT", "probed.hsaco");
    command.env("PROBE_FOLDER", folder.path()).env("PROBE_VICTIM", std::process::id().to_string());
    let output = command.output().unwrap();
    let text = said(&output);
    if text.contains("--sandbox on:") {
        assert!(std::env::var_os("CI").is_none(), "{text}");
        return println!("not shown: {text}");
    }
    let tried: Vec<(&str, i32)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("probe ")?.rsplit_once(' '))
        .map(|(name, error)| (name, error.parse().unwrap()))
        .collect();
    let allowed: Vec<_> = tried.iter().filter(|(_, error)| !REFUSED.contains(error)).collect();
    assert!(allowed.is_empty(), "{allowed:?}");
    let tried: BTreeSet<String> = tried.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(tried, listed());
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(std::fs::read_to_string(folder.path().join("f")).unwrap(), "kept");
}
