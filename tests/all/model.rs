//! `model` on our own headers (`fixtures/model.py`) and small libraries.

use crate::common::program;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const SMALL: &str = "fixtures/model/small.gguf";
const EXPERTS: &str = "fixtures/model/experts.gguf";

/// The words of a call.
fn call<'w>(words: &[&'w str]) -> Vec<&'w str> {
    [&["model"], words].concat()
}

fn json(words: &[&str]) -> Value {
    program::json_with_findings(&call(words))
}

fn refused(words: &[&str]) -> String {
    program::refused(&call(words))
}

/// The first card's phase.
fn phase(report: &Value, name: &str) -> Value {
    let phases = report["cards"][0]["phases"].as_array().unwrap();
    phases.iter().find(|phase| phase["phase"] == name).unwrap().clone()
}

fn operation(phase: &Value, role: &str) -> Value {
    phase["operations"].as_array().unwrap().iter().find(|o| o["role"] == role).unwrap().clone()
}

/// Sum of a share over the ways of a kind.
fn share(phase: &Value, kind: &str) -> f64 {
    let ways = phase["ways"].as_array().unwrap().iter().filter(|way| way["kind"] == kind);
    ways.map(|way| way["flops_share"].as_f64().unwrap()).sum()
}

#[test]
fn each_phase_has_its_way() {
    let report = json(&["fixtures/model/small.gguf", "--arch", "gfx906"]);
    let prefill = phase(&report, "prefill");
    assert!(share(&prefill, "own-kernel") > 0.999);
    assert_eq!(prefill["bound"], "arithmetic");
    // Counted by hand: 4 blocks with q, k, v, output, gate, up and down; the last block's final three have
    // one column.
    let products = 2 * 512 * (4 * (2048 * 2048 * 2 + 2048 * 512 * 2) + 3 * 3 * 2048 * 8192);
    let last = 2 * (3 * 2048 * 8192 + 2048 * 32000);
    let attention = 2 * (128 + 128) * 512 * 16 * 512 * 4;
    assert_eq!(prefill["flops"].as_u64().unwrap(), products + last + attention);
    let decode = phase(&report, "decode");
    assert_eq!(decode["bound"], "memory");
    assert_eq!(operation(&decode, "ffn_gate")["fusion"], "part of up");
    assert_eq!(operation(&decode, "ffn_gate")["launches"], 0);
    let kernel = &operation(&decode, "ffn_up")["kernels"][0]["name"];
    assert_eq!(kernel, "mul_mat_vec_q<(ggml_type)12, 1, true, false, false>");
    assert_eq!(phase(&report, "batch")["sequences"], 4);
}

#[test]
fn what_can_be_changed_is_asked_again() {
    let advice = |words: &[&str]| json(words)["cards"][0]["advice"].as_array().unwrap().clone();
    assert!(advice(&[SMALL, "--arch", "gfx906"]).is_empty());
    let on_cdna = advice(&[SMALL, "--arch", "gfx90a"]);
    let smaller = on_cdna.iter().find(|advice| advice["change"] == "-ub 128").unwrap();
    assert!(
        smaller["own_share"].as_f64().unwrap() < 0.1 && smaller["own_share_then"].as_f64().unwrap() > 0.99
    );
    // The advice delivers what it promises.
    let then = json(&["fixtures/model/small.gguf", "--arch", "gfx90a", "--ubatch", "128"]);
    let prefill = phase(&then, "prefill");
    assert_eq!(prefill["ubatches"], 4);
    assert_eq!(prefill["launches"], smaller["launches_then"]);
    let own = share(&prefill, "own-kernel");
    assert!((own - smaller["own_share_then"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn a_loop_over_experts_is_found_and_ended() {
    let report = json(&[EXPERTS, "--arch", "gfx90a"]);
    assert_eq!(phase(&report, "prefill")["bound"], "host");
    assert_eq!(report["findings"][0]["id"], "experts-by-host");
    let advice = report["cards"][0]["advice"].as_array().unwrap();
    assert!(advice.iter().any(|advice| advice["change"] == "-ub 128" && advice["ends_loop"] == true));
    let beside = json(&[EXPERTS, "--arch", "gfx906", "--vs", "gfx90a"]);
    let bounds: Vec<&Value> =
        beside["cards"].as_array().unwrap().iter().map(|card| &card["phases"][0]["bound"]).collect();
    assert_eq!(bounds, ["arithmetic", "host"]);
    let all = json(&[EXPERTS, "--arch", "gfx906", "--vs", "gfx90a", "--vs", "gfx1100"]);
    let targets: Vec<&Value> = all["cards"].as_array().unwrap().iter().map(|card| &card["target"]).collect();
    assert_eq!(targets, ["gfx906", "gfx90a", "gfx1100"]);
}

#[test]
fn presence_is_that_of_the_library() {
    let report =
        json(&["fixtures/model/small.gguf", "--arch", "gfx1100", "fixtures/ggml/plain/libggml-hip.so"]);
    let prefill = phase(&report, "prefill");
    assert_eq!(operation(&prefill, "ffn_up")["kernels"][0]["presence"], "real");
    assert_eq!(operation(&prefill, "output")["kernels"][0]["presence"], "absent");
    assert_eq!(prefill["bound"], "nothing-runs");
    let ids: Vec<&str> =
        report["findings"].as_array().unwrap().iter().map(|f| f["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"kernel-absent"), "{ids:?}");
    let report = json(&["fixtures/model/small.gguf", "--arch", "gfx1201", "fixtures/ggml/plain"]);
    assert_eq!(report["findings"][0]["id"], "target-without-code");
    assert_eq!(phase(&report, "decode")["ways"][0]["kind"], "no-code-object");
}

#[test]
fn rocblas_of_a_tree_is_asked() {
    let report =
        json(&["fixtures/model/small.gguf", "--arch", "gfx900", "--cu", "64", "fixtures/tensile/library"]);
    let card = &report["cards"][0];
    assert!(card["rocblas"].as_str().unwrap().ends_with("fixtures/tensile/library"), "{card}");
    let call = &operation(&phase(&report, "prefill"), "ffn_up")["calls"][0];
    assert_eq!(
        (&call["type"], &call["m"], &call["n"], &call["k"]),
        (&Value::from("HH"), &Value::from(8192), &Value::from(512), &Value::from(2048))
    );
}

#[test]
fn forms_of_files_say_the_same() {
    let weights = |words: &[&str]| {
        let report = json(&[words, &["--arch", "gfx900"]].concat());
        (report["model"]["weights"].as_u64().unwrap(), report["cards"][0]["phases"].clone())
    };
    let whole = weights(&[SMALL]);
    assert_eq!(weights(&["fixtures/model/big-endian.gguf"]), whole);
    let (first, second) =
        ("fixtures/model/split-00001-of-00002.gguf", "fixtures/model/split-00002-of-00002.gguf");
    for split in [&[first][..], &[second], &[first, second]] {
        let found = weights(split);
        assert_eq!(found.0, whole.0, "{split:?}");
        assert_eq!(found.1[0]["flops"], whole.1[0]["flops"]);
    }
}

#[test]
fn an_unknown_architecture_takes_the_generic_rules_and_says_so() {
    let report = json(&["fixtures/model/unknown.gguf", "--arch", "gfx906"]);
    assert_eq!(report["model"]["architecture_observed"], false);
    let said =
        report["statements"].as_array().unwrap().iter().find(|s| s["about"] == "architecture").unwrap();
    assert!(said["text"].as_str().unwrap().contains("no rules of its own"));
    assert!(phase(&report, "prefill")["flops"].as_u64().unwrap() > 0);
}

#[test]
fn a_damaged_header_is_answered_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(SMALL)).unwrap();
    for (cut, tensors) in [(whole.len() - 100, true), (300, false), (10, false), (0, false)] {
        let path = folder.path().join("cut.gguf");
        fs::write(&path, &whole[..cut]).unwrap();
        let report = json(&[path.to_str().unwrap(), "--arch", "gfx906"]);
        let finding = &report["findings"][0];
        assert_eq!(finding["id"], "cut-end", "{cut}");
        assert!(finding["locations"][0]["offset"].as_u64().unwrap() <= cut as u64);
        assert_eq!(report["model"]["weights"].as_u64().unwrap() > 0, tensors, "{cut}");
    }
}

#[test]
fn calls_that_cannot_be_answered_are_refused() {
    assert!(refused(&[SMALL]).contains("name the one card"));
    assert!(
        refused(&["fixtures/ggml", "--arch", "gfx906"])
            .contains("none of these is a GGUF, safetensors or ONNX file")
    );
    assert!(refused(&["nothing.gguf", "--arch", "gfx906"]).contains("no such file"));
    assert!(refused(&[SMALL, "--arch", "gfx906", "--prompt", "1000000", "-u", "1"]).contains("--ubatch"));
    assert!(refused(&[SMALL, "--arch", "gfx906", "--cache-type", "q9"]).contains("known are"));
    assert!(refused(&[SMALL, "--arch", "gfx906", "fixtures/ggml"]).contains("several libraries"));
}

const GRAPH: &str = "fixtures/model/small.onnx";

#[test]
fn a_graph_is_asked_of_the_find_db() {
    let report = json(&[GRAPH, "--batch", "1", "--arch", "gfx900", "--cu", "56", "fixtures/miopen"]);
    let rows = report["rows"].as_array().unwrap();
    let of = |field: &str| rows.iter().map(|row| row[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("operator"), ["Conv", "Conv", "Conv", "Gemm"]);
    let keys = [
        "1-161-700-5x20-32-79-341-1-0x0-2x2-1x1-0-NCHW-FP32-F",
        "32-79-341-5x10-32-38-166-1-0x0-2x2-1x1-0-NCHW-FP32-F",
        "32-38-166-3x3-64-38-166-1-1x1-1x1-1x1-0-NCHW-FP32-F_g2",
    ];
    assert_eq!(of("key")[..3], keys);
    // The second and third line of the database contain the first two.
    assert_eq!((&rows[1]["outcome"], &rows[1]["taken"]), (&"hit".into(), &"ConvAsm5x10u2v2f1".into()));
    assert_eq!(rows[2]["outcome"], "miss");
    assert!(rows[2]["measured"].as_u64().unwrap() > 0);
    assert_eq!(rows[0]["flops"].as_u64().unwrap(), 2 * 32 * 79 * 341 * 5 * 20);
    assert_eq!(rows[2]["flops"].as_u64().unwrap(), 2 * 64 * 38 * 166 * 16 * 3 * 3);
    assert_eq!((&rows[3]["m"], &rows[3]["n"], &rows[3]["k"]), (&10.into(), &1.into(), &64.into()));
    assert_eq!((&report["convolutions"]["count"], &report["convolutions"]["hits"]), (&3.into(), &2.into()));
    // Compares with `select conv` for the key.
    let words = ["select", "conv", "--key", keys[2], "--arch", "gfx900", "--cu", "56", "fixtures/miopen"];
    let select = program::json_with_findings(&words);
    assert_eq!(select["outcome"], "miss");
}

/// A field of a protobuf message: a text or a message.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let (low, high) = (content.len() as u8 | 0x80, (content.len() >> 7) as u8);
    [&[number << 3 | 2, low, high], content].concat()
}

/// A graph of one convolution, ViT-B/32's patch embedding. Numbers of fields: onnx.proto of ONNX 1.17.
fn patch_embedding() -> Vec<u8> {
    let number = |field: u8, value: u16| vec![field << 3, value as u8 | 0x80, (value >> 7) as u8];
    let text = |number: u8, text: &str| field(number, text.as_bytes());
    let sides = |name: &str| field(5, &[text(1, name), number(8, 32), number(8, 32)].concat());
    let value = |name: &str, sizes: &[u16]| {
        let shape: Vec<u8> = sizes.iter().flat_map(|size| field(1, &number(1, *size))).collect();
        let tensor = field(1, &[number(1, 1), field(2, &shape)].concat());
        [text(1, name), field(2, &tensor)].concat()
    };
    let node = [text(1, "x"), text(1, "w"), text(2, "y"), text(3, "patches"), text(4, "Conv")].concat();
    let node = [node, sides("kernel_shape"), sides("strides")].concat();
    let sizes: Vec<u8> = [768, 3, 32, 32].into_iter().flat_map(|size| number(1, size)).collect();
    let weights = [sizes, number(2, 1), text(8, "w")].concat();
    let ends = [field(11, &value("x", &[1, 3, 224, 224])), field(12, &value("y", &[1, 768, 7, 7]))].concat();
    let graph = [field(1, &node), text(2, "patches"), field(5, &weights), ends].concat();
    [number(1, 8), field(8, &number(2, 17)), field(7, &graph)].concat()
}

/// The real library (3.4.0) dies of SIGFPE at it in a find of mode NORMAL only.
#[test]
fn the_node_at_which_miopen_dies_in_a_mode_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("patches.onnx");
    fs::write(&file, patch_embedding()).unwrap();
    let call = [file.to_str().unwrap(), "--arch", "gfx900", "--cu", "56", "fixtures/miopen"];
    let dies = |more: &[&str]| {
        let report = json(&[&call[..], more].concat());
        let found = report["findings"].as_array().unwrap().iter();
        let dies = found.filter(|found| found["id"] == "convolution-crashes");
        dies.map(|found| found["locations"][0]["what"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(dies(&[]), [] as [Value; 0]);
    assert_eq!(dies(&["--env", "MIOPEN_FIND_MODE=NORMAL"]), ["patches"]);
}

#[test]
fn open_dimensions_are_given_or_said() {
    let flops = |words: &[&str]| {
        let report = json(&[&[GRAPH, "--arch", "gfx900"], words].concat());
        (report["unknown"].as_u64().unwrap(), report["convolutions"]["flops"].as_u64().unwrap())
    };
    let one = flops(&["--batch", "1"]);
    assert_eq!(one.0, 0);
    assert_eq!(flops(&["--batch", "8"]), (0, 8 * one.1));
    assert_eq!(flops(&["--dim", "batch=8"]).1, 8 * one.1);
    assert_eq!(flops(&[]), (4, 0));
    assert!(refused(&[GRAPH, "--arch", "gfx900", "--dim", "batch"]).contains("NAME=N"));
    assert!(refused(&[GRAPH, SMALL, "--arch", "gfx900"]).contains("one file"));
}

#[test]
fn screens_fit_and_lines_are_json() {
    for width in [80, 120] {
        let output = program::run_at(width, &call(&[EXPERTS, "--arch", "gfx90a", "--vs", "gfx906"]));
        let text = String::from_utf8(output.stdout).unwrap();
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{width}: {widest}\n{text}");
    }
    let output = program::run(&call(&[SMALL, "--arch", "gfx900", "-f", "jsonl"]));
    let text = String::from_utf8(output.stdout).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&first["phase"], &first["target"]), (&Value::from("prefill"), &Value::from("gfx900")));
    assert!(
        String::from_utf8(program::run(&call(&[SMALL, "--arch", "gfx900", "-f", "md"])).stdout)
            .unwrap()
            .contains('|')
    );
}

/// A family of `fixtures/model_hf.py`; its twin uses the names in llama.cpp's own table.
#[test]
fn safetensors_are_answered_as_the_file_that_the_converter_makes() {
    for family in ["llama", "qwen3moe", "gemma3", "deepseek2"] {
        let of = |path: String| json(&[&path, "--arch", "gfx90a"]);
        let (folder, twin) =
            (of(format!("fixtures/model/hf/{family}")), of(format!("fixtures/model/hf/{family}.gguf")));
        for field in ["name", "architecture", "blocks", "weights", "types", "experts", "experts_used"] {
            assert_eq!(folder["model"][field], twin["model"][field], "{family} {field}");
        }
        assert_eq!(folder["cards"], twin["cards"], "{family}");
        assert_eq!(
            (&folder["model"]["format"], &twin["model"]["format"]),
            (&"safetensors".into(), &"gguf".into())
        );
        assert_eq!(folder["model"]["conversion"]["known"], true);
        assert_eq!(folder["model"]["conversion"]["unplaced"], Value::Array(Vec::new()), "{family}");
    }
    // One file of several, and the only one.
    let whole = json(&["fixtures/model/hf/llama", "--arch", "gfx90a"]);
    let part = json(&["fixtures/model/hf/llama/model-00002-of-00002.safetensors", "--arch", "gfx90a"]);
    assert_eq!(whole["cards"], part["cards"]);
    let alone = json(&["fixtures/model/hf/gemma3/model.safetensors", "--arch", "gfx90a"]);
    assert_eq!(alone["model"]["conversion"]["of_other_parts"], 2);
}

#[test]
fn weights_that_are_quantized_before_are_said() {
    let shapes = |folder: &str| {
        let report = json(&[&format!("fixtures/model/hf/{folder}"), "--arch", "gfx906"]);
        let prefill = phase(&report, "prefill");
        let rows = prefill["operations"].as_array().unwrap().iter();
        let shapes: Vec<Value> = rows.map(|row| row["shape"].clone()).collect();
        (shapes, report["model"]["conversion"]["becomes"].clone(), report["findings"].clone())
    };
    let plain = shapes("llama").0;
    let (gptq, becomes, findings) = shapes("gptq");
    assert_eq!((&gptq, &becomes, findings.as_array().unwrap().len()), (&plain, &"dequantized".into(), 0));
    let (awq, becomes, findings) = shapes("awq");
    assert_eq!((&awq, &becomes), (&plain, &"refused".into()));
    assert_eq!(findings[0]["id"], "model-quantization-refused");
    let (_, _, findings) = shapes("alone");
    assert_eq!(findings[0]["id"], "model-config-missing");
    let novel = json(&["fixtures/model/hf/novel", "--arch", "gfx906"]);
    assert_eq!(novel["model"]["conversion"]["known"], false);
    assert!(phase(&novel, "prefill")["flops"].as_u64().unwrap() > 0);
}

#[test]
fn damaged_safetensors_are_answered_as_far_as_they_go() {
    let folder = tempfile::tempdir().unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/model/hf/llama");
    for name in ["config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors"] {
        fs::copy(from.join(name), folder.path().join(name)).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    assert_eq!(json(&[path, "--arch", "gfx906"])["findings"][0]["id"], "model-part-missing");
    let second = fs::read(from.join("model-00002-of-00002.safetensors")).unwrap();
    let cut = folder.path().join("model-00002-of-00002.safetensors");
    fs::write(&cut, &second[..second.len() / 2]).unwrap();
    let report = json(&[path, "--arch", "gfx906"]);
    assert_eq!(report["findings"][0]["id"], "cut-end");
    assert!(report["model"]["weights"].as_u64().unwrap() > 12);
    fs::write(folder.path().join("config.json"), "{\"hidden_size\": }").unwrap();
    let report = json(&[path, "--arch", "gfx906"]);
    let ids: Vec<&Value> = report["findings"].as_array().unwrap().iter().map(|f| &f["id"]).collect();
    assert!(ids.contains(&&Value::from("malformed-bytes")), "{ids:?}");
}

#[test]
fn quantizations_and_libraries_stand_side_by_side() {
    let report = json(&[
        "fixtures/model/small.gguf",
        "--arch",
        "gfx90a",
        "--quant",
        "Q8_0",
        "--quant",
        "q4_k_m",
        "--memory",
        "0.25",
    ]);
    let cards = report["cards"].as_array().unwrap();
    let names: Vec<&Value> = cards.iter().map(|card| &card["quantization"]).collect();
    assert_eq!(names, [&Value::Null, &"Q8_0".into(), &"Q4_K_M".into()]);
    // 8.5 bits for each q8_0 value: all matrices except the embedding, and norms.
    let values = 4 * (2048 * 2048 * 2 + 2048 * 512 * 2 + 3 * 2048 * 8192) + 2048 * 32000;
    assert_eq!(cards[1]["memory"]["weights"].as_u64().unwrap(), values / 32 * 34 + 9 * 2048 * 4);
    assert!(
        cards[1]["memory"]["left"].as_i64().unwrap() < 0 && cards[0]["memory"]["left"].as_i64().unwrap() > 0
    );
    let both = json(&[
        SMALL,
        "--arch",
        "gfx1100",
        "fixtures/ggml/plain",
        "--vs-library",
        "fixtures/ggml/compressed",
    ]);
    let cards = both["cards"].as_array().unwrap();
    assert_eq!((cards.len(), &cards[1]["beside"]), (2, &"fixtures/ggml/compressed".into()));
    assert_ne!(cards[0]["library"]["path"], cards[1]["library"]["path"]);
    assert!(refused(&[SMALL, "--arch", "gfx90a", "--quant", "Q9"]).contains("expected F32"));
    assert!(refused(&[SMALL, "--arch", "gfx90a", "--memory", "much"]).contains("GiB"));
    assert!(refused(&[SMALL, "--arch", "gfx90a", "--batch", "2"]).contains("--batch"));
    assert!(refused(&[GRAPH, "--arch", "gfx90a", "--quant", "Q4_0"]).contains("--quant"));
    assert!(refused(&["https://example.org/model.gguf", "--arch", "gfx90a"]).contains("download the file"));
}

#[test]
fn a_page_shows_each_block_and_loads_nothing() {
    let output = program::run(&call(&[
        SMALL,
        "--arch",
        "gfx1100",
        "--vs",
        "gfx90a",
        "fixtures/ggml/plain",
        "-f",
        "html",
    ]));
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    // Three phases on two cards, each with four blocks and the output.
    assert_eq!((page.matches("<figure>").count(), page.matches("role=\"img\"").count()), (6, 6 * 5));
    let page = page.replace("http-equiv", "");
    for loads in ["src=", "url(", "http", "@import", "<link"] {
        assert!(!page.contains(loads), "{loads}");
    }
    // The report as JSON, and the script that sorts tables.
    assert_eq!(page.matches("<script").count(), 2);
    let report = json(&["fixtures/model/small.gguf", "--arch", "gfx90a"]);
    let layers = phase(&report, "prefill")["layers"].as_array().unwrap().clone();
    assert_eq!(
        layers.iter().map(|layer| layer["block"].as_u64()).collect::<Vec<_>>(),
        [Some(0), Some(1), Some(2), Some(3), None]
    );
    let shares = layers.iter().flat_map(|layer| layer["ways"].as_array().unwrap());
    let sum: f64 = shares.map(|way| way["share"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let list =
        program::run(&["fatbin", "--list", "-f", "html", "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco"]);
    assert_eq!(list.status.code(), Some(0));
    assert!(String::from_utf8(list.stdout).unwrap().contains("v4_gfx906.hsaco#offset=0&amp;size=3496"));
}

#[test]
fn attention_of_a_graph_is_named() {
    let report = json(&["fixtures/model/attention.onnx", "--arch", "gfx900"]);
    assert_eq!(report["unasked"], serde_json::json!({"com.microsoft.GroupQueryAttention": 2}));
    // A product, and the two from standard attention: 4 heads of 16, 8 queries and keys.
    assert_eq!((&report["products"]["count"], &report["unknown"]), (&3.into(), &0.into()));
    assert_eq!(report["products"]["flops"], 2 * 8 * 64 * 64 + 2 * (2 * 4 * 8 * 8 * 16));
    let of_attention = |s: &&Value| s["about"] == "attention";
    assert_eq!(report["statements"].as_array().unwrap().iter().filter(of_attention).count(), 1);
}

/// File types stand in the order of what a token costs, with the memory that ROCm's hardware table gives the
/// card.
#[test]
fn file_types_are_ranked_by_what_they_cost() {
    let report =
        program::json(&["model", "fixtures/model/small.gguf", "--gpu", "RX 7900 XTX", "--quant", "all"]);
    let ranking = report["ranking"].as_array().unwrap();
    // The model as it is, and the types that llama-quantize knows.
    assert!(ranking.len() > 15, "{}", ranking.len());
    let bytes: Vec<u64> = ranking.iter().map(|row| row["bytes_of_token"].as_u64().unwrap()).collect();
    assert!(bytes.is_sorted(), "{bytes:?}");
    assert_eq!(ranking.last().unwrap()["quantization"], "F32");
    assert_eq!(report["memory"]["of_card"], 24_u64 << 30);
    assert!(ranking.iter().all(|row| row["fits"] == true));
    // Without other types there is nothing to rank.
    let alone = program::json(&["model", "fixtures/model/small.gguf", "--gpu", "780M"]);
    assert!(alone["ranking"].as_array().unwrap().is_empty());
    assert_eq!(alone["memory"]["of_card"], Value::Null);
}

/// A change that costs launches says how many, and stands behind those that cost none.
#[test]
fn a_change_says_what_it_costs() {
    let report = program::json(&["model", "fixtures/model/small.gguf", "--gpu", "gfx90a"]);
    let advice = report["cards"][0]["advice"].as_array().unwrap();
    let costs: Vec<u64> = advice.iter().map(|row| row["more_launches"].as_u64().unwrap()).collect();
    assert!(costs.is_sorted() && costs.first() == Some(&0) && costs.last() > Some(&0), "{advice:?}");
    let screen = program::text(&["model", "fixtures/model/small.gguf", "--gpu", "gfx90a"]);
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("launches more, and can be slower for it"), "{screen}");
}

/// The bound is bytes by bandwidth: the card's caches hold what fits, twice the bandwidth halves the time, and a
/// processor alone has none.
#[test]
fn a_card_bounds_the_tokens_a_second() {
    let asked = |gpu: &str| -> Value {
        json(&["fixtures/model/small.gguf", "--gpu", gpu, "--prompt", "1", "--sequences", "1"])["cards"][0]
            .clone()
    };
    let decode = |card: &Value| -> Value {
        let phases = card["phases"].as_array().unwrap();
        phases.iter().find(|phase| phase["phase"] == "decode").unwrap().clone()
    };
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    // Radeon RX 6600: 224 GB/s, 34 MiB of caches; Radeon RX 5700 XT: 448 GB/s, 4 MiB (AMD's product pages).
    for (gpu, bandwidth, caches) in [("RX 6600", 224e9, 34.0), ("RX 5700 XT", 448e9, 4.0)] {
        let card = asked(gpu);
        assert_eq!(number(&card["speed"]["bandwidth"]), bandwidth, "{gpu}");
        let decode = decode(&card);
        let seconds = number(&decode["least"]["memory_seconds"]);
        // Keys and values of one token are left out: less than a thousandth here.
        let expected = (number(&decode["bytes"]) - caches * 1_048_576.0) / bandwidth;
        assert!(seconds <= expected && seconds > expected * 0.96, "{gpu}: {seconds}, {expected}");
        assert!(number(&decode["least"]["seconds"]) >= seconds);
        let most = number(&decode["least"]["tokens_per_second"]);
        assert!((most * number(&decode["least"]["seconds"]) - 1.0).abs() < 1e-9);
    }
    let card = asked("gfx1032");
    assert_eq!((&card["speed"], &decode(&card)["least"]), (&Value::Null, &Value::Null));
}
