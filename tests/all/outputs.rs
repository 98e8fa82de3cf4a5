//! Files of `-o`: complete or unchanged, and never an input.
#![cfg(target_os = "linux")]

use crate::common::program::{PROGRAM, command, refused, run, said};
use std::fs;
use std::path::Path;
use std::process::Command;

const INPUT: &str = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    all.sort();
    all
}

#[test]
fn an_output_that_is_an_input_is_refused_and_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("lib.co");
    fs::copy(INPUT, &object).unwrap();
    let before = fs::read(&object).unwrap();
    let named = format!("json:{}", text(&object));
    assert!(refused(&["-q", "-o", &named, text(&object)]).contains("is an input"));
    // Also below a folder that is read; a report of the last run is not an input.
    assert!(refused(&["-q", "-o", &named, text(folder.path())]).contains("would be written over"));
    assert_eq!(fs::read(&object).unwrap(), before);
    let report = folder.path().join("report.json");
    for _ in 0..2 {
        let output = run(&["-q", "-o", text(&report), text(folder.path())]);
        assert!(output.status.success(), "{}", said(&output));
    }
    assert_eq!(names(folder.path()), ["lib.co", "report.json"]);
}

#[test]
fn a_link_in_a_tree_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, target) = (folder.path().join("tree"), folder.path().join("target.txt"));
    fs::create_dir(&tree).unwrap();
    fs::copy(INPUT, tree.join("a.hsaco")).unwrap();
    fs::write(&target, "kept").unwrap();
    let link = tree.join("report.json");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(refused(&["-q", "-o", text(&link), text(&tree)]).contains("is a link in a tree"));
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    // A link of the user is followed, and kept.
    let own = folder.path().join("own.json");
    std::os::unix::fs::symlink(&target, &own).unwrap();
    let output = run(&["-q", "-o", text(&own), INPUT]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(own.is_symlink() && fs::read_to_string(&target).unwrap().starts_with('{'));
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.json"), folder.path().join("./a.json"));
    let other = format!("md:{}", text(&b));
    assert!(refused(&["-q", "-o", text(&a), "-o", &other, INPUT]).contains("named by two -o"));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_run_that_cannot_write_leaves_the_old_report() {
    leaves_the_old_report(&tempfile::tempdir().unwrap());
    // Below /dev stand devices, and files.
    if let Ok(folder) = tempfile::tempdir_in("/dev/shm") {
        leaves_the_old_report(&folder);
    }
}

fn leaves_the_old_report(folder: &tempfile::TempDir) {
    let report = folder.path().join("report.json");
    fs::write(&report, "old").unwrap();
    let limited = "ulimit -f 1; exec \"$0\" \"$@\"";
    let mut call = Command::new("sh");
    call.args(["-c", limited, PROGRAM, "-q", "-o", text(&report), "fixtures/rocm"]);
    let output = call.current_dir(crate::common::project()).output().unwrap();
    // Ends with a message, not by a signal.
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("File too large"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&report).unwrap(), "old");
    assert_eq!(names(folder.path()), ["report.json"]);
    // Write-protected files are not replaced, and permissions are kept.
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&report, fs::Permissions::from_mode(0o640)).unwrap();
    let output = run(&["-q", "-o", text(&report), INPUT]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::metadata(&report).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&report).unwrap().starts_with('{'));
}

#[test]
fn devices_are_written_as_they_are() {
    let output = command(&["-q", "-o", "json:/dev/stdout", INPUT]).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"{"), "{}", said(&output));
}

#[test]
fn more_threads_than_can_be_meant_are_refused() {
    assert!(refused(&["-j", "30000", INPUT]).contains("at most 1024"));
    let output = command(&[INPUT]).env("RAYON_NUM_THREADS", "100000").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}
