//! Answers on `HSA_OVERRIDE_GFX_VERSION`: dangers first, file by file, and not for Windows; also on a message
//! if a library has the target in only some files.

use crate::common::bundles::bundle_for;
use crate::common::program::run;
use crate::common::trees::{library_for as library, object_for as object};
use crate::common::{elf, fixture, seen};
use serde_json::Value;
use tempfile::TempDir;

/// Range of the fixture's `.text`.
const TEXT: std::ops::Range<usize> = 0x700..0x900;

/// A code object for gfx908 with register ranges that begin at an odd register, twice, and once at an even
/// one: LLVM 22's `llvm-mc -mcpu=gfx908` output for `v_add_f64 v[1:2], v[3:4], v[5:6]` and `v_add_f64 v[2:3],
/// v[4:5], v[6:7]`, before `s_endpgm` and `s_nop 0`. With `-mcpu=gfx90a` it refuses the first: "invalid
/// operand for instruction".
fn odd_object() -> Vec<u8> {
    let mut bytes = object("gfx908");
    let [odd, even] = [[0xd280_0001_u32, 0x0002_0b03], [0xd280_0002, 0x0002_0d04]];
    let words =
        [odd, odd, even].concat().into_iter().chain([0xbf81_0000]).chain(std::iter::repeat(0xbf80_0000));
    for (place, word) in TEXT.step_by(4).zip(words) {
        bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Three variants of one library, as bitsandbytes ships for each ROCm release: all have gfx1030 and gfx1100,
/// and only the last also has gfx1031 and gfx1032.
fn variants() -> TempDir {
    let older = library(&["gfx1030", "gfx1100"]);
    let newer = library(&["gfx1030", "gfx1100", "gfx1031", "gfx1032"]);
    seen::folder(&[
        ("bitsandbytes/libbitsandbytes_rocm64.so", &older),
        ("bitsandbytes/libbitsandbytes_rocm72.so", &older),
        ("bitsandbytes/libbitsandbytes_rocm714.so", &newer),
    ])
}

/// The output, on one line.
fn text(words: &[&str]) -> String {
    let output = run(words);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{words:?}: {said}");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(words: &[&str]) -> Value {
    let output = run(&[words, &["-f", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn path(tree: &TempDir) -> &str {
    tree.path().to_str().unwrap()
}

#[test]
fn another_major_version_is_not_safe_whatever_else_holds() {
    let (tree, both) = (variants(), seen::folder(&[("libx.so", &library(&["gfx1032", "gfx1100"]))]));
    for tree in [&tree, &both] {
        let asked = ["explain", "--override", "11.0.0", "--gpu", "RX 6600", path(tree)];
        assert_eq!(json(&asked)["answer"], "cross-major");
        let said = text(&asked);
        let (danger, need) = (said.find("Not safe"), said.find("Nor is it needed"));
        assert!(danger.is_some() && need.is_none_or(|at| danger < Some(at)), "{said}");
        assert!(!said.contains("not needed") && !said.contains('✓'), "{said}");
    }
    // If everything that would be loaded also has the card's own code, this is stated as well.
    assert!(
        text(&["explain", "--override", "11.0.0", "--gpu", "RX 6600", path(&both)])
            .contains("Nor is it needed")
    );
    let rocm = ["explain", "--override", "11.0.0", "--gpu", "RX 6600", "fixtures/rocm"];
    assert!(!text(&rocm).contains('✓'));
}

#[test]
fn a_library_is_judged_file_by_file() {
    let tree = variants();
    let report = json(&["explain", "--override", "10.3.0", "--gpu", "RX 6600", path(&tree)]);
    let own = &report["libraries"][0];
    assert_eq!((&report["answer"], &own["needed"]), (&"legal".into(), &true.into()));
    let names = |field: &str| -> Vec<String> {
        let all = own[field].as_array().unwrap().iter();
        all.map(|path| path.as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names("needed_by"), ["libbitsandbytes_rocm64.so", "libbitsandbytes_rocm72.so"]);
    assert_eq!(names("not_needed_by"), ["libbitsandbytes_rocm714.so"]);
    let said = text(&["explain", "--override", "10.3.0", "--gpu", "RX 6600", path(&tree)]);
    assert!(said.contains("needed by its variants for ROCm 6.4, 7.2; its variant for ROCm 7.14"), "{said}");
    // The files with code for gfx1031 are the same as those with code for gfx1032.
    let report = json(&["explain", "--override", "10.3.1", "--gpu", "RX 6600", path(&tree)]);
    assert_eq!((&report["answer"], &report["better"]), (&"unneeded".into(), &"10.3.0".into()));
}

#[test]
fn the_better_value_is_the_one_that_helps() {
    let better = |tree: &TempDir| {
        json(&["explain", "--override", "9.0.0", "--gpu", "RX 6600", path(tree)])["better"].clone()
    };
    assert_eq!(better(&variants()), "10.3.0", "gfx1031 is nearer and only where gfx1032 is");
    let all = seen::folder(&[("libx.so", &library(&["gfx1030", "gfx1032"]))]);
    assert_eq!(better(&all), Value::Null, "nothing lacks gfx1032");
}

#[test]
fn an_override_is_offered_for_the_files_that_lack_the_card() {
    let tree = variants();
    let verdict = json(&["--gpu", "RX 6600", path(&tree)])["verdicts"][0].clone();
    assert_eq!((&verdict["answer"], &verdict["overrides"][0]["value"]), (&"limits".into(), &"10.3.0".into()));
    assert_eq!(verdict["overrides"][0]["needed_by"].as_array().unwrap().len(), 2);
    assert_eq!(verdict["overrides"].as_array().unwrap().len(), 1, "gfx1031 helps no file: {verdict}");
    let said = text(&["--gpu", "RX 6600", path(&tree)]);
    assert!(said.contains("with it bitsandbytes: its variants for ROCm 6.4, 7.2 would have code"), "{said}");
    // Next to a library without any code for the card, it helps that as well.
    let other = seen::folder(&[("librocrand.so.1", &library(&["gfx1030"]))]);
    let verdict = json(&["--gpu", "RX 6600", path(&tree), path(&other)])["verdicts"][0].clone();
    let with = verdict["with_override"].as_array().unwrap();
    let with: Vec<&str> = with.iter().map(|one| one["library"].as_str().unwrap()).collect();
    assert_eq!(with, ["bitsandbytes", "rocRAND"]);
    // A file with only the card's code stops running, and is named.
    let lost = seen::folder(&[("librocsparse.so.1", &library(&["gfx1032"]))]);
    let words = ["--gpu", "RX 6600", path(&tree), path(&other), path(&lost)];
    let best = json(&words)["verdicts"][0]["overrides"][0].clone();
    assert_eq!(best["lost_by"].as_array().unwrap().len(), 1, "{best}");
    assert!(text(&words).contains("librocsparse.so.1, with code for gfx1032 only"));
}

/// What an override does not help is named beside what it does: a program may need it.
#[test]
fn what_stays_without_code_is_named() {
    let tree = seen::folder(&[
        ("librocrand.so.1", &library(&["gfx1030"])),
        ("librccl.so.1", &library(&["gfx1100"])),
        ("librocsparse.so.1", &library(&["gfx1032"])),
    ]);
    let asked = ["--gpu", "RX 6600", path(&tree)];
    let verdict = json(&asked)["verdicts"][0].clone();
    assert_eq!(verdict["without_override"], serde_json::json!(["RCCL"]), "{verdict}");
    assert!(text(&asked).contains("RCCL stay without code"), "{}", text(&asked));
    let asked = ["explain", "--override", "10.3.0", "--gpu", "RX 6600", path(&tree)];
    let without = json(&asked)["without"].clone();
    assert_eq!(without[0]["library"], "RCCL", "{without}");
    assert_eq!(without.as_array().unwrap().len(), 1);
    assert!(text(&asked).contains("Without code still: RCCL."), "{}", text(&asked));
}

#[test]
fn windows_has_no_override() {
    // Its code is for gfx906 and gfx1100.
    let library = "fixtures/containers/pe/kernels.dll";
    let verdict = json(&["--gpu", "780M", library])["verdicts"][0].clone();
    assert_eq!(
        (&verdict["overrides"], &verdict["only_on_windows"]),
        (&Value::Array(Vec::new()), &true.into())
    );
    assert!(
        text(&["--gpu", "780M", library]).contains("override none: HSA_OVERRIDE_GFX_VERSION is of Linux")
    );
    let asked = ["explain", "--override", "11.0.0", "--gpu", "780M", library];
    assert_eq!(json(&asked)["answer"], "windows");
    assert!(text(&asked).contains("Useless here") && !text(&asked).contains('✓'));
    assert_eq!(json(&["explain", "--override", "10.3.0", "--gpu", "780M", library])["answer"], "cross-major");
    // Linux files elsewhere benefit as usual.
    let linux = seen::folder(&[("libx.so", &self::library(&["gfx1100"]))]);
    let verdict = json(&["--gpu", "780M", library, path(&linux)])["verdicts"][0].clone();
    assert_eq!(
        (&verdict["overrides"][0]["value"], &verdict["only_on_windows"]),
        (&"11.0.0".into(), &false.into())
    );
}

#[test]
fn a_message_is_decided_file_by_file() {
    let tree = variants();
    let error = "HIP error: invalid device function";
    let asked = ["explain", "--error", error, "--gpu", "RX 6600", path(&tree)];
    let answer = json(&asked)["tree"].clone();
    let names = |answer: &Value, field: &str| -> Vec<String> {
        let all = answer[field].as_array().unwrap().iter();
        all.map(|one| one["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&answer, "lacking"), ["libbitsandbytes_rocm64.so", "libbitsandbytes_rocm72.so"]);
    assert_eq!(names(&answer, "serving"), ["libbitsandbytes_rocm714.so"]);
    let said = text(&asked);
    assert!(said.contains("in 1 of its 3 files (variant for ROCm 7.14) and none in 2"), "{said}");
    assert!(
        said.contains("serving libbitsandbytes_rocm714.so") || said.contains("serving bitsandbytes"),
        "{said}"
    );
    // A message that names one of the files is about that file.
    for (name, verdict) in [("rocm72", "confirmed"), ("rocm714", "not-the-files")] {
        let error = format!(
            "Cannot find CO in the bundle /x/bitsandbytes/libbitsandbytes_{name}.so for ISA: amdgcn-amd-amdhsa--gfx1032"
        );
        let answer = json(&["explain", "--error", &error, path(&tree)])["tree"].clone();
        let files = [names(&answer, "lacking"), names(&answer, "serving")].concat();
        assert_eq!(answer["verdict"], verdict, "{answer}");
        assert_eq!(files, [format!("libbitsandbytes_{name}.so")]);
    }
}

#[test]
fn registers_that_the_card_refuses_are_counted_and_said_alike_everywhere() {
    let body = odd_object();
    let library = elf::library(&[(".hip_fatbin", &bundle_for(&[("gfx908", &body)], 4096))]);
    let tree = seen::folder(&[("libx.so", &library)]);
    let asked = ["explain", "--override", "9.0.8", "--gpu", "MI210", path(&tree)];
    let report = json(&asked);
    assert_eq!(report["answer"], "illegal", "{report}");
    let rows = report["libraries"][0]["absent"]["mnemonics"].as_array().unwrap();
    let odd: Vec<u64> = rows
        .iter()
        .filter(|row| row["odd_registers"] == true)
        .map(|row| row["count"].as_u64().unwrap())
        .collect();
    assert_eq!(odd, [2], "{report}");
    // gfx908's kernels state no ACCUM_OFFSET, which gfx90a reads.
    assert!(report["because"].as_str().unwrap().contains("ACCUM_OFFSET"), "{report}");
    // The audit's JSON and both screens say the same.
    let best = json(&["--gpu", "MI210", path(&tree)])["verdicts"][0]["overrides"][0].clone();
    assert_eq!((&best["is_legal"], &best["answer"]), (&false.into(), &"illegal".into()), "{best}");
    assert_eq!(best["because"], report["because"]);
    for words in [&asked[..], &["--gpu", "MI210", path(&tree)]] {
        let said = text(words);
        let is_so =
            said.contains("Not safe: gfx90a does not start kernels") && !said.contains("robably safe");
        assert!(is_so, "{said}");
    }
    // What is advised for a message of the same card says no other thing.
    let message = "No compatible code objects found for: gfx90a";
    let advised = json(&["explain", "--error", message, path(&tree)])["advice"].clone();
    let advised = advised.as_str().unwrap();
    assert!(
        advised.contains("No override helps") && advised.contains("Not safe: gfx90a does not"),
        "{advised}"
    );
    // An unsafe value is refused if an answer would be based on it.
    let refused = run(&["--gpu", "MI210", "--override", "9.0.8", path(&tree)]);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && told.contains("Not safe"), "{told}");
}

#[test]
fn of_two_legal_values_that_with_the_same_register_file_is_named() {
    // LLVM gives gfx1151 and gfx1100 the larger register file (`allocate1_5xvgprs`), but not gfx1102.
    let tree = seen::folder(&[("libx.so", &library(&["gfx1100", "gfx1102"]))]);
    let best = json(&["--gpu", "gfx1151", path(&tree)])["verdicts"][0]["overrides"][0].clone();
    assert_eq!((&best["value"], &best["answer"]), (&"11.0.0".into(), &"legal".into()));
    let other = json(&["explain", "--override", "11.0.2", "--gpu", "gfx1151", path(&tree)]);
    assert_eq!((&other["answer"], &other["better"]), (&"legal-with-differences".into(), &"11.0.0".into()));
    // gfx1103 has the smaller one.
    let best = json(&["--gpu", "gfx1103", path(&tree)])["verdicts"][0]["overrides"][0].clone();
    assert_eq!(best["value"], "11.0.2");
    // The card's own version changes nothing.
    let own = ["explain", "--override", "11.5.1", "--gpu", "gfx1151", path(&tree)];
    assert_eq!((&json(&own)["answer"], &json(&own)["better"]), (&"useless".into(), &"11.0.0".into()));
    assert!(text(&own).contains("Useless here") && !text(&own).contains("not needed"));
}

#[test]
fn what_is_not_safe_is_an_error_and_a_generic_target_has_no_override() {
    let tree = variants();
    let status = |words: &[&str]| run(words).status.code();
    let unsafe_one = ["explain", "--override", "11.0.0", "--gpu", "RX 6600", path(&tree)];
    assert_eq!(status(&unsafe_one), Some(0));
    assert_eq!(status(&[&unsafe_one[..], &["--fail-on", "error"]].concat()), Some(1));
    assert_eq!(
        status(&["explain", "--override", "10.3.0", "--gpu", "RX 6600", "--fail-on", "error", path(&tree)]),
        Some(0)
    );
    assert_eq!(
        status(&["explain", "--override", "10.3.0", "--arch", "gfx10-3-generic", path(&tree)]),
        Some(2)
    );
    assert_eq!(
        status(&["explain", "--override", "gfx10-3-generic", "--gpu", "RX 6600", path(&tree)]),
        Some(2)
    );
    let verdict = json(&["--arch", "gfx11-generic", path(&tree)])["verdicts"][0].clone();
    assert_eq!(verdict["overrides"], Value::Array(Vec::new()));
}

#[test]
fn an_answer_can_take_an_override_as_set() {
    let tree = seen::folder(&[("libx.so", &library(&["gfx1030"]))]);
    let report = json(&["--gpu", "RX 6600", "--override", "10.3.0", path(&tree)]);
    let (claim, verdict) = (&report["claim"], &report["verdicts"][0]);
    assert_eq!(
        (&claim["card"], &claim["claimed"], &claim["answer"]),
        (&"gfx1032".into(), &"gfx1030".into(), &"legal".into())
    );
    // The answer is gfx1030's, for the card that was named.
    assert_eq!((&verdict["processor"], &verdict["answer"]), (&"gfx1030".into(), &"runs".into()));
    assert_eq!(verdict["products"], Value::Array(vec!["Radeon RX 6600".into()]));
    assert_eq!(json(&["--gpu", "RX 6600", path(&tree)])["verdicts"][0]["answer"], "not");
    let line = "gfx1032 as gfx1030 by HSA_OVERRIDE_GFX_VERSION=10.3.0. Probably safe: gfx1032 runs every instruction of gfx1030 code";
    let audit: &[&str] = &["--gpu", "RX 6600", "--override", "10.3.0", path(&tree)];
    let survey: &[&str] = &["survey", "RX 6600", "--override", "10.3.0", path(&tree)];
    let model: &[&str] = &["model", "fixtures/model/small.gguf", "--gpu", "RX 6600", "--override", "10.3.0"];
    for words in [audit, survey, model] {
        assert!(text(words).contains(line), "{}", text(words));
        assert_eq!(json(words)["claim"]["value"], "10.3.0");
    }
    // The compute units are the card's: HIP counts 14 work group processors for an RX 6600.
    assert!(
        text(survey).contains("14 multiprocessors of two compute units each, as the card has"),
        "{}",
        text(survey)
    );
    for (words, expected) in [
        (&["--gpu", "RX 6600", "--override", "11.0.0"][..], "Values for code that gfx1032 runs: "),
        (&["--gpu", "RX 6600", "--override", "10.3"], "expected three numbers"),
        (&["--gpu", "RX 6600,780M", "--override", "10.3.0"], "one card"),
    ] {
        let refused = run(&[words, &[path(&tree)]].concat());
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && told.contains(expected), "{told}");
    }
}

#[test]
fn no_override_is_advised_that_cannot_be() {
    let log = "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1201";
    let advice = json(&["explain", "--error", log, "fixtures/rocm/lib/rocblas"])["advice"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(advice.contains("No override helps") && !advice.contains("HSA_OVERRIDE"), "{advice}");
    let alone = json(&["explain", "--error", log])["advice"].as_str().unwrap().to_owned();
    assert!(!alone.contains("sibling"), "{alone}");
}

/// Of a library's kernels those run whose every instruction the card has; LLVM's assembler takes v_dot4_i32_i8 and
/// v_dot8_u32_u4 for gfx906 and refuses them for gfx900.
#[test]
fn kernels_are_judged_one_by_one() {
    let bytes = std::fs::read(fixture("instructions/kernels_gfx906.co")).unwrap();
    let tree = seen::folder(&[("lib/libx.so", &bytes)]);
    let report = json(&["explain", "--override", "9.0.6", "--gpu", "gfx900", path(&tree)]);
    let library = &report["libraries"][0];
    let absent = &library["absent"];
    let kernels = library["kernels"].as_u64().unwrap();
    let refused = absent["kernels"].as_u64().unwrap();
    assert!(refused > 0 && refused < kernels, "{library}");
    for row in absent["mnemonics"].as_array().unwrap() {
        assert!(row["kernels"].as_u64().unwrap() <= row["count"].as_u64().unwrap(), "{row}");
        assert!(row["kernels"].as_u64().unwrap() <= refused, "{row}");
    }
    let run = kernels - refused - library["trap_stubs"].as_u64().unwrap();
    let names = absent["first_kernels"].as_array().unwrap();
    assert!(names.iter().any(|name| name == "real_dot"), "{names:?}");
    let said = text(&["explain", "--override", "9.0.6", "--gpu", "gfx900", path(&tree)]);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(&format!("gfx900 runs {run} of them, and does not run {refused}")), "{said}");
}
