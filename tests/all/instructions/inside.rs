//! `fatbin --isa KERNEL --inside`: blocks begin at the branch targets in LLVM's disassembly, and kernels can
//! be selected by occupancy.

use crate::common::program::run;
use serde_json::Value;
use std::collections::BTreeSet;

/// For each kernel in LLVM's disassembly: its name, and the offsets of its branch targets, except the next
/// instruction.
fn branches(text: &str) -> Vec<(String, BTreeSet<u64>)> {
    let mut all: Vec<(String, BTreeSet<u64>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split('<').nth(1)) {
            all.push((name.to_owned(), BTreeSet::new()));
        }
        if !line.trim_start().starts_with("s_cbranch") && !line.trim_start().starts_with("s_branch") {
            continue;
        }
        let target = line.rsplit("+0x").next().and_then(|rest| rest.strip_suffix('>'));
        let target = target.and_then(|hex| u64::from_str_radix(hex, 16).ok());
        if let (Some((_, targets)), Some(target)) = (all.last_mut(), target) {
            targets.insert(target);
        }
    }
    all
}

#[test]
fn blocks_begin_where_the_branches_of_llvm_lead() {
    let mut seen = 0;
    for processor in ["gfx900", "gfx1100"] {
        let file = format!("fixtures/instructions/kernels_{processor}.co");
        let text = std::fs::read_to_string(file.replace(".co", ".objdump.txt")).unwrap();
        let out = run(&["fatbin", &file, "--isa=.", "--inside", "-f", "json"]);
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        let kernels = report["files"][0]["kernel_instructions"].as_array().unwrap();
        for (name, expected) in branches(&text) {
            let Some(kernel) = kernels.iter().find(|kernel| kernel["name"] == name.as_str()) else {
                continue;
            };
            let blocks = kernel["inside"]["blocks"].as_array().unwrap();
            let mut targets = BTreeSet::new();
            for block in blocks {
                let end = block["offset"].as_u64().unwrap() + block["bytes"].as_u64().unwrap();
                let next = block["successors"].as_array().unwrap().iter().map(|to| to.as_u64().unwrap());
                targets.extend(next.filter(|to| *to != end));
            }
            let starts: BTreeSet<u64> =
                blocks.iter().map(|block| block["offset"].as_u64().unwrap()).collect();
            assert!(expected.is_subset(&starts), "{processor} {name}");
            assert!(targets.is_subset(&expected), "{processor} {name}: {targets:x?}");
            seen += expected.len();
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn a_page_fits_a_terminal_and_says_what_limits() {
    let file = "fixtures/instructions/kernels_gfx1100.co";
    let out = run(&["fatbin", file, "--isa=real_lds", "--inside"]);
    let text = String::from_utf8(out.stdout).unwrap();
    for part in
        ["occupancy", "waves on a SIMD unit", "(dynamic LDS) is not", "in use", "with EXEC", "loop", "block"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let refused = run(&["fatbin", file, "--isa", "--inside"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("name them"));
}

#[test]
fn a_kernel_that_only_traps_has_no_occupancy_on_the_screen() {
    let file = "fixtures/instructions/kernels_gfx1100.co";
    let out = run(&["fatbin", file, "--isa=.", "--inside", "-f", "json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let kernels = report["files"][0]["kernel_instructions"].as_array().unwrap();
    let stub = kernels.iter().find(|kernel| kernel["body"] == "trap-stub").unwrap();
    let name = stub["name"].as_str().unwrap();
    let text =
        String::from_utf8(run(&["fatbin", file, &format!("--isa={name}"), "--inside"]).stdout).unwrap();
    assert!(text.contains("does nothing but trap"), "{text}");
    assert!(!text.contains("waves on a SIMD unit"), "{text}");
}

/// By the register files of LLVM: 128 vector registers are 4 waves of 512 on gfx90a, more registers fewer.
/// Tensile's assembly leaves accumulation registers out of its metadata. Lists take the registers of the descriptor
/// then, as the page of a kernel does, whose occupancy was compared with LLVM's.
#[test]
fn lists_know_the_occupancy_of_assembly_by_its_descriptors() {
    let library = "fixtures/rocm/lib/rocblas/library";
    let mut seen = 0;
    for entry in std::fs::read_dir(library).unwrap() {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        if !path.ends_with("gfx90a.co") {
            continue;
        }
        let page = crate::common::program::json(&["fatbin", "--isa=.", "--inside", path]);
        let listed = run(&["fatbin", "-k", "-f", "csv", path]).stdout;
        let mut rows = csv::Reader::from_reader(&listed[..]);
        let heads = rows.headers().unwrap().clone();
        let column = |name: &str| heads.iter().position(|head| head == name).unwrap();
        let (name, occupancy) = (column("name"), column("occupancy"));
        let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
        let kernels = page["files"][0]["kernel_instructions"].as_array().unwrap();
        assert_eq!(rows.len(), kernels.len(), "{path}");
        for kernel in kernels {
            let row = rows.iter().find(|row| kernel["name"] == row[name]).unwrap();
            let waves = kernel["inside"]["occupancy"]["waves"].to_string();
            assert_eq!(row[occupancy], waves, "{path} {}", kernel["name"]);
            seen += 1;
        }
    }
    assert!(seen > 6, "{seen}");
}

#[test]
fn kernels_are_chosen_by_occupancy() {
    let out = run(&["fatbin", "fixtures/rocm", "--where", "occupancy <= 4", "-f", "jsonl"]);
    let lines: Vec<Value> = String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kernels: Vec<&Value> = lines.iter().filter(|line| line["type"] == "kernel").collect();
    assert!(kernels.iter().any(|kernel| kernel["name"] == "fx_vgpr_spill" && kernel["occupancy"] == 4));
    for kernel in kernels {
        assert!(kernel["occupancy"].as_u64().unwrap() <= 4, "{kernel}");
        assert!(!kernel["occupancy_limited_by"].as_array().unwrap().is_empty(), "{kernel}");
    }
}
