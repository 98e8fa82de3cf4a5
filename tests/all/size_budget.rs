//! `check --max-size`: how large artifacts may be.

use crate::common::program::run;
use serde_json::Value;

const FILE: &str = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
const FOLDER: &str = "fixtures/rocm/lib/codeobject";

fn check(words: &[&str]) -> (i32, Value) {
    let output = run(&[&["check", "-f", "json"], words].concat());
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// The file is a code object, so that its size and that of its target are those that the system says.
#[test]
fn what_is_larger_fails_and_what_is_as_large_passes() {
    let bytes = std::fs::metadata(FILE).unwrap().len();
    for target in ["", "gfx906="] {
        let (status, report) = check(&[FILE, "--max-size", &format!("{target}{bytes}")]);
        assert_eq!((status, &report["passed"]), (0, &Value::Bool(true)), "{target}");
        let (status, report) = check(&[FILE, "--max-size", &format!("{target}{}", bytes - 1)]);
        assert_eq!((status, &report["passed"]), (1, &Value::Bool(false)), "{target}");
        assert_eq!(report["failed_because"], serde_json::json!(["size-over-budget"]));
    }
    // A target that is not there takes nothing.
    assert_eq!(check(&[FILE, "--max-size", "gfx1100=0"]).0, 0);
}

#[test]
fn a_folder_counts_all_its_files() {
    let sizes = std::fs::read_dir(FOLDER).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
    let bytes: u64 = sizes.sum();
    assert_eq!(check(&[FOLDER, "--max-size", &bytes.to_string()]).0, 0);
    let (status, report) = check(&[FOLDER, "--max-size", &(bytes - 1).to_string()]);
    assert_eq!(status, 1);
    let over = report["findings"].as_array().unwrap().iter().find(|own| own["id"] == "size-over-budget");
    assert!(over.unwrap()["detail"].as_str().unwrap().ends_with("are allowed"));
}

/// Each root is judged by itself, beside what is required of it.
#[test]
fn roots_and_requirements_are_judged_beside_it() {
    let other = "fixtures/rocm/lib/codeobject/v3_gfx906.hsaco";
    let bytes = std::fs::metadata(FILE).unwrap().len().max(std::fs::metadata(other).unwrap().len());
    assert_eq!(check(&[FILE, other, "--max-size", &bytes.to_string()]).0, 0);
    let (status, report) = check(&[FILE, "--max-size", "1GB", "--require", "gfx1100"]);
    assert_eq!((status, &report["failed_because"]), (1, &serde_json::json!(["requirement-not-met"])));
    let annotations = run(&["check", FILE, "--max-size", "1kB", "-f", "github"]);
    let text = String::from_utf8(annotations.stdout).unwrap();
    assert!(text.starts_with("::error ") && text.contains("title=size-over-budget"), "{text}");
}

#[test]
fn what_cannot_be_counted_is_refused() {
    for words in [["--max-size", "large"], ["--max-size", "gfx9999=1MB"]] {
        let output = run(&[&["check", FILE], &words[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}
