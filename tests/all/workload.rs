//! `workload` on our own lists, and on lines as logged by libraries (`fixtures/workload`).

use crate::common::program;
use serde_json::Value;
use std::fs;

const LOG: &str = "fixtures/workload/program.log";
const CALLS: &str = "fixtures/workload/calls.jsonl";
const VEGA: [&str; 6] =
    ["--arch", "gfx900:xnack-", "--cu", "64", "fixtures/tensile/library", "fixtures/miopen"];

/// The words of a call.
fn call<'w>(words: &[&'w str]) -> Vec<&'w str> {
    [&["workload"], words].concat()
}

fn json(words: &[&str]) -> Value {
    program::json_with_findings(&call(words))
}

fn refused(words: &[&str]) -> String {
    program::refused(&call(words))
}

fn row(report: &Value, line: u64) -> &Value {
    report["rows"].as_array().unwrap().iter().find(|row| row["line"] == line).unwrap()
}

/// MIOpen's rules answer where no find-db of the device is, as `select conv` and `survey` do.
#[test]
fn convolutions_are_answered_without_a_find_db() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    fs::write(&file, "{\"conv\": \"fwd:fp32:n16:c64:h56:w56:k64:y3x3:p1\"}\n").unwrap();
    let words = [file.to_str().unwrap(), "--arch", "gfx1010", "--cu", "18", "fixtures/miopen"];
    let report = json(&words);
    let row = row(&report, 1);
    assert_eq!((&row["kind"], &report["find_db"]), (&"measured".into(), &false.into()), "{report}");
    let taken = row["taken"].as_array().unwrap();
    let selected = program::json(&[
        "select",
        "conv",
        "fwd:fp32:n16:c64:h56:w56:k64:y3x3:p1",
        "--arch",
        "gfx1010",
        "--cu",
        "18",
        "fixtures/miopen",
    ]);
    let candidates = selected["candidates"].as_array().unwrap().iter();
    let measured: Vec<&Value> =
        candidates.filter(|one| one["measured"] == true).map(|one| &one["solver"]).collect();
    assert_eq!(taken.iter().collect::<Vec<_>>(), measured);
    let screen = program::text(&call(&words));
    assert!(
        screen.contains("no find-db for the device is here") && !screen.contains("nothing for the device"),
        "{screen}"
    );
    // Without anything of MIOpen nothing is said of it.
    let words = [file.to_str().unwrap(), "--arch", "gfx1010", "--cu", "18", "fixtures/tensile/library"];
    let without = json(&words);
    assert_eq!(without["rows"][0]["kind"], "not-known", "{without}");
}

/// The contents of fixtures/hipblaslt's tables, by hand: an exact size, the cell (1024, 1024) with K of 512,
/// far below the first cell, exact sizes only, no kernel for the type.
#[test]
fn products_of_hipblaslt_say_how_far_they_are_from_what_was_tuned() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    let of = |ty: &str, sizes: [u64; 3], ta: &str| {
        let [m, n, k] = sizes;
        format!(
            "{{\"hipblaslt\": {{\"ty\": \"{ty}\", \"ta\": \"{ta}\", \"m\": {m}, \"n\": {n}, \"k\": {k}}}}}\n"
        )
    };
    let lines = [
        of("f16", [512, 512, 512], "T"),
        of("f16", [768, 1024, 512], "T"),
        of("f16", [2, 2, 64], "T"),
        of("f32", [100, 100, 100], "T"),
        of("f64", [64, 64, 64], "T"),
        of("HHS", [512, 512, 512], "N"),
    ];
    fs::write(&file, lines.concat()).unwrap();
    let report = json(&[file.to_str().unwrap(), "--arch", "gfx1151", "fixtures/hipblaslt"]);
    let kinds: Vec<Value> = (1..=6).map(|line| row(&report, line)["kind"].clone()).collect();
    assert_eq!(kinds, ["exact", "near", "far", "undetermined", "nothing", "nothing"]);
    assert_eq!(row(&report, 2)["distance"].as_f64(), Some(1024.0 / 768.0));
    assert_eq!(row(&report, 3)["distance"].as_f64(), Some(32.0));
    assert!(row(&report, 1)["taken"][0].as_str().unwrap().contains("_MT128x128x32_"));
}

#[test]
fn a_log_is_answered_line_by_line() {
    let report = json(&[&[LOG], &VEGA[..]].concat());
    assert_eq!(
        (&report["lines"]["all"], &report["lines"]["other"], &report["lines"]["wrong"]),
        (&11.into(), &3.into(), &1.into())
    );
    // Two equal lines are one problem; a profile counts its calls.
    assert_eq!((&row(&report, 3)["lines"], &row(&report, 3)["calls"]), (&2.into(), &2.into()));
    assert_eq!(row(&report, 6)["calls"], 7);
    // The trace is problem p0 of fixtures/tensile, whose kernel an independent model determines
    // (expect_tensile.py).
    let text =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tensile/answers.jsonl")).unwrap();
    let expected: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let trace = row(&report, 5);
    assert_eq!((&trace["taken"][0], &trace["kind"]), (&expected["kernel"], &"tuned".into()));
    assert_eq!(trace["flops"].as_u64().unwrap(), 2 * 2304_u64.pow(3));
    // The second line in the find-db fixture has the first convolution.
    let other = json(&[LOG, "--arch", "gfx900", "--cu", "56", "fixtures/miopen"]);
    let convolution = row(&other, 7);
    assert_eq!(convolution["problem"], "32-79-341-5x10-32-38-166-1-0x0-2x2-1x1-0-NCHW-FP32-F");
    assert_eq!(
        (&convolution["kind"], &convolution["taken"][0]),
        (&"hit".into(), &"ConvAsm5x10u2v2f1".into())
    );
    // That tree has no hipBLASLt catalogs.
    assert_eq!(row(&report, 9)["kind"], "not-known");
    let shares: f64 =
        report["ways"].as_array().unwrap().iter().map(|way| way["flops_share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    // A malformed line is reported with its number, and the rest is answered.
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["id"], &finding["locations"][0]["line"]),
        (&"line-not-understood".into(), &10.into())
    );
    assert_eq!(program::run(&call(&[&[LOG], &VEGA[..]].concat())).status.code(), Some(1));
}

#[test]
fn a_list_is_answered_by_every_library() {
    let report = json(&[CALLS, "--arch", "gfx1100", "fixtures/ggml/plain"]);
    assert_eq!(report["calls"], 32 + 32 + 4 + 64 + 32 + 8);
    let product = row(&report, 4);
    assert_eq!((&product["library"], &product["kind"]), (&"ggml".into(), &"absent".into()));
    assert_eq!(product["taken"][0], "mul_mat_q<(ggml_type)2, 128, false, (ggml_prec)30>");
    assert_eq!(row(&report, 1)["kind"], "not-known");
    // Without a library the rules alone answer.
    let alone = json(&[CALLS, "--arch", "gfx1100"]);
    assert_eq!((&row(&alone, 4)["kind"], &alone["ggml"]), (&"own-kernel".into(), &Value::Null));
    let lines =
        String::from_utf8(program::run(&call(&[CALLS, "--arch", "gfx1100", "-f", "jsonl"])).stdout).unwrap();
    assert_eq!(lines.lines().count(), 6);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn standard_input_is_read() {
    let input = b"noise\n{\"ggml\": \"mm q4_0 K256 N256 ne11=1 prec=0\"}\n";
    let output = program::run_with(&call(&["-", "--arch", "gfx906", "-f", "json"]), input);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["file"], &report["problems"]), (&"standard input".into(), &1.into()));
}

#[test]
fn calls_that_cannot_be_answered_are_refused() {
    assert!(refused(&[LOG]).contains("name the one card"));
    assert!(refused(&["fixtures/ggml", "--arch", "gfx906"]).contains("is a folder"));
    assert!(refused(&["nothing.log", "--arch", "gfx906"]).contains("no such file"));
    assert!(refused(&["Cargo.toml", "--arch", "gfx906"]).contains("no line of Cargo.toml is a problem"));
}

#[test]
fn screens_fit() {
    for width in [80, 120] {
        let output = program::run_at(width, &call(&[&[LOG], &VEGA[..]].concat()));
        let text = String::from_utf8(output.stdout).unwrap();
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{width}: {widest}\n{text}");
    }
}

/// Backward data at which the real library (3.4.0) dies of SIGFPE on gfx90a, and the same with a stride that
/// it survives.
#[test]
fn an_operation_at_which_miopen_dies_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    let of =
        |w: u32, stride: u32| format!("{{\"conv\": \"bwd:bf16:n16:c10:h1:w{w}:k56:y1x5:s{stride}:p2\"}}\n");
    fs::write(&file, [of(24, 1), of(24, 4)].concat()).unwrap();
    let databases = folder.path().join("db");
    fs::create_dir(&databases).unwrap();
    fs::write(databases.join("gfx90a68.HIP.fdb.txt"), "").unwrap();
    let [file, databases] = [&file, &databases].map(|path| path.to_str().unwrap());
    let report = json(&[file, "--arch", "gfx90a", "--cu", "104", databases]);
    let found = report["findings"].as_array().unwrap().iter();
    let crashes: Vec<&Value> = found.filter(|found| found["id"] == "convolution-crashes").collect();
    assert_eq!(crashes.len(), 1, "{crashes:?}");
    assert_eq!(crashes[0]["locations"][0]["line"], 2);
    assert!(crashes[0]["detail"].as_str().unwrap().contains("GTCDynamicBwdXdlopsNHWC"), "{crashes:?}");
}

/// ViT-B/32's patch embedding, at which the real library (3.4.0) dies of SIGFPE in a find of mode NORMAL only.
#[test]
fn the_find_mode_decides_where_miopen_dies() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.jsonl");
    fs::write(&file, "{\"conv\": \"fwd:fp32:n1:c3:h224:w224:k768:y32x32:s32\"}\n").unwrap();
    let call = [file.to_str().unwrap(), "--arch", "gfx900", "--cu", "56", "fixtures/miopen"];
    let dies = |more: &[&str]| {
        let report = json(&[&call[..], more].concat());
        let found = report["findings"].as_array().unwrap();
        let dies = found.iter().any(|found| found["id"] == "convolution-crashes");
        (dies, report["environment"].clone())
    };
    assert_eq!(dies(&[]), (false, serde_json::json!({})));
    let mode = serde_json::json!({"MIOPEN_FIND_MODE": "NORMAL"});
    assert_eq!(dies(&["--env", "MIOPEN_FIND_MODE=NORMAL"]), (true, mode));
    let wrong = refused(&[&call[..], &["--env", "MODE"]].concat());
    assert!(wrong.contains("--env MODE: NAME=VALUE is expected"), "{wrong}");
}

/// One list for all: each selector answers its own lines as `workload` does, and says of the others whose
/// they are not.
#[test]
fn selectors_read_lists_and_lists_have_lines_of_selectors() {
    let of = |words: &[&str]| -> Vec<Value> {
        let out = program::run(words);
        program::shown(&out).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let report = json(&[&[CALLS], &VEGA[..]].concat());
    let gemm = of(&[
        "select",
        "gemm",
        "--problems",
        CALLS,
        "--arch",
        "gfx900:xnack-",
        "--cu",
        "64",
        "-f",
        "jsonl",
        "fixtures/tensile/library",
    ]);
    assert_eq!(gemm.len(), 6);
    let kernel = |line: &Value| line["kernel"].clone();
    assert_eq!(kernel(&gemm[1]), row(&report, 2)["taken"][0]);
    assert_eq!(gemm[0]["id"], "1");
    for other in &gemm[2..] {
        assert!(other["error"].as_str().unwrap().contains("another library"), "{other}");
    }

    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.jsonl");
    let lines = [
        r#"{"id": "x", "arch": "gfx1010", "cus": 20, "api": "gemm_ex", "ty": "HHS", "ta": "T", "tb": "N", "m": 4096, "n": 512, "k": 4096, "batch": 1, "ld": [4096, 4096, 4096, 4096], "stride": [0, 0, 0, 0], "alpha": 1, "beta": 0}"#,
        r#"{"key": "32-79-341-5x10-32-38-166-1-0x0-2x2-1x1-0-NCHW-FP32-F", "arch": "gfx1030", "cu": 36}"#,
        r#"{"arch": "gfx1030", "query": "mm q4_0 K4096 N4096 ne11=512 prec=0", "weight": 3}"#,
        r#"{"key": "32-79-341-5x10-32-38-166-1-0x0-2x2-1x1-0-NCHW-FP32-F", "options": {"without": ["x"]}}"#,
        r#"{"m": 1}"#,
    ];
    fs::write(&own, lines.join("\n")).unwrap();
    let read = json(&[&[own.to_str().unwrap()], &VEGA[..]].concat());
    assert_eq!(row(&read, 1)["way"], row(&report, 1)["way"]);
    assert_eq!(row(&read, 2)["kind"], row(&report, 3)["kind"]);
    assert_eq!(row(&read, 3)["calls"], 3);
    let wrong: Vec<&str> = read["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|f| f["locations"][0]["what"].as_str())
        .collect();
    assert!(
        wrong.iter().any(|what| what.contains("has options"))
            && wrong.iter().any(|what| what.contains("gemm (or ty)")),
        "{wrong:?}"
    );

    let routes = program::run(&[
        "select",
        "mul-mat",
        "--problems",
        own.to_str().unwrap(),
        "--arch",
        "gfx900",
        "fixtures/ggml/plain",
    ]);
    let routes = program::shown(&routes);
    let listed: Vec<&str> = routes.lines().collect();
    assert!(listed[3].starts_with("gfx1030\tmm q4_0 K4096") && !listed[3].contains("error"), "{listed:?}");
}
