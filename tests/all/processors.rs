//! Processors newer than the releases in most trees.
#![cfg(feature = "cli")]

use crate::common::fixture;
use crate::common::program::{json_with_findings, run};
use std::fs;
use tempfile::TempDir;

/// A folder with a code object with these `e_flags`.
fn code_object(flags: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(fixture("rocm/lib/codeobject/v5_gfx1030.hsaco")).unwrap();
    bytes[0x30..0x34].copy_from_slice(&flags.to_le_bytes());
    fs::write(folder.path().join("kernel.hsaco"), bytes).unwrap();
    folder
}

/// The targets in a tree, and the answer for one of them.
fn said(folder: &TempDir, target: &str) -> (Vec<String>, String) {
    let path = folder.path().to_str().unwrap();
    let report = json_with_findings(&["--arch", target, path]);
    let verdict = &report["verdicts"][0];
    let here = verdict["here"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    (here.collect(), verdict["answer"].as_str().unwrap().to_owned())
}

#[test]
fn the_first_silicon_of_a_gpu_is_a_target_of_its_own() {
    // EF_AMDGPU_MACH_AMDGCN_GFX1250_STRICT in LLVM's main, with XNACK unsupported, any, or on.
    for xnack in [0x000, 0x100, 0x300] {
        let strict = code_object(0xeb | xnack);
        let (here, answer) = said(&strict, "gfx1250-strict");
        assert_eq!((here, answer.as_str()), (vec!["gfx1250-strict".to_owned()], "runs"), "{xnack:#x}");
        assert_eq!(said(&strict, "gfx1250").1, "not");
    }
    // Code made for all of them runs on both.
    for target in ["gfx1250", "gfx1250-strict", "gfx1251"] {
        assert_ne!(said(&code_object(0x5b | 0x300 | 1 << 24), target).1, "not", "{target}");
    }
}

#[test]
fn numbers_that_no_table_names_stay_numbers() {
    for number in ["mach_0x60", "mach_0x70", "mach_0xec"] {
        let mach = u32::from_str_radix(number.trim_start_matches("mach_0x"), 16).unwrap();
        let (here, answer) = said(&code_object(mach), number);
        assert_eq!((here, answer.as_str()), (vec![number.to_owned()], "runs"));
    }
    let word = run(&["list", "arches"]);
    let all = String::from_utf8(word.stdout).unwrap();
    for name in ["gfx1171", "gfx1172", "gfx1310", "gfx11-7-generic", "gfx13-generic", "gfx12-5-generic"] {
        assert!(all.contains(name), "{name}");
    }
}
