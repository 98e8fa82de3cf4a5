//! `diff --kernels` on a code object and a copy in which a few bytes are others: what changes no kernel is no
//! change, and each edit is found under its kind.
#![cfg(unix)]

use crate::common::bundles::bundle_for;
use crate::common::program::{json, run};
use serde_json::Value;
use std::fs;

/// Two kernels of gfx1100, `dot_rows` and `scale`, with symbols and debug information.
fn object() -> Vec<u8> {
    fs::read("fixtures/lines/lines_gfx1100.co").unwrap()
}

/// Writes bytes over others of the same length that stand once in the file.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    assert_eq!(old.len(), new.len());
    let found: Vec<usize> = memchr::memmem::find_iter(bytes, old).collect();
    let [at] = found[..] else { panic!("{old:x?} at {found:?}") };
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// The same for words of machine code.
fn reword(bytes: &mut [u8], old: &[u32], new: &[u32]) {
    let stored = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    replace(bytes, &stored(old), &stored(new));
}

/// Sets a number of the metadata of `dot_rows`, which is the first kernel there.
fn set_number(bytes: &mut [u8], key: &str, old: u8, new: u8) {
    let at = memchr::memmem::find(bytes, key.as_bytes()).unwrap() + key.len();
    assert_eq!(bytes[at], old);
    bytes[at] = new;
}

/// The comparison of the file as it is with others, and what `diff` ends with where a condition may fail it.
fn compared(new: &[u8], fail_on: &str) -> (Value, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |side: &str, bytes: &[u8]| {
        let file = folder.path().join(side).join("kernels.co");
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, bytes).unwrap();
        file.parent().unwrap().to_str().unwrap().to_owned()
    };
    let (old, new) = (write("old", &object()), write("new", new));
    let status = run(&["diff", "--kernels", "--fail-on", fail_on, &old, &new]).status.code();
    (json(&["diff", "--kernels", &old, &new])["kernels"].clone(), status)
}

/// Kernels of gfx1100 that are the same, and all of the others by their kind.
fn kinds(report: &Value) -> (u64, Vec<(&'static str, u64)>) {
    let code = &report["targets"][0]["code"];
    let of = |kind: &str| code[kind].as_u64().unwrap_or_else(|| panic!("{kind}: {report}"));
    let all = ["addresses", "registers", "waits", "order", "instructions"];
    let found = all.into_iter().map(|kind| (kind, of(kind))).filter(|(_, count)| *count > 0);
    (of("same"), found.collect())
}

/// A number of the only changed kernel before and now.
fn number(report: &Value, what: &str) -> (u64, u64) {
    let changed = report["changed"].as_array().unwrap();
    assert_eq!((changed.len(), &changed[0]["name"]), (1, &Value::from("dot_rows")), "{report}");
    let numbers = changed[0]["numbers"].as_array().unwrap();
    let found = numbers.iter().find(|number| number["what"] == what);
    let found = found.unwrap_or_else(|| panic!("no {what}: {report}"));
    (found["before"].as_u64().unwrap(), found["after"].as_u64().unwrap())
}

/// Without its symbol table and debug information, as `llvm-strip` leaves a file: `.dynsym` stays.
fn stripped(mut bytes: Vec<u8>) -> Vec<u8> {
    let number = |at: usize, size: usize| -> usize {
        bytes[at..at + size].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))
    };
    let (first, size, count) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let names = number(first + number(0x3e, 2) * size + 24, 8);
    let headers: Vec<usize> = (0..count).map(|section| first + section * size).collect();
    let goes = |header: &usize| {
        let name = &bytes[names + number(*header, 4)..];
        name.starts_with(b".debug") || name.starts_with(b".symtab\0") || name.starts_with(b".strtab\0")
    };
    let gone: Vec<usize> = headers.into_iter().filter(goes).collect();
    assert!(gone.len() > 4, "{gone:?}");
    for header in gone {
        let content = header + 24;
        let place = |at: usize| usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()));
        let (from, length) = (place(content).unwrap(), place(content + 8).unwrap());
        bytes[from..from + length].fill(0);
        bytes[header + 4..header + size].fill(0);
    }
    bytes
}

#[test]
fn what_is_no_change_to_a_kernel_is_none() {
    let mut other_path = object();
    for at in memchr::memmem::find_iter(&object(), b"/src/rows") {
        other_path[at..at + 9].copy_from_slice(b"/home/doe");
    }
    assert_ne!(other_path, object());
    let rows = [
        ("other paths", other_path),
        ("stripped", stripped(object())),
        ("in a bundle", bundle_for(&[("gfx1100", &object())], 4096)),
    ];
    for (what, bytes) in rows {
        let (report, status) = compared(&bytes, "fewer-waits,lost-kernel,more-spills,lower-occupancy");
        assert_eq!((kinds(&report), status), ((2, vec![]), Some(0)), "{what}");
        assert_eq!(report["changed"], Value::Array(vec![]), "{what}");
        assert_eq!(report["targets"][0]["before"], 2, "{what}");
    }
}

/// Words are what llvm-mc 22 makes of the texts for gfx1100.
#[test]
fn edits_of_code_are_found_under_their_kind() {
    let edited = |old: &[u32], new: &[u32]| {
        let mut bytes = object();
        reword(&mut bytes, old, new);
        compared(&bytes, "fewer-waits")
    };
    // `s_waitcnt vmcnt(1)` before `v_max_f32_e32 v7, v7, v7` becomes `s_waitcnt vmcnt(0)`.
    let (report, status) = edited(&[0xbf89_07f7, 0x200e_0f07], &[0xbf89_03f7, 0x200e_0f07]);
    assert_eq!((kinds(&report), status), ((1, vec![("waits", 1)]), Some(0)));
    // `v_mov_b32_e32 v5, 0` and `s_mov_b32 s1, exec_lo` change places.
    let (report, _) = edited(&[0x7e0a_0280, 0xbe81_007e], &[0xbe81_007e, 0x7e0a_0280]);
    assert_eq!(kinds(&report), (1, vec![("order", 1)]));
    // The last `s_nop 0` before the loop becomes a branch to itself, `s_cbranch_scc0 -1`.
    let (report, _) =
        edited(&[0xbf80_0000, 0xdc52_0000, 0x077c_0003], &[0xbfa1_ffff, 0xdc52_0000, 0x077c_0003]);
    assert_eq!(kinds(&report), (1, vec![("instructions", 1)]));
    assert_eq!(number(&report, "branches"), (2, 3));
    // `global_load_b32 v7, v[3:4], off` becomes `scratch_load_b32 v7, off, off`.
    let (report, _) = edited(&[0xdc52_0000, 0x077c_0003], &[0xdc51_0000, 0x077c_0000]);
    assert_eq!(kinds(&report), (1, vec![("instructions", 1)]));
    assert_eq!(number(&report, "scratch-instructions"), (0, 1));
}

/// `v7` of the loop becomes `v9` in each of its five instructions, which nothing else uses.
#[test]
fn other_registers_alone_are_said_to_be_that() {
    let mut bytes = object();
    reword(&mut bytes, &[0xdc52_0000, 0x077c_0003], &[0xdc52_0000, 0x097c_0003]);
    reword(&mut bytes, &[0x200e_0f07, 0x200e_0e80], &[0x2012_1309, 0x2012_1280]);
    reword(&mut bytes, &[0x100e_0f08, 0x060a_0f05], &[0x1012_1308, 0x060a_1305]);
    let (report, status) = compared(&bytes, "fewer-waits,more-spills,lower-occupancy");
    assert_eq!((kinds(&report), status), ((1, vec![("registers", 1)]), Some(0)));
}

#[test]
fn spills_scratch_and_fewer_waves_are_worse() {
    let mut spills = object();
    set_number(&mut spills, ".vgpr_spill_count", 0, 5);
    set_number(&mut spills, ".private_segment_fixed_size", 0, 64);
    let (report, status) = compared(&spills, "more-spills");
    assert_eq!((kinds(&report), status), ((2, vec![]), Some(1)));
    assert_eq!((number(&report, "spills"), number(&report, "scratch")), ((0, 5), (0, 64)));
    assert_eq!(report["changed"][0]["is_worse"], true);
    // 127 registers of 1,536 in steps of 24 leave ten waves in a SIMD unit, nine leave all 16.
    let mut wide = object();
    set_number(&mut wide, ".vgpr_count", 9, 127);
    let (report, status) = compared(&wide, "lower-occupancy");
    assert_eq!((number(&report, "vgprs"), number(&report, "occupancy")), ((9, 127), (16, 10)));
    assert_eq!(status, Some(1));
    assert_eq!(compared(&wide, "more-spills").1, Some(0));
}
