//! The command's JSON must match `docs/schema`.

use crate::common::program::{run, said};
use jsonschema::Validator;
use rocm_audit::report::v1::Document;
use rocm_audit::report::v1::document::{self, DOCUMENTS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema")
}

fn schema(document: &Document) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join(document.file())).unwrap()).unwrap()
}

/// The standard output of a call.
fn written(words: &[&str]) -> String {
    let output = called(words);
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn called(words: &[&str]) -> Output {
    let has_findings = !words.iter().any(|word| ["isa", "explain", "list"].contains(word));
    run(&[words, if has_findings { &["--fail-on", "damage"] } else { &[] }].concat())
}

/// Fails if an object has a field that its schema lacks, or a value violates the schema.
fn check(validator: &Validator, value: &Value, of: &str) {
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).take(5).collect();
    assert!(wrong.is_empty(), "{of}: {wrong:#?}");
}

/// Fails if a document is not what its schema says.
pub(crate) fn is_as_its_schema_says(document: &Document, value: &Value) {
    assert_eq!(value["schema"], document.schema());
    check(&strict(document), value, document.name);
}

/// The schema of a document, made to reject unknown fields.
fn strict(document: &Document) -> Validator {
    let mut schema = schema(document);
    close(&mut schema);
    jsonschema::draft202012::new(&schema).unwrap()
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") {
                map.insert("unevaluatedProperties".to_owned(), false.into());
            }
            map.iter_mut().filter(|(key, _)| *key != "properties").for_each(|(_, value)| close(value));
            let properties = map.get_mut("properties").and_then(Value::as_object_mut);
            properties.into_iter().flat_map(|p| p.values_mut()).for_each(close);
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}

const GGML: &str = "fixtures/ggml/plain/libggml-hip.so";
const CONV: [&str; 8] = [
    "select",
    "conv",
    "fwd:fp32:n1:c64:h28:w28:k64:y3x3:p1:g2",
    "--arch",
    "gfx900",
    "--cu",
    "56",
    "fixtures/miopen",
];

const BESIDE: [&str; 14] = [
    "select",
    "gemm",
    "--arch",
    "gfx900",
    "--cu",
    "64",
    "-m512",
    "-n512",
    "-k512",
    "--vs",
    "gfx90a,104",
    "--vs",
    "gfx1201,32",
    "fixtures/tensile/library",
];

const MATMUL: [&str; 14] = [
    "select",
    "matmul",
    "fixtures/hipblaslt",
    "--arch",
    "gfx1151",
    "--type",
    "f16",
    "--trans",
    "TN",
    "-m100",
    "-n50",
    "-k5000",
    "--epilogue",
    "gelu-bias",
];

const ATTENTION: [&str; 9] = [
    "choose",
    "attention",
    "--arch",
    "gfx1030",
    "--head-dim",
    "128",
    "--type",
    "fp16",
    "fixtures/ggml/plain",
];

const MAP: [&str; 11] = [
    "select",
    "matmul",
    "--map",
    "-k64",
    "--type",
    "f16",
    "--trans",
    "TN",
    "--arch",
    "gfx1151",
    "fixtures/hipblaslt",
];

/// Calls that write one document.
fn documents() -> Vec<(Document, Vec<&'static str>)> {
    let conv = [&CONV[..]].concat();
    vec![
        (document::DIFF, vec!["diff", "fixtures/ggml/older", "fixtures/rocm"]),
        (document::NEEDS, vec!["needs", "fixtures/rocm", "fixtures/ggml/plain"]),
        (document::SLIM, vec!["slim", "--keep", "gfx900", "fixtures/ggml/plain", "fixtures/tensile"]),
        (document::MANIFEST, vec!["manifest", "fixtures/rocm"]),
        (document::MANIFEST, vec!["manifest", "fixtures/forms/docker.tar"]),
        (document::CHOOSE, vec!["choose", "--gpu", "gfx906", "fixtures/releases", "fixtures/rocm"]),
        (document::LIST, vec!["list", "gpus", "6600"]),
        (document::LIST, vec!["list", "solvers", "--arch", "gfx900,gfx1030"]),
        (document::REPORT, vec!["fixtures/forms/docker.tar"]),
        (document::CHECK, vec!["check", "fixtures/ggml/plain", "--require", "gfx900"]),
        (
            document::SURVEY,
            vec!["survey", "gfx900", "--vs", "gfx1030", "fixtures/tensile", "fixtures/ggml/plain"],
        ),
        (document::MODEL, vec!["model", "fixtures/model/small.gguf", "--arch", "gfx1100", GGML]),
        (
            document::MODEL,
            vec!["model", "fixtures/model/hf/gptq", "--arch", "gfx90a", "--quant", "Q4_0", "--memory", "8"],
        ),
        (
            document::WORKLOAD,
            vec![
                "workload",
                "fixtures/workload/calls.jsonl",
                "--arch",
                "gfx900",
                "--cu",
                "56",
                "fixtures/miopen",
            ],
        ),
        (document::MODEL, vec!["model", "fixtures/model/experts.gguf", "--arch", "gfx90a", "--vs", "gfx900"]),
        (
            document::MODEL_GRAPH,
            vec![
                "model",
                "fixtures/model/small.onnx",
                "--batch",
                "1",
                "--arch",
                "gfx900",
                "--cu",
                "56",
                "fixtures/miopen",
            ],
        ),
        (document::OVERRIDE, vec!["explain", "--override", "10.3.0", "--arch", "gfx1010", "fixtures/rocm"]),
        (document::REPORT, vec!["fixtures/rocm"]),
        (document::REPORT, vec!["--isa", "--arch", "gfx906,gfx1032", "fixtures/rocm"]),
        (document::REPORT, vec!["fixtures/containers", "fixtures/tensile", "fixtures/miopen"]),
        (document::EXPLAIN, vec!["explain", "--error", "hipErrorNoBinaryForGpu"]),
        (
            document::EXPLAIN,
            vec![
                "explain",
                "--arch",
                "gfx1012",
                "--error",
                "HIP error: invalid device function",
                "fixtures/rocm",
            ],
        ),
        (document::EXPLAIN_WORD, vec!["explain", "kernel-missing"]),
        (document::EXPLAIN_WORD, vec!["explain", "FB-ARCH-MISSING"]),
        (document::EXPLAIN_WORD, vec!["explain", "gfx1032"]),
        (document::EXPLAIN_WORD, vec!["explain", "ConvAsm1x1U"]),
        (document::FATBIN, vec!["fatbin", "fixtures/rocm/lib", "fixtures/containers"]),
        (document::FATBIN, vec!["fatbin", "--isa", "--legal-on", "gfx900", "fixtures/instructions"]),
        (document::FATBIN, vec!["fatbin", "--isa", "relu", "fixtures/rocm/lib"]),
        (document::FATBIN, vec!["fatbin", "--sources", "fixtures/lines/lines_gfx1100.co"]),
        (document::FATBIN, vec!["fatbin", "--isa=dot_rows", "--inside", "fixtures/lines/lines_gfx1100.co"]),
        (document::CODE_PLACES, vec!["fatbin", "--at", "dot_rows+0x128", "fixtures/lines/lines_gfx1100.co"]),
        (document::ENTRIES, vec!["fatbin", "--list", "fixtures/rocm/lib"]),
        (document::KERNELS, vec!["fatbin", "--kernels", "relu", "fixtures/rocm/lib"]),
        (document::KERNELS, vec!["fatbin", "--isa", "--kernels", "relu", "fixtures/rocm/lib"]),
        (document::ISA, vec!["explain", "gfx906", "--isa"]),
        (document::ISA, vec!["explain", "gfx906", "--vs", "gfx900"]),
        (document::VERIFY, vec!["verify", "fixtures/tensile"]),
        (document::VERIFY, vec!["verify", "fixtures/miopen"]),
        (document::VERIFY, vec!["verify", "--arch", "gfx900", "--cu", "60", "fixtures/miopen"]),
        (
            document::SELECT_GEMM,
            vec![
                "select",
                "gemm",
                "fixtures/tensile/library",
                "--arch",
                "gfx900",
                "--cu",
                "64",
                "-m",
                "512",
                "-n",
                "512",
                "-k",
                "512",
            ],
        ),
        (document::SELECT_BESIDE, BESIDE.to_vec()),
        (document::SELECT_MATMUL, MATMUL.to_vec()),
        (
            document::SELECT_MATMUL_COVERAGE,
            vec!["select", "matmul", "--coverage", "--arch", "gfx1151", "fixtures/hipblaslt"],
        ),
        (document::SELECT_MATMUL_MAP, MAP.to_vec()),
        (document::SELECT_CONV, conv),
        (
            document::SELECT_ROUTE,
            vec!["select", "mul-mat", "--type", "q4_K", "--ne11", "16", "--arch", "gfx1100", GGML],
        ),
        (
            document::SELECT_ROUTES,
            vec!["select", "mul-mat", "--table", "--arch", "gfx900", "--vs", "gfx1100", GGML],
        ),
        (document::SELECT_FAMILIES, vec!["select", "mul-mat", "--families", GGML]),
    ]
}

/// Calls that write one line for each of several items.
fn lines() -> Vec<(Document, Vec<&'static str>)> {
    vec![
        (document::KERNEL, vec!["fixtures/rocm"]),
        (document::KERNEL, vec!["fatbin", "--isa", "fixtures/rocm/lib"]),
        (document::ENTRY, vec!["fatbin", "--list", "fixtures/rocm/lib"]),
        (
            document::SELECT_GEMM_ANSWER,
            vec![
                "select",
                "gemm",
                "fixtures/tensile/library",
                "--problems",
                "fixtures/tensile/problems.jsonl",
            ],
        ),
        (document::SELECT_MATMUL_ANSWER, [&MATMUL[..], &["--algorithms", "3"]].concat()),
        (document::SELECT_CONV_ANSWER, CONV.to_vec()),
    ]
}

#[test]
fn documents_are_what_their_schemas_say() {
    let mut seen = BTreeSet::new();
    for (document, words) in documents() {
        let words = [&["-f", "json"], &words[..]].concat();
        let value: Value = serde_json::from_str(&written(&words)).unwrap();
        assert_eq!(value["schema"], document.schema(), "{words:?}");
        assert_eq!(value["schema_version"], document.version, "{words:?}");
        check(&strict(&document), &value, &format!("{words:?}"));
        seen.insert(document.name);
    }
    let verdict: Value =
        serde_json::from_str(&written(&["-f", "verdict", "--gpu", "MI50", "fixtures/rocm"])).unwrap();
    check(&strict(&document::VERDICT), &verdict, "verdict");
    let error: Value = serde_json::from_slice(&called(&["-f", "json", "missing"]).stdout).unwrap();
    check(&strict(&document::ERROR), &error, "error");
    // No fixture has a kernel of attention, so this run ends with 1; those with kernels are checked where they
    // are made, in `attention`.
    let attention = called(&[&["-f", "json"], &ATTENTION[..]].concat());
    is_as_its_schema_says(&document::ATTENTION, &serde_json::from_slice(&attention.stdout).unwrap());
    seen.extend([document::VERDICT.name, document::ERROR.name, document::ATTENTION.name]);
    for (document, words) in lines() {
        let words = [&["-f", "jsonl"], &words[..]].concat();
        let validator = strict(&document);
        let text = written(&words);
        assert!(!text.is_empty(), "{words:?}");
        for line in text.lines() {
            check(&validator, &serde_json::from_str(line).unwrap(), &format!("{words:?}"));
        }
        seen.insert(document.name);
    }
    let all: BTreeSet<&str> = DOCUMENTS.iter().map(|document| document.name).collect();
    assert_eq!(seen, all, "every document is written by one of the calls");
}

#[test]
fn each_document_has_one_schema_file_and_one_id() {
    let files: BTreeSet<String> =
        folder().read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let expected: BTreeSet<String> = DOCUMENTS.iter().map(Document::file).collect();
    assert_eq!(files, expected);
    let ids: BTreeSet<String> =
        DOCUMENTS.iter().map(|document| schema(document)["$id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), DOCUMENTS.len());
    let report = format!("urn:rocm-audit:schema:report:{}", document::REPORT.version);
    assert!(ids.contains(&report), "{ids:?}");
    assert!(DOCUMENTS.windows(2).all(|pair| pair[0].name < pair[1].name), "sorted by name");
}
