//! A folder of kernels that nothing leads to: without its first catalogs, or without any, a library does not
//! run, and every command says the same.
#![cfg(feature = "cli")]

use crate::common::folders::{copy, files};
use crate::common::program::{json_with_findings, run};
use crate::common::{elf, fixture};
use std::fs;
use std::path::Path;

/// Removes the files of a folder whose names are of a kind; says how many there were.
fn remove(folder: &Path, is_of_kind: &dyn Fn(&str) -> bool) -> usize {
    let all = files(folder);
    let named = |file: &&std::path::PathBuf| is_of_kind(&file.file_name().unwrap().to_string_lossy());
    let gone: Vec<_> = all.iter().filter(named).collect();
    gone.iter().for_each(|file| fs::remove_file(file).unwrap());
    gone.len()
}

#[test]
fn without_the_first_catalogs_of_all_targets_nothing_runs() {
    let is_first = |name: &str| name.starts_with("TensileLibrary_lazy_") || name.contains("_Mapping");
    let is_catalog = |name: &str| name.ends_with(".dat");
    let kinds: [&dyn Fn(&str) -> bool; 2] = [&is_first, &is_catalog];
    for (library, file, target, tree) in [
        ("rocblas", "librocblas.so.4", "gfx906", "rocm/lib/rocblas"),
        ("hipblaslt", "libhipblaslt.so.1", "gfx1151", "hipblaslt"),
    ] {
        for is_gone in kinds {
            for has_library in [false, true] {
                let root = tempfile::tempdir().unwrap();
                let lib = root.path().join("lib");
                copy(&fixture(tree), &lib.join(library));
                if has_library {
                    fs::write(lib.join(file), elf::library(&[(".rodata", b"TensileLibrary_lazy_")])).unwrap();
                }
                let path = root.path().to_str().unwrap();
                let answer =
                    || json_with_findings(&["--arch", target, path])["verdicts"][0]["answer"].clone();
                assert!(answer() != "not", "{tree}");
                assert!(remove(root.path(), is_gone) > 0, "{tree}");
                let answer = answer();
                assert!(answer == "not" || answer == "unknown", "{tree}, {has_library}: {answer}");
                let checked = run(&["check", "--require", target, path]);
                assert_eq!(checked.status.code(), Some(1), "{tree}, {has_library}");
                let survey = json_with_findings(&["survey", target, path]);
                let said = survey["verdicts"].to_string();
                assert!(!said.contains("\"answer\":\"runs\""), "{tree}, {has_library}: {said}");
            }
        }
    }
}
