//! The command line.

use super::words::vectors;
use super::{counts, expected, fixtures};
use crate::common::program::{command, fed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Output;

fn run(words: &[&str], input: &str) -> Output {
    fed(command(words).current_dir(fixtures()), input.as_bytes())
}

fn text(words: &[&str], input: &str) -> String {
    let output = run(words, input);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    let output = run(words, "");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn isa_decode_answers_a_line_a_line() {
    let mut by_processor: BTreeMap<String, (String, String)> = BTreeMap::new();
    for [processor, hex, mnemonic, length] in vectors() {
        let (input, output) = by_processor.entry(processor).or_default();
        *input += &format!("{hex}\n");
        *output += &format!("{mnemonic}\t{length}\n");
    }
    for processor in ["gfx803", "gfx908", "gfx1030", "gfx1200"] {
        let (input, output) = &by_processor[processor];
        assert_eq!(text(&["explain", processor, "--decode", "--like-llvm"], input), *output, "{processor}");
    }
}

#[test]
fn isa_decode_all_goes_on_behind_each_instruction() {
    // s_mov_b32 s0, 0x12345678; v_mov_b32 v0, v1; an invalid word; zeros; s_endpgm; a tail.
    let line = "ff0080be 78563412 0103007e ffffffff 00000000 00000000 000081bf 0102\n";
    let told = "s_mov_b32\t8\nv_mov_b32_e32\t4\n-\t0\nv_cndmask_b32_e32\t4\nv_cndmask_b32_e32\t4\ns_endpgm\t4\n-\t0\n";
    assert_eq!(text(&["explain", "gfx906", "--decode", "--all"], line), told);
    assert_eq!(
        text(&["explain", "gfx906:sramecc+:xnack-", "--decode"], "[0x00,0x00,0x81,0xbf]\n"),
        "s_endpgm\t4\n"
    );
    assert_eq!(text(&["explain", "gfx906", "--decode"], ""), "");
    assert_eq!(text(&["explain", "gfx906", "--decode"], "\n"), "-\t0\n");
}

#[test]
fn isa_decode_says_which_line_is_no_hex_and_answers_the_others() {
    for bad in ["0000 81b", "hello", "00008zbf", "+0008100", "0000é100"] {
        let output = run(&["explain", "gfx906", "--decode"], &format!("000081bf\n{bad}\n000080bf\n"));
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "s_endpgm\t4\n-\t0\ns_nop\t4\n", "{bad}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("line 2"), "{bad}: {error}");
    }
}

#[test]
fn an_unknown_target_is_refused_with_those_that_are_known() {
    for words in [
        &["explain", "gfx9999", "--isa"][..],
        &["explain", "gfx9999", "--decode"],
        &["explain", "gfx906", "--vs", "gfx9999"],
        &["fatbin", "--legal-on", "gfx9999", "instructions/gfx700.co"],
        &["explain", "--isa"],
    ] {
        let output = run(words, "");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(if words.len() > 2 { "gfx906" } else { "one target" }), "{words:?}: {error}");
    }
}

/// Mnemonics of all classes of a list.
fn mnemonics(rows: &Value) -> Vec<&str> {
    let classes = rows.as_array().unwrap().iter().flat_map(|row| row["mnemonics"].as_array().unwrap());
    let mut all: Vec<&str> = classes.map(|m| m.as_str().unwrap()).collect();
    all.sort_unstable();
    all
}

#[test]
fn gfx906_differs_from_gfx900_as_llvm_says() {
    let report = json(&["explain", "gfx906", "--vs", "gfx900", "-f", "json"]);
    let difference = &report["difference"];
    // LLVM: FeatureFmaMixInsts, FeatureDLInsts, FeatureDot1Insts, FeatureDot2Insts, FeatureDot7Insts,
    // FeatureDot10Insts for FeatureMadMixInsts.
    let gained = mnemonics(&difference["gained"]);
    for mnemonic in [
        "v_dot2_f32_f16",
        "v_dot2_i32_i16",
        "v_dot2_u32_u16",
        "v_dot4_i32_i8",
        "v_dot4_u32_u8",
        "v_dot8_i32_i4",
        "v_dot8_u32_u4",
        "v_fma_mix_f32",
        "v_fma_mixhi_f16",
        "v_fma_mixlo_f16",
        "v_fmac_f32_e32",
        "v_fmac_f32_e64",
        "v_xnor_b32_e32",
        "v_xnor_b32_e64",
    ] {
        assert!(gained.contains(&mnemonic), "{mnemonic}: {gained:?}");
    }
    assert!((14..=17).contains(&gained.len()), "{gained:?}");
    assert_eq!(mnemonics(&difference["lost"]), ["v_mad_mix_f32", "v_mad_mixhi_f16", "v_mad_mixlo_f16"]);
    let features = |key: &str| -> Vec<&str> {
        difference[key].as_array().unwrap().iter().map(|f| f["feature"].as_str().unwrap()).collect()
    };
    assert!(features("features_gained").contains(&"dot1-insts"), "{difference}");
    assert!(features("features_lost").contains(&"mad-mix-insts"), "{difference}");
    assert_eq!(difference["renamed"].as_array().unwrap().len(), 3);
    let same = json(&["explain", "gfx1030", "--vs", "gfx1031", "-f", "json"]);
    assert!(mnemonics(&same["difference"]["gained"]).is_empty(), "one family");
}

/// Rows of mnemonic and count as a map.
fn rows(rows: &Value) -> BTreeMap<String, u64> {
    let row = |row: &Value| (row["mnemonic"].as_str().unwrap().to_owned(), row["count"].as_u64().unwrap());
    rows.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn fatbin_isa_tells_what_llvm_tells() {
    for name in ["kernels_gfx1100.co", "gfx900_zeros.co", "gfx700.co"] {
        let truth = &expected()[name];
        let report = json(&["fatbin", "--isa", "-f", "json", &format!("instructions/{name}")]);
        let file = &report["files"][0];
        let [target] = &file["targets"].as_array().unwrap()[..] else { panic!("{name}") };
        let isa = &target["instructions"];
        let told = counts(&truth["histogram"]);
        assert_eq!(rows(&isa["mnemonics"]), told, "{name}");
        assert_eq!(isa["instructions"], told.values().sum::<u64>(), "{name}");
        let seen = [&isa["unknown_words"], &isa["zero_bytes"], &isa["data_bytes"], &isa["code_objects"]];
        assert_eq!(
            json!(seen),
            json!([truth["unknown"], truth["zero_bytes"], truth["data_bytes"], 1]),
            "{name}"
        );
        assert_eq!(isa["not_decoded"], 0, "{name}");
        assert_eq!(report["complete"], true, "{name}");
        assert!(
            isa["absent"].is_null() && file["kernel_instructions"].as_array().unwrap().is_empty(),
            "{name}"
        );
        let in_classes: u64 = isa["classes"]
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .take(6)
            .map(|c| c["observed"].as_u64().unwrap())
            .sum();
        assert_eq!(in_classes, told.values().sum::<u64>(), "{name}: the last six classes divide all");
    }
}

#[test]
fn fatbin_isa_tells_single_kernels() {
    let name = "kernels_gfx1100.co";
    let truth = &expected()[name]["kernels"];
    let path = format!("instructions/{name}");
    let report = json(&["fatbin", "--isa", "^(stub|real_dot)", "-f", "json", &path]);
    let kernels = report["files"][0]["kernel_instructions"].as_array().unwrap().clone();
    assert_eq!(kernels.len(), 5);
    for kernel in &kernels {
        let truth = &truth[kernel["name"].as_str().unwrap()];
        assert_eq!(rows(&kernel["mnemonics"]), counts(&truth["histogram"]));
        let words = kernel["body"].as_str().map(|body| body.replace('-', " "));
        assert_eq!((words.as_deref(), &kernel["bytes"]), (truth["body"].as_str(), &truth["bytes"]));
    }
    let report = json(&["fatbin", "--kernels", "", "--isa", "", "-f", "json", &path]);
    for kernel in report["kernels"].as_array().unwrap() {
        let truth = &truth[kernel["name"].as_str().unwrap()];
        assert_eq!(kernel["instructions"], counts(&truth["histogram"]).values().sum::<u64>(), "{kernel}");
        let words = kernel["body"].as_str().map(|body| body.replace('-', " "));
        assert_eq!(words.as_deref(), truth["body"].as_str(), "{kernel}");
    }
}

#[test]
fn isa_class_shows_only_the_mnemonics_of_a_class() {
    let name = "kernels_gfx908.co";
    let shown = text(&["fatbin", "--isa-class", "dot4,mfma", &format!("instructions/{name}")], "");
    let shown: Vec<_> = shown.lines().filter(|line| line.starts_with(" v_")).collect();
    let told = counts(&expected()[name]["histogram"]);
    let mut told = told.iter().filter(|(m, _)| m.starts_with("v_dot4") || m.starts_with("v_mfma"));
    let line = |(m, n): (&String, &u64)| shown.iter().any(|s| s.split_whitespace().eq([m, &n.to_string()]));
    assert!(shown.len() == 5 && told.clone().count() == 5 && told.all(line), "{shown:?}");
    let output = run(&["fatbin", "--isa-class", "dots", "instructions/gfx700.co"], "");
    assert!(output.status.code() == Some(2) && String::from_utf8(output.stderr).unwrap().contains("dot4"));
}

#[test]
fn legal_on_tells_what_the_other_lacks() {
    let absent = |name: &str, processor: &str| {
        let path = format!("instructions/{name}");
        let report = json(&["fatbin", "--legal-on", processor, "-f", "json", &path]);
        report["files"][0]["targets"][0]["instructions"]["absent"].clone()
    };
    let list = |rows: &Value| {
        let row = |row: &Value| json!([row["mnemonic"], row["there"], row["count"]]).to_string();
        let mut list: Vec<_> = rows.as_array().unwrap().iter().map(row).collect();
        list.sort();
        list
    };
    for (name, processor) in [("kernels_gfx906.co", "gfx900"), ("kernels_gfx1030.co", "gfx1100")] {
        let seen = absent(name, processor);
        assert_eq!(seen["processor"], processor);
        assert_eq!(
            list(&seen["mnemonics"]),
            list(&expected()[name]["absent"][processor]),
            "{name} on {processor}"
        );
    }
    assert_eq!(absent("kernels_gfx1030.co", "gfx1036")["instructions"], 0);
    assert!(
        absent("kernels_gfx906.co", "gfx900")["mnemonics"].to_string().contains("real_dot"),
        "the first kernel"
    );
}

#[test]
fn an_audit_tells_the_sums_of_all_files() {
    let report = json(&["--isa", "-f", "json", "instructions"]);
    let mut told: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    for truth in expected().values() {
        let stubs =
            truth["kernels"].as_object().unwrap().values().filter(|k| k["body"] == "trap stub").count();
        let sums = told.entry(truth["processor"].as_str().unwrap().to_owned()).or_default();
        let instructions = counts(&truth["histogram"]).values().sum();
        for (sum, more) in
            sums.iter_mut().zip([1, instructions, truth["unknown"].as_u64().unwrap(), stubs as u64])
        {
            *sum += more;
        }
    }
    let number = |row: &Value| row.as_u64().unwrap();
    let row = |row: &Value| {
        let processor = row["processor"].as_str().unwrap().to_owned();
        let numbers =
            [&row["code_objects"], &row["instructions"], &row["unknown_words"], &row["bodies"]["trap-stub"]];
        (processor, numbers.map(number))
    };
    let seen: BTreeMap<String, [u64; 4]> =
        report["instructions"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(seen, told);
    let without = json(&["-f", "json", "instructions"]);
    assert!(without["instructions"].as_array().is_none_or(Vec::is_empty), "decoded only where asked");
}

/// A pattern with the brackets of a template names kernels by their demangled names; what their metadata state
/// stands in the comparison as it does for mangled names.
#[test]
fn kernels_named_by_templates_are_compared_with_their_registers() {
    let of = |pattern: &str| -> serde_json::Value {
        let isa = format!("--isa={pattern}");
        let words =
            ["fatbin", "fixtures/ggml/plain/libggml-hip.so", "--arch", "gfx900", &isa, "--vs", "gfx1100"];
        crate::common::program::json(&words)["kernel_pairs"]["pairs"].clone()
    };
    let template = of(r"mul_mat_vec_q<.ggml_type.12, 1,");
    assert!(!template.as_array().unwrap().is_empty());
    for pair in template.as_array().unwrap() {
        let vgprs = pair["numbers"].as_array().unwrap().iter().find(|row| row["what"] == "vgprs").unwrap();
        assert!(vgprs["here"].is_u64() && vgprs["there"].is_u64(), "{pair}");
    }
}
