//! The inside of kernels: places in code with their source lines, and bytes by source.

use crate::common::program::{run, said};
use crate::common::trees::kernels_without_waits;
use serde_json::Value;

const LINES: &str = "fixtures/lines/lines_gfx1100.co";

fn json(call: &[&str]) -> Value {
    let out = run(&[call, &["-f", "json"]].concat());
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{call:?}: {}", said(&out)))
}

/// The chain at an address, as llvm-symbolizer writes it in `fixtures/lines/lines.tsv`.
fn expected(address: u64) -> String {
    let text = std::fs::read_to_string("fixtures/lines/lines.tsv").unwrap();
    let start = format!("lines_gfx1100\t{address:#x}\t");
    text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().to_owned()
}

fn chain(frames: &Value) -> String {
    let frame = |frame: &Value| {
        let text = |field: &str| frame[field].as_str().unwrap_or("??").to_owned();
        format!("{}@{}:{}", text("function"), text("file"), frame["line"])
    };
    frames.as_array().unwrap().iter().map(frame).collect::<Vec<_>>().join("|")
}

/// A kernel whose waits are taken out uses what it loads too early; as it was compiled, it does not.
#[test]
fn missing_waits_are_found_and_fail_a_build() {
    let call = |path: &str| run(&["fatbin", "--waits", "--fail-on", "result-used-early", path, "-f", "json"]);
    let waits = |out: &std::process::Output| -> Value {
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        report["files"][0]["waits"].clone()
    };
    let whole = call(LINES);
    assert_eq!(whole.status.code(), Some(0), "{}", said(&whole));
    assert_eq!(
        (&waits(&whole)["missing"], &waits(&whole)["kernels"]),
        (&serde_json::json!([]), &Value::from(2))
    );
    // By llvm-readelf 22: `__clang_ocl_kern_imp_dot_rows` and `__clang_ocl_kern_imp_scale` are no kernels.
    assert_eq!(waits(&whole)["functions"], 2);
    assert_eq!(waits(&whole)["function_bytes"], 320 + 72);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("without_waits.co");
    std::fs::write(&path, kernels_without_waits(|_| true)).unwrap();
    let hasty = call(path.to_str().unwrap());
    assert_eq!(hasty.status.code(), Some(1), "{}", said(&hasty));
    let found = waits(&hasty);
    let first = &found["missing"][0];
    assert!(found["missing_each_time"].as_u64() > Some(1), "{found}");
    assert_eq!(
        (&first["when"], &first["misuse"]),
        (&Value::from("each-time"), &Value::from("read")),
        "{first}"
    );
    assert!(first["source_text"].as_str().unwrap().contains("load"), "{first}");
}

#[test]
fn a_place_is_found_by_offset_and_by_kernel() {
    // The kernel begins at 0x900 of the file, which is address 0x1900.
    for place in ["0xa28", "2600", "dot_rows+0x128", "dot_rows+296"] {
        let found = json(&["fatbin", "--at", place, LINES]);
        let place = &found["places"][0];
        assert_eq!(place["function"], "dot_rows", "{place}");
        assert_eq!((&place["offset"], &place["address"]), (&Value::from(0x128), &Value::from(0x1a28)));
        assert_eq!(chain(&place["source"]), expected(0x1a28));
        let here: Vec<&Value> =
            place["instructions"].as_array().unwrap().iter().filter(|one| one["is_here"] == true).collect();
        assert_eq!((here.len(), &here[0]["text"]), (1, &Value::from("v_add_f32_e32 v5, v5, v7")));
    }
}

#[test]
fn places_outside_of_code_are_named() {
    for (place, what) in [
        ("0", "outside of its code"),
        ("0xfffffff", "behind the end of the file"),
        ("0x90a", "within an instruction"),
        ("dot_rows+0x10000", "behind the end of the kernel"),
        ("no_such_kernel+4", "no kernel of this name"),
    ] {
        let out = run(&["fatbin", "--at", place, LINES]);
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(text.contains(what), "{place}: {text}{}", said(&out));
    }
    let output = run(&["fatbin", "--at", "no_such_kernel+4", LINES]);
    assert_eq!(output.status.code(), Some(1), "as grep does");
    let wrong = run(&["fatbin", "--at", "banana", LINES]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said(&wrong).contains("mul_mat_q+0x40"), "{}", said(&wrong));
}

#[test]
fn bytes_by_source_add_up() {
    for file in [LINES, "fixtures/lines/lines_gfx906.co", "fixtures/rocm/lib/librocblas.so.4.4"] {
        let report = json(&["fatbin", "--sources", file, "--fail-on", "never"]);
        let file = &report["files"][0];
        let sources = &file["code_sources"];
        let sum = |rows: &Value| {
            rows.as_array().unwrap().iter().map(|row| row["bytes"].as_u64().unwrap()).sum::<u64>()
        };
        let (code, between) =
            (sources["code_bytes"].as_u64().unwrap(), sources["outside_functions"].as_u64().unwrap());
        assert_eq!(sum(&sources["files"]) + sources["without_lines"].as_u64().unwrap() + between, code);
        assert_eq!(sum(&sources["families"]) + between, code);
        assert_eq!(sum(&sources["kernels"]) + between, code);
        // All code of the file, by the other count of its bytes.
        let packed = !file["where_the_unpacked_bytes_are"].as_array().unwrap().is_empty();
        let classes = if packed { "where_the_unpacked_bytes_are" } else { "where_the_bytes_are" };
        let all = file[classes].as_array().unwrap().iter().find(|row| row["class"] == "device-code").unwrap();
        assert_eq!(all["bytes"], code);
    }
}

#[test]
fn a_kernel_has_its_lines_and_registers_at_each_instruction() {
    let report = json(&["fatbin", "--isa=^dot_rows$", "--inside", LINES, "--fail-on", "never"]);
    let kernel = &report["files"][0]["kernel_instructions"][0];
    let inside = &kernel["inside"];
    let instructions = inside["instructions"].as_array().unwrap();
    assert_eq!(Value::from(instructions.len()), kernel["instructions"]);
    let most = instructions.iter().map(|one| one["live_vgprs"].as_u64().unwrap()).max().unwrap();
    assert_eq!(Value::from(most), inside["registers"][0]["live_with_exec"]);
    let (source, mut seen) = (&kernel["source"], 0);
    for stretch in source["stretches"].as_array().unwrap() {
        let chain_of = &source["chains"][stretch["chain"].as_u64().unwrap() as usize];
        let address = 0x1900 + stretch["offset"].as_u64().unwrap();
        assert_eq!(chain(chain_of), expected(address));
        seen += stretch["bytes"].as_u64().unwrap();
    }
    assert_eq!(seen, 384);
}

#[test]
fn a_page_draws_every_block_and_leads_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("kernel.html");
    let written = run(&["fatbin", "--isa=^dot_rows$", "--inside", "-q", "-o", page.to_str().unwrap(), LINES]);
    assert!(page.exists(), "{}", said(&written));
    let page = std::fs::read_to_string(page).unwrap();
    for block in ["0x0", "0x34", "0xc0", "0x134", "0x138"] {
        assert_eq!(page.matches(&format!("href=\"#k0-{block}\"")).count(), 1, "{block}");
        assert_eq!(page.matches(&format!("id=\"k0-{block}\"")).count(), 1, "{block}");
    }
    // One loop, of one block.
    assert_eq!(page.matches("class=\"back\"").count(), 1);
    assert!(page.contains("lines.h:12"));
}

#[test]
fn a_kernel_that_only_traps_has_no_occupancy() {
    let list = json(&["fatbin", "--kernels", "--isa", "fixtures/ggml", "--fail-on", "never"]);
    let mut stubs = 0;
    for kernel in list["kernels"].as_array().unwrap().iter().filter(|kernel| kernel["body"] == "trap-stub") {
        assert_eq!(kernel["occupancy"], Value::Null, "{}", kernel["name"]);
        stubs += 1;
    }
    assert!(stubs > 0);
}
