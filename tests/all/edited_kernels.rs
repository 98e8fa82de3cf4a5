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

/// The two kernels for gfx906.
fn for_gfx906() -> Vec<u8> {
    fs::read("fixtures/lines/lines_gfx906.co").unwrap()
}

/// The first `v_mov_b32_e32 v5, 0` behind a word becomes one that llvm-mc 22 decodes for neither target.
fn with_a_word_of_no_instruction(mut bytes: Vec<u8>, before: u32) -> Vec<u8> {
    reword(&mut bytes, &[before, 0x7e0a_0280], &[before, 0x7e0b_fe80]);
    bytes
}

/// The comparison of two trees of such files.
fn compared_trees(old: &[(&str, Vec<u8>)], new: &[(&str, Vec<u8>)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let write = |side: &str, files: &[(&str, Vec<u8>)]| {
        let tree = folder.path().join(side);
        fs::create_dir(&tree).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(tree.join(name), bytes).unwrap());
        tree.to_str().unwrap().to_owned()
    };
    let (old, new) = (write("old", old), write("new", new));
    json(&["diff", "--kernels", &old, &new])
}

/// Whatever has a fingerprint, and whatever has none, is looked through for such words.
#[test]
fn words_of_no_instruction_are_found_in_what_is_compared_and_in_what_is_not() {
    let found = |old: &[(&str, Vec<u8>)], new: &[(&str, Vec<u8>)]| {
        let report = compared_trees(old, new);
        let rows = |way: &str| {
            let rows = report["finding_changes"][way].as_array().unwrap();
            let of_words = rows.iter().filter(|row| row["id"] == "words-of-no-instruction");
            of_words.map(|row| row["target"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        (rows("new"), rows("gone"))
    };
    let as_it_was = [("a.co", object())];
    let spoilt = [("a.co", with_a_word_of_no_instruction(object(), 0xf800_0010))];
    assert_eq!(found(&as_it_was, &as_it_was), (vec![], vec![]));
    assert_eq!(found(&as_it_was, &spoilt), (vec!["gfx1100".to_owned()], vec![]));
    assert_eq!(found(&spoilt, &as_it_was), (vec![], vec!["gfx1100".to_owned()]));
    let more = [("a.co", object()), ("b.co", with_a_word_of_no_instruction(for_gfx906(), 0x7d88_0007))];
    assert_eq!(found(&as_it_was, &more), (vec!["gfx906".to_owned()], vec![]));
    assert_eq!(found(&more, &as_it_was), (vec![], vec!["gfx906".to_owned()]));
}

#[test]
fn a_target_that_one_side_has_changes_nothing_in_what_both_have() {
    let (one, both) = ([("b.co", object())], [("a.co", for_gfx906()), ("b.co", object())]);
    for (old, new, [before, after]) in [(&one[..], &both[..], [0, 2]), (&both[..], &one[..], [2, 0])] {
        let report = compared_trees(old, new);
        let targets = report["kernels"]["targets"].as_array().unwrap();
        let [gfx906, gfx1100] = &targets[..] else { panic!("{report}") };
        assert_eq!((&gfx906["before"], &gfx906["after"]), (&before.into(), &after.into()));
        assert_eq!((&gfx906["code"], &gfx1100["code"]["same"]), (&Value::Null, &2.into()), "{report}");
    }
    // Where both have it, in whatever files and order, it is compared.
    let (here, there) =
        ([("a.co", for_gfx906()), ("b.co", object())], [("b.co", object()), ("c.co", for_gfx906())]);
    for (old, new) in [(&here, &there), (&there, &here)] {
        let report = compared_trees(old, new);
        for target in report["kernels"]["targets"].as_array().unwrap() {
            assert_eq!(
                (&target["code"]["same"], &target["lost"], &target["added"]),
                (&2.into(), &0.into(), &0.into())
            );
        }
        assert_eq!(report["kernels"]["changed"], Value::Array(vec![]));
    }
}

/// A kernel whose bytes another one had is not that one, and what was decoded before it does not matter.
#[test]
fn the_same_code_under_another_name_is_another_kernel() {
    let renamed = |mut bytes: Vec<u8>| {
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, b"scale").collect();
        places.into_iter().for_each(|at| bytes[at + 4] = b'x');
        bytes
    };
    let report = compared_trees(&[("a.co", object())], &[("a.co", renamed(object()))]);
    assert_eq!(kinds(&report["kernels"]), (1, vec![]));
    let names = |list: &str| -> Vec<String> {
        let rows = report["kernels"][list].as_array().unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((names("lost"), names("added")), (vec!["scale".to_owned()], vec!["scalx".to_owned()]));
    // In the same files, with a third in which both names are there.
    let edited = with_a_word_of_no_instruction(object(), 0xf800_0010);
    let old = [("a.co", object()), ("b.co", renamed(edited.clone()))];
    let new = [("a.co", renamed(object())), ("b.co", edited)];
    let report = compared_trees(&old, &new);
    assert_eq!(report["kernels"]["targets"][0]["code"]["same"], 4, "{report}");
    assert_eq!(report["kernels"]["changed"], Value::Array(vec![]), "{report}");
}
