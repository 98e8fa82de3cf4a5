//! Every JSON document says at its top whether everything could be read, and contains all findings; errors
//! are documents, too; and a document with verdicts only is small.

use crate::common::program::run;
use rocm_audit::report::v1::document::DOCUMENTS;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The document of a call that must end with this status.
fn json(words: &[&str], status: i32) -> Value {
    let output = run(words);
    assert_eq!(output.status.code(), Some(status), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{words:?}: {error}: {}", String::from_utf8_lossy(&output.stdout)))
}

fn ids(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|finding| finding["id"].as_str().unwrap()).collect()
}

/// A truncated copy of a fixture, with this percentage of its bytes, in its own folder.
fn cut(fixture: &str, percent: usize) -> (TempDir, String) {
    let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(Path::new(fixture).file_name().unwrap());
    fs::write(&file, &bytes[..bytes.len() * percent / 100]).unwrap();
    let path = file.to_str().unwrap().to_owned();
    (folder, path)
}

const LIBRARY: &str = "ggml/plain/libggml-hip.so";
const CODE: &str = "rocm/lib/hipblaslt/library/hipblasltTransform.hsaco";

/// A line of JSON Lines is a part of an answer, not a document.
fn is_line(name: &str) -> bool {
    matches!(name, "entry" | "kernel") || name.ends_with("-answer")
}

#[test]
fn the_schema_of_every_document_has_complete_and_findings_at_its_top() {
    for document in DOCUMENTS.iter().filter(|document| !is_line(document.name)) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(document.file());
        let schema: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(schema["properties"]["complete"]["type"], "boolean", "{}", document.name);
        assert_eq!(schema["properties"]["findings"]["type"], "array", "{}", document.name);
        let required: Vec<&str> =
            schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert!(required.contains(&"complete") && required.contains(&"findings"), "{}", document.name);
    }
}

#[test]
fn lists_of_a_file_that_is_cut_say_that_they_are_incomplete() {
    let (_folder, path) = cut(CODE, 60);
    for list in ["--kernels", "--list"] {
        let document = json(&["fatbin", "-f", "json", list, "--", &path], 1);
        assert_eq!(document["complete"], false, "{list}");
        assert!(!ids(&document).is_empty(), "{list}");
        assert!(
            document["findings"][0]["locations"][0]["path"].as_str().unwrap().contains("Transform"),
            "{list}"
        );
        let elements = if list == "--list" { "entries" } else { "kernels" };
        assert!(document[elements].is_array(), "{list}");
    }
    let whole = json(&["fatbin", "--kernels", "-f", "json", "--", &format!("fixtures/{CODE}")], 0);
    assert_eq!(whole["complete"], true);
    assert!(whole["kernels"].as_array().is_some_and(|kernels| !kernels.is_empty()));
}

#[test]
fn findings_of_files_stand_at_the_top_too() {
    let (_folder, path) = cut(CODE, 60);
    let whole = format!("fixtures/{LIBRARY}");
    let document = json(&["fatbin", "-f", "json", &path, &whole], 1);
    assert_eq!(document["complete"], false);
    let files = document["files"].as_array().unwrap();
    let of_files: usize = files.iter().map(|file| file["findings"].as_array().unwrap().len()).sum();
    assert!(of_files > 0);
    assert_eq!(ids(&document).len(), of_files);
    // Each finding names its file.
    for finding in document["findings"].as_array().unwrap() {
        assert_ne!(finding["locations"][0]["path"], "", "{finding}");
    }
    // The screen shows each once, with its file.
    let screen = String::from_utf8(run(&["fatbin", &path]).stdout).unwrap();
    assert_eq!(screen.matches("what lies there is unknown").count(), 1, "{screen}");
}

#[test]
fn an_answer_from_a_library_that_is_cut_is_not_known_and_says_why() {
    let (folder, path) = cut(LIBRARY, 60);
    let tree = folder.path().to_str().unwrap();
    // The whole library has code for gfx900, so "no code" would be false.
    let workload =
        json(&["workload", "fixtures/workload/calls.jsonl", "--arch", "gfx900", "-f", "json", tree], 1);
    let kinds: Vec<&str> = workload["ways"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|way| way["library"] == "ggml")
        .map(|way| way["kind"].as_str().unwrap())
        .collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == "not-known"), "{kinds:?}");
    let model = json(&["model", "fixtures/model/small.gguf", "--arch", "gfx900", "-f", "json", tree], 1);
    assert_eq!(model["cards"][0]["verdict"]["outcome"], "not-known");
    let product =
        ["select", "mul-mat", "--type", "q4_K", "--ne11", "1", "--arch", "gfx900", "-f", "json", &path];
    let route = json(&product, 1);
    assert_eq!(route["kernel"]["presence"], "not-known");
    let attention = ["select", "flash-attn", "--nq", "1", "--arch", "gfx900", "-f", "json", &path];
    let table = ["select", "mul-mat", "--table", "--arch", "gfx900", "-f", "json", &path];
    let families = ["select", "mul-mat", "--families", "-f", "json", &path];
    let (attention, table, families) = (json(&attention, 1), json(&table, 1), json(&families, 1));
    assert_eq!(table["rows"][0]["cells"][0]["no_code_object"], false);
    for (name, document) in [
        ("workload", &workload),
        ("model", &model),
        ("route", &route),
        ("attention", &attention),
        ("table", &table),
        ("families", &families),
    ] {
        assert_eq!(document["complete"], false, "{name}");
        assert!(ids(document).contains(&"cut-end"), "{name}: {:?}", ids(document));
        assert!(!ids(document).contains(&"target-without-code"), "{name}");
        assert!(!ids(document).contains(&"kernel-absent"), "{name}");
    }
    let whole = [
        "workload",
        "fixtures/workload/calls.jsonl",
        "--arch",
        "gfx900",
        "-f",
        "json",
        "fixtures/ggml/plain",
    ];
    assert_eq!(json(&whole, 0)["complete"], true);
}

#[test]
fn a_catalog_that_cannot_be_read_is_in_the_document_of_a_workload() {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tensile/library");
    for file in from.read_dir().unwrap().map(Result::unwrap) {
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let tree = folder.path().to_str().unwrap();
    let words =
        ["workload", "fixtures/workload/calls.jsonl", "--arch", "gfx900", "--cu", "64", "-f", "json", tree];
    let before = json(&words, 0);
    assert_eq!(before["complete"], true);
    // The catalogs other than the master; the call reaches one of them.
    for file in folder.path().read_dir().unwrap().map(Result::unwrap) {
        let name = file.file_name().into_string().unwrap();
        if name.ends_with(".dat") && !name.contains("_lazy_") {
            let bytes = fs::read(file.path()).unwrap();
            fs::write(file.path(), &bytes[..bytes.len() / 2]).unwrap();
        }
    }
    let document = json(&words, 1);
    assert_eq!(document["complete"], false);
    assert!(ids(&document).contains(&"catalog-unreadable"), "{:?}", ids(&document));
    let kinds: Vec<&str> =
        document["ways"].as_array().unwrap().iter().map(|way| way["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"crash"), "{kinds:?}");
    let master = folder.path().join("TensileLibrary_lazy_gfx900.dat");
    let bytes = fs::read(&master).unwrap();
    fs::write(&master, &bytes[..bytes.len() / 2]).unwrap();
    let document = json(&words, 1);
    assert_eq!(document["complete"], false);
    assert!(ids(&document).contains(&"master-catalog-unreadable"), "{:?}", ids(&document));
}

#[test]
fn a_survey_names_the_file_that_is_damaged() {
    let (folder, _) = cut(LIBRARY, 60);
    let output = run(&["survey", "gfx900", folder.path().to_str().unwrap()]);
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(screen.contains("libggml-hip.so, offset"), "{screen}");
    assert!(!screen.contains("✗ not known"), "{screen}");
}

#[test]
fn both_sides_of_a_comparison_count() {
    let (folder, _) = cut(CODE, 60);
    let tree = folder.path().to_str().unwrap();
    let document = json(&["diff", "-f", "json", tree, "fixtures/ggml/plain"], 1);
    assert_eq!(document["complete"], false);
    assert_eq!(document["old"]["complete"], false);
    assert_eq!(document["new"]["complete"], true);
    assert!(ids(&document).contains(&"cut-end"), "{:?}", ids(&document));
    assert!(document["finding_changes"]["gone"].is_array());
}

#[test]
fn an_error_is_a_document_where_json_is_asked_for() {
    let calls: [&[&str]; 7] = [
        &["missing", "-f", "json"],
        &["audit", "missing", "-f", "verdict"],
        &["--gpu", "GeForce", "-f", "json", "fixtures/rocm"],
        &["--no-such-option", "--format=json", "fixtures/rocm"],
        &["select", "gemm", "-f", "json", "-m", "5"],
        &["explain", "gfx9000", "--isa", "-fjson"],
        &["model", "fixtures/model/small.gguf", "-f", "json"],
    ];
    for call in calls {
        let document = json(call, 2);
        assert_eq!(document["schema"], "rocm-audit/error", "{call:?}");
        assert_eq!(document["status"], 2, "{call:?}");
        assert_eq!(document["complete"], false, "{call:?}");
        let what = document["what"].as_str().unwrap();
        assert!(!what.is_empty() && !what.contains("Usage:") && !what.contains("tip:"), "{call:?}: {what}");
        // Standard error has the same message.
        assert!(!run(call).stderr.is_empty(), "{call:?}");
    }
    let missing = json(&["missing", "-f", "json"], 2);
    assert_eq!(
        (&missing["path"], &missing["what"]),
        (&"missing".into(), &"missing: no such file or directory".into())
    );
    let mistyped = json(&["fatbn", "-f", "json"], 2);
    assert_eq!(mistyped["tips"], serde_json::json!(["a similar subcommand exists: 'fatbin'"]));
    for call in [&["missing"][..], &["missing", "-q", "-f", "json"], &["missing", "-f", "table"]] {
        let output = run(call);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{call:?}");
    }
}

#[test]
fn a_verdict_alone_is_small_and_the_same_as_in_the_report() {
    let tree = "fixtures/rocm";
    let asked = ["--gpu", "MI50,RX 6600", "--fail-on", "never", tree];
    let whole = json(&[&["-f", "json"], &asked[..]].concat(), 0);
    let alone = json(&[&["-f", "verdict"], &asked[..]].concat(), 0);
    assert_eq!(alone["schema"], "rocm-audit/verdict");
    for field in ["complete", "verdicts", "mixed_host", "asked", "roots", "failed_because"] {
        assert_eq!(alone[field], whole[field], "{field}");
    }
    assert_eq!(ids(&alone), ids(&whole));
    assert!(alone["artifacts"].is_null());
    assert!(alone.to_string().len() * 2 < whole.to_string().len());
    // Both in one run.
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (report, verdict) = (named("report.json"), format!("verdict:{}", named("verdict.json")));
    let both = [&["-q", "-o", &report, "-o", &verdict], &asked[..]].concat();
    assert!(run(&both).status.success());
    let read =
        |name: &str| -> Value { serde_json::from_str(&fs::read_to_string(named(name)).unwrap()).unwrap() };
    assert_eq!((read("report.json"), read("verdict.json")), (whole, alone));
    // No other command has a document with verdicts only.
    let refused = json(&["explain", "gfx906", "--isa", "-f", "verdict"], 2);
    assert!(refused["what"].as_str().unwrap().contains("only an audit has verdicts"), "{refused}");
}

#[test]
fn a_line_of_a_choice_is_that_of_its_document() {
    let words = [
        "select",
        "gemm",
        "fixtures/tensile/library",
        "--arch",
        "gfx900",
        "--cu",
        "64",
        "-m512",
        "-n512",
        "-k512",
    ];
    let document = json(&[&["-f", "json"], &words[..]].concat(), 0);
    let line = json(&[&["-f", "jsonl"], &words[..]].concat(), 0);
    for field in [
        "solution",
        "kernel",
        "code_object",
        "loaded_from",
        "launches",
        "status",
        "workspace_bytes",
        "fallback",
        "distance",
    ] {
        assert_eq!(line[field], document[field], "{field}");
    }
}

#[test]
fn lists_have_the_values_of_their_columns_in_every_format() {
    let document = json(&["list", "gpus", "6600", "-f", "json"], 0);
    let card =
        document["rows"].as_array().unwrap().iter().find(|row| row["name"] == "Radeon RX 6600").unwrap();
    // 28 compute units and the id 73ff with revision c7: from AMD's data sheet and `pci.ids`.
    assert_eq!(
        (&card["processor"], &card["CUs"], &card["apu"]),
        (&"gfx1032".into(), &28.into(), &false.into())
    );
    assert!(card["PCI ids"].as_array().unwrap().contains(&"73ff:c7".into()), "{card}");
    let lists = ["arches", "gpus", "scanners", "formats", "rules", "solvers", "tables", "classes"];
    for list in lists {
        let document = json(&["list", list, "-f", "json"], 0);
        let text = String::from_utf8(run(&["list", list]).stdout).unwrap();
        let rows = document["rows"].as_array().unwrap();
        let heads = usize::from(matches!(list, "gpus" | "solvers"));
        assert_eq!(rows.len() + heads, text.lines().count(), "{list}");
        let columns = document["columns"].as_array().unwrap();
        for row in rows {
            assert_eq!(row.as_object().unwrap().len(), columns.len(), "{list}: {row}");
        }
    }
    let report = String::from_utf8(run(&["-f", "md", "fixtures/ggml/plain"]).stdout).unwrap();
    assert!(report.contains("_Command: rocm-audit -f md fixtures/ggml/plain._"), "{report}");
    assert_eq!(report, String::from_utf8(run(&["-f", "md", "fixtures/ggml/plain"]).stdout).unwrap());
    let markdown = String::from_utf8(run(&["list", "rules", "cut-end", "-f", "md"]).stdout).unwrap();
    assert!(markdown.contains("| cut-end "), "{markdown}");
    assert_eq!(json(&["list", "gpus", "GeForce", "-f", "json"], 1)["rows"], serde_json::json!([]));
}
