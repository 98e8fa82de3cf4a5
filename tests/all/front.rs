//! Products in a rocBLAS built with hipBLASLt: which of the two answers, by target and environment.

use crate::common::program::{json_with_findings, run};
use crate::common::{elf, fixture};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// An install with both libraries' catalogs and a `librocblas.so` whose constants contain `text`.
fn install(text: &[u8]) -> TempDir {
    let tree = TempDir::new().unwrap();
    for (from, to) in [("tensile/library", "rocblas/library"), ("hipblaslt/library", "hipblaslt/library")] {
        let to = tree.path().join("lib").join(to);
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(fixture(from)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
    fs::write(tree.path().join("lib/librocblas.so.4"), elf::library(&[(".rodata", text)])).unwrap();
    tree
}

/// Which library answers a product in half precision with single precision sums, and the statement on
/// hipBLASLt.
fn asked(tree: &Path, words: &[&str]) -> (String, String) {
    let call = [
        "select",
        "gemm",
        "--type",
        "HHS",
        "-m",
        "64",
        "-n",
        "64",
        "-k",
        "64",
        "--arch",
        "gfx90a:xnack-",
        "--cu",
        "110",
    ];
    let report = json_with_findings(&[&call[..], words, &[tree.to_str().unwrap()]].concat());
    let statements = report["statements"].as_array().unwrap();
    let said = statements.iter().find(|one| one["about"] == "hipBLASLt").unwrap();
    (report["answered_by"].as_str().unwrap().to_owned(), said["text"].as_str().unwrap().to_owned())
}

const FORCED: [&str; 2] = ["--env", "ROCBLAS_USE_HIPBLASLT=1"];

#[test]
fn rocblas_asks_hipblaslt_where_it_was_built_with_it_and_is_told_to() {
    let with = install(b"a\0ROCBLAS_USE_HIPBLASLT\0");
    let (by, said) = asked(with.path(), &[&["--trans", "TN"], &FORCED[..]].concat());
    // The table in fixtures/src/gen_hipblaslt_library.py has this size for gfx90a's first solution.
    assert!(by == "hipBLASLt" && said.contains("its solution 11"), "{by}: {said}");
    // Release 6.4 does not ask hipBLASLt for gfx90a by default, and 0 disables it everywhere.
    for words in [&["--trans", "TN"][..], &["--trans", "TN", "--env", "ROCBLAS_USE_HIPBLASLT=0"]] {
        assert_eq!(asked(with.path(), words).0, "rocBLAS", "{words:?}");
    }
    let without = install(b"a\0b\0");
    let (by, said) = asked(without.path(), &[&["--trans", "TN"], &FORCED[..]].concat());
    assert!(by == "rocBLAS" && said.contains("without hipBLASLt"), "{by}: {said}");
}

#[test]
fn rocblas_goes_on_where_hipblaslt_has_nothing() {
    let with = install(b"ROCBLAS_USE_HIPBLASLT");
    let (by, said) = asked(with.path(), &[&["--trans", "NN"], &FORCED[..]].concat());
    assert!(by == "rocBLAS" && said.contains("no solution of its can solve this"), "{by}: {said}");
    fs::remove_dir_all(with.path().join("lib/hipblaslt")).unwrap();
    let (by, said) = asked(with.path(), &[&["--trans", "TN"], &FORCED[..]].concat());
    assert!(by == "rocBLAS" && said.contains("no catalog of hipBLASLt was found"), "{by}: {said}");
}

#[test]
fn a_variable_that_is_not_modelled_is_refused_with_those_that_are() {
    let tree = install(b"");
    for text in ["ROCBLAS_LAYER=1", "ROCBLAS_USE_HIPBLASLT", "ROCBLAS_USE_HIPBLASLT="] {
        let output = run(&[
            "select",
            "gemm",
            "--type",
            "HHS",
            "-m",
            "64",
            "-n",
            "64",
            "-k",
            "64",
            "--arch",
            "gfx90a",
            "--env",
            text,
            tree.path().to_str().unwrap(),
        ]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && error.contains("ROCBLAS_USE_HIPBLASLT"),
            "{text}: {error}"
        );
    }
}

/// A folder of device code is summed up; `--full` shows each file.
#[test]
fn a_folder_of_device_code_is_summed_up() {
    let lines = |words: &[&str]| {
        let output = run(words);
        String::from_utf8(output.stdout).unwrap()
    };
    let sums = lines(&["fatbin", "fixtures/rocm"]);
    assert!(sums.lines().count() < 60 && sums.contains("The largest"), "{sums}");
    assert!(lines(&["fatbin", "--full", "fixtures/rocm"]).lines().count() > 200);
    let report = json_with_findings(&["fatbin", "fixtures/rocm"]);
    let sum = |key: &str| -> u64 {
        report["targets"].as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum()
    };
    let each: u64 = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["total"]["kernels"].as_u64().unwrap())
        .sum();
    assert_eq!(sum("kernels"), each);
}
