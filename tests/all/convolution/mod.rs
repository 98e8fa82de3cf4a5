//! `select conv` on the fixtures' databases.

mod find;
mod kernels;

use crate::common::program::{self, run_at};
use serde_json::Value;
use std::process::Output;

const DATABASES: &str = "fixtures/miopen";

fn select(words: &[&str]) -> Output {
    run_at(100, &[&["select", "conv"], words].concat())
}

fn json(words: &[&str]) -> Value {
    let output = select(&[words, &["-f", "json"]].concat());
    assert!(output.status.success(), "{}", program::said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["solver"].as_str().unwrap()).collect()
}

// The expectations follow from the lines of the fixtures (fixtures/src/gen_miopen_defects.py) and from
// MIOpen's rules as cited; crates/rocm-audit-engines/src/miopen/solver/rules_tests.rs has the problems of a
// published study.

#[test]
fn a_hit_takes_the_fastest_recorded_solver_that_applies() {
    let key = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";
    let report = json(&["--key", key, "--arch", "gfx900", "--cu", "56", DATABASES]);
    assert_eq!(report["outcome"], "hit");
    // The line records ConvBinWinogradRxSf3x2 with 6.63 ms before GemmBwdRest with 6.03 ms.
    assert_eq!(report["pick"]["solver"], "GemmBwdRest");
    assert_eq!(report["pick"]["line"], 4);
    assert_eq!(report["pick"]["file"], "gfx900_56.HIP.fdb.txt");
    assert_eq!(names(&report["recorded"]), ["GemmBwdRest", "ConvBinWinogradRxSf3x2"]);
    assert_eq!(report["recorded"][1]["verdict"], "slower");
}

#[test]
fn workspace_and_switched_off_algorithms_are_passed_over() {
    let key = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";
    let base = ["--key", key, "--arch", "gfx900", "--cu", "56", DATABASES];
    let off = json(&[&base[..], &["--env", "MIOPEN_DEBUG_CONV_GEMM=0"]].concat());
    assert_eq!(off["pick"]["solver"], "ConvBinWinogradRxSf3x2");
    assert!(off["recorded"][0]["because"].as_str().unwrap().contains("MIOPEN_DEBUG_CONV_GEMM"));
    let without = json(&[&base[..], &["--without", "gemm"]].concat());
    assert_eq!(without["pick"]["solver"], "ConvBinWinogradRxSf3x2");
    let none = json(&[&base[..], &["--env", "MIOPEN_DEBUG_DISABLE_FIND_DB=1"]].concat());
    assert_eq!((none["outcome"].as_str(), none["pick"].is_null()), (Some("miss"), true));
}

#[test]
fn a_miss_names_candidates_and_no_pick() {
    let problem = "fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1:g2";
    let report = json(&[problem, "--arch", "gfx900", "--cu", "56", DATABASES]);
    assert_eq!((report["outcome"].as_str(), report["pick"].is_null()), (Some("miss"), true));
    let measured: Vec<_> = report["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["measured"] == true)
        .map(|c| c["solver"].as_str().unwrap())
        .collect();
    // FP32 3x3, stride 1, two groups. A published study of a Vega 64 observed ConvBinWinogradRxSf2x3.
    let expected =
        ["ConvBinWinogradRxSf3x2", "ConvBinWinogradRxSf2x3", "ConvDirectNaiveConvFwd", "GemmFwdRest"];
    assert_eq!(measured, expected);
}

#[test]
fn a_rejection_names_clause_and_place() {
    let problem = "fwd:int8:n32:c64:h56:w56:k64:y1x1";
    let report = json(&[problem, "--arch", "gfx900", "--cu", "64", DATABASES]);
    assert_eq!(names(&report["candidates"]), ["ConvDirectNaiveConvFwd"]);
    let rejected = report["rejected"].as_array().unwrap();
    let of = |solver: &str| rejected.iter().find(|r| r["solver"] == solver).unwrap();
    assert!(of("ConvMlirIgemmFwd")["because"].as_str().unwrap().contains("gfx900"));
    assert!(of("GemmFwd1x1_0_1_int8")["because"].as_str().unwrap().contains("INT32"));
    for r in rejected {
        assert!(r["source"].as_str().unwrap().starts_with("ROCm/"), "{r}");
    }
    let all = report["candidates"].as_array().unwrap().len() + rejected.len();
    assert_eq!(all, 103);
}

#[test]
fn a_number_of_compute_units_without_a_file_is_told() {
    let problem = "fwd:fp32:n1:c16:h7:w7:k16:y1x1";
    let report = json(&[problem, "--arch", "gfx900", "--cu", "60", DATABASES]);
    let find_db = &report["databases"][0];
    assert_eq!((find_db["kind"].as_str(), find_db["state"].as_str()), (Some("find-db"), Some("unreachable")));
    assert_eq!(find_db["wanted"], "gfx900_60.HIP.fdb.txt");
    assert!(report["findings"][0]["id"] == "nearest-database-unreachable");
}

#[test]
fn a_zero_time_is_taken_and_told() {
    let key = "16-7-7-1x1-16-7-7-2-0x0-1x1-1x1-0-NCHW-FP32-F_g4";
    let report = json(&["--key", key, "--arch", "gfx1030", "--cu", "36", DATABASES]);
    assert_eq!(report["pick"]["solver"], "GemmFwd1x1_0_1");
    assert!(report["recorded"][0]["because"].as_str().unwrap().contains("not measured"));
}

#[test]
fn a_users_record_replaces_the_installed_one() {
    let user = "fixtures/miopen/gfx900_64.HIP.3_3_0_1234.ufdb.txt";
    let key = "1-161-700-5x20-32-79-341-1-0x0-2x2-1x1-0-NCHW-FP32-F";
    let base = ["--key", key, "--arch", "gfx900", "--cu", "56", DATABASES];
    assert_eq!(json(&base)["pick"]["line"], 1);
    let report = json(&[&base[..], &["--user-find-db", user]].concat());
    assert_eq!(report["pick"]["solver"], "GemmFwdRest");
    assert_eq!(report["pick"]["time_ms"], 7.5);
    assert_eq!(report["pick"]["file"], user);
}

#[test]
fn problems_are_answered_a_line_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problems.jsonl");
    let lines = [
        r#"{"id": "a", "arch": "gfx900:xnack-", "cu": 56, "key": "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B"}"#,
        r#"{"id": 2, "arch": "gfx1100", "cu": 48, "key": "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-FP16-F", "options": {"without": ["naive"]}}"#,
    ];
    std::fs::write(&file, lines.join("\n")).unwrap();
    let output = select(&["--problems", file.to_str().unwrap(), DATABASES]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!((&answers[0]["id"], &answers[0]["pick"]), (&Value::from("a"), &Value::from("GemmBwdRest")));
    assert_eq!((&answers[1]["id"], &answers[1]["outcome"]), (&Value::from(2), &Value::from("miss")));
    assert!(!answers[1]["candidates"].to_string().contains("Naive"));
}

#[test]
fn the_flow_chart_stands_in_markdown_only() {
    let problem = ["fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1", "--arch", "gfx900", "--cu", "56", DATABASES];
    let text =
        |format: &str| String::from_utf8(select(&[&problem[..], &["-f", format]].concat()).stdout).unwrap();
    let markdown = text("md");
    let chart = markdown.split("```mermaid\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(chart.starts_with("flowchart LR\n"));
    // Every coloured node must exist, and every edge must lead to a node.
    for class in chart.lines().filter_map(|line| line.trim().strip_prefix("class ")) {
        let (ids, _) = class.split_once(' ').unwrap();
        assert!(
            ids.split(',')
                .all(|id| chart.contains(&format!("  {id}[")) || chart.contains(&format!("  {id}{{")))
        );
    }
    assert!(!text("table").contains("flowchart"));
}

#[test]
fn what_is_wrong_is_told() {
    let complaint = |arguments: &[&str]| {
        let output = select(arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let device = ["--arch", "gfx900", "--cu", "64", DATABASES];
    assert!(complaint(&[&["fwd:fp32:n1"][..], &device].concat()).contains("missing"));
    assert!(complaint(&[&["--key", "1-2-3"][..], &device].concat()).contains("no key of a find-db"));
    let part = complaint(&[&["fwd:fp32:n1:c1:h4:w4:k1:y1x1", "--without", "magic"][..], &device].concat());
    assert!(part.contains("mlir"), "{part}");
    assert!(complaint(&["fwd:fp32:n1:c1:h4:w4:k1:y1x1", "--cu", "64", DATABASES]).contains("--arch"));
}

/// A problem on gfx900 with 56 units that no fixture find-db contains.
const MISS: [&str; 6] =
    ["fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1", "--arch", "gfx900", "--cu", "56", DATABASES];

fn text(arguments: &[&str]) -> String {
    let shown = String::from_utf8(select(arguments).stdout).unwrap();
    // Lines are wrapped.
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// By the change log and the registry of ROCm/rocm-libraries.
#[test]
fn what_a_later_release_does_is_said_as_far_as_it_was_read() {
    let key = "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F";
    let takes = |release: &str, cu: &str| {
        let report = json(&["--key", key, "--arch", "gfx1201", "--cu", cu, "--miopen", release]);
        let undecided = report["rules"]["undecided"].as_array().unwrap().len();
        (names(&report["candidates"]).contains(&"ConvWinoFuryRxS<2-3>"), undecided)
    };
    assert_eq!(takes("3.4.0", "32"), (false, 0));
    assert_eq!(takes("3.5.1", "32"), (true, 2));
    let listed = run_at(100, &["list", "solvers", "--miopen", "3.5.1", "--vs", "3.5.2"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("ConvOclBwdWrW53"), "{listed}");
    assert!(
        listed.contains("not decided: since 3.5.2, solvers without a rule here, ConvHipDirectFwd11x11"),
        "{listed}"
    );
    assert!(!listed.contains("since 3.5.1,"), "{listed}");
}

/// What a line of `--problems` leaves open, the options of the call say.
#[test]
fn a_line_without_a_device_is_of_the_device_of_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problems.jsonl");
    let key = "512-28-28-1x1-256-14-14-32-0x0-2x2-1x1-0-NCHW-FP32-F";
    let lines = [
        serde_json::json!({ "id": 1, "key": key }),
        serde_json::json!({ "id": 2, "key": key, "arch": "gfx900", "cu": 56 }),
    ];
    std::fs::write(&file, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let file = file.to_str().unwrap();
    let answers = |device: &[&str]| -> Vec<Value> {
        let call = [&["select", "conv", "--problems", file], device, &[DATABASES]].concat();
        let out = program::run(&call);
        String::from_utf8_lossy(&out.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let both = answers(&["--arch", "gfx900", "--cu", "56"]);
    assert_eq!(both[0]["candidates"], both[1]["candidates"]);
    assert!(both[0]["candidates"].as_array().is_some_and(|all| all.len() > 5));
    assert!(answers(&[])[0]["error"].as_str().unwrap().contains("--arch"));
}

/// The record, or its absence, is observed; what MIOpen does with it is read in its source.
#[test]
fn layers_tell_bytes_from_rules() {
    let said = |report: &Value, text: &str| {
        let layers = report["layers"].as_array().unwrap().iter();
        layers
            .filter(|l| l["text"].as_str().unwrap().contains(text))
            .map(|l| l["evidence"].clone())
            .collect::<Vec<_>>()
    };
    let miss = json(&MISS);
    assert_eq!(said(&miss, "no find-db that MIOpen opens records the problem"), ["observed"]);
    assert_eq!(said(&miss, "MIOpen measures the candidates"), ["code"]);
    // The fixtures contain a kernel database for gfx900_56's processor, but none for gfx1030.
    let other = json(&["fwd:fp32:n1:c16:h9:w9:k16:y1x1", "--arch", "gfx1030", "--cu", "36", DATABASES]);
    assert_eq!(said(&other, "no kernel database"), ["observed"]);
    assert_eq!(said(&other, "compiled when first used"), ["code"]);
    // INT8 output of a 1x1 on gfx900: only the naive solver.
    let single = ["fwd:int8:n32:c64:h56:w56:k64:y1x1", "--arch", "gfx900", "--cu", "64", DATABASES];
    assert_eq!(said(&json(&single), "ConvDirectNaiveConvFwd is the only candidate"), ["code"]);
    assert!(!text(&single).contains("measures"), "{}", text(&single));
}

#[test]
fn the_folder_of_databases_is_the_one_that_the_environment_names() {
    let key = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";
    let empty = tempfile::tempdir().unwrap();
    let at = |path: &str| {
        let env = format!("MIOPEN_SYSTEM_DB_PATH={path}");
        json(&["--key", key, "--arch", "gfx900", "--cu", "56", DATABASES, "--env", &env])
    };
    assert_eq!(at(empty.path().to_str().unwrap())["outcome"], "miss");
    assert_eq!(at(DATABASES)["outcome"], "hit");
    let told = at(DATABASES)["findings"].to_string();
    assert!(!told.contains("variable-not-modelled"), "{told}");
}

#[test]
fn variables_are_modelled_or_not_with_a_reason_and_bad_values_are_refused() {
    let why = |variable: &str| {
        let report = json(&[&MISS[..], &["--env", variable]].concat());
        let findings = report["findings"].as_array().unwrap().clone();
        findings
            .iter()
            .find(|f| f["id"] == "variable-not-modelled")
            .map(|f| f["detail"].as_str().unwrap().to_owned())
    };
    assert!(why("MIOPEN_FOO=1").unwrap().contains("reads no variable of this name"));
    assert!(why("MIOPEN_LOG_LEVEL=6").unwrap().contains("logged"));
    assert!(why("MIOPEN_DEVICE_CU=64").unwrap().contains("--cu"));
    for modelled in
        ["MIOPEN_FIND_MODE=3", "MIOPEN_DEBUG_CONV_DIRECT_OCL_WRW2=0", "MIOPEN_WORKAROUND_ISSUE_2789=0"]
    {
        assert_eq!(why(modelled), None, "{modelled}");
    }
    for bad in ["MIOPEN_FIND_MODE=quick", "MIOPEN_FIND_ENFORCE=all", "MIOPEN_DEBUG_FIND_ONLY_SOLVER=NoSuch"] {
        let output = select(&[&MISS[..], &["--env", bad]].concat());
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("MIOpen stops at this value"), "{bad}");
    }
}

/// No release is silently answered by another's rules, whether the user names a release or not.
#[test]
fn a_release_without_rules_of_its_own_is_answered_by_those_of_another_and_says_so() {
    let base = ["fwd:fp16:n32:c64:h56:w56:k64:y3x3:p1", "--arch", "gfx950", "--cu", "256", DATABASES];
    let asked = |version: &str| json(&[&base[..], &["--miopen", version]].concat());
    let told = |report: &Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|f| f["id"] == "rules-of-nearest-version").count() == 1
    };
    for (version, later) in [("2.0.0", 0), ("3.4.1", 1), ("3.5.1", 2), ("4.0.0", 3)] {
        let report = asked(version);
        let rules = &report["rules"];
        assert_eq!((rules["miopen"].as_str(), rules["rules_of"].as_str()), (Some(version), Some("3.3.0")));
        assert_eq!((rules["exact"].as_bool(), told(&report)), (Some(false), true), "{version}");
        assert_eq!(rules["later"].as_array().unwrap().len(), later, "{version}");
    }
    // 3.4.0 was compared with its library.
    for version in ["3.3.0", "3.4.0"] {
        let exact = asked(version);
        assert_eq!((exact["rules"]["exact"].as_bool(), told(&exact)), (Some(true), false), "{version}");
    }
    let text = select(&[&base[..], &["--miopen", "4.0.0"]].concat()).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("those of MIOpen 3.3.0 answer instead of those of 4.0.0"), "{text}");
    // The lists contain gfx950 from 3.5.1 on.
    let candidates = |version: &str| names(&asked(version)["candidates"]).join(" ");
    let solver = "ConvHipImplicitGemmGroupFwdXdlops";
    assert!(!candidates("3.3.0").contains(solver) && candidates("3.5.1").contains(solver));
}

/// `IsXdlopsSupport` in implicitgemm_util.hpp of MIOpen 3.3.0 reads both variables.
#[test]
fn the_switches_of_xdlops_decide() {
    let key = "64-28-28-3x3-64-28-28-16-1x1-1x1-1x1-0-NCHW-FP16-F";
    let takes = |target: &str, variable: &str| {
        let call = ["--key", key, "--arch", target, "--cu", "64", "--env", variable, DATABASES];
        let report = json(&call);
        let refused = report["rejected"].as_array().unwrap().iter();
        !refused.clone().any(|r| r["clause"].as_str().unwrap().starts_with("xdlops"))
    };
    assert!(!takes("gfx900", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS_EMULATE=0"));
    assert!(takes("gfx900", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS_EMULATE=1"));
    assert!(takes("gfx908", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS=1"));
    assert!(!takes("gfx908", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS=0"));
}

/// ViT-B/32's patch embedding: the real library (3.4.0) dies of SIGFPE at batch 1, but not at batch 2.
#[test]
fn a_division_by_zero_is_foreseen() {
    let ids = |batch: u32, mode: &str| {
        let problem = format!("fwd:fp32:n{batch}:c3:h224:w224:k768:y32x32:s32:p0");
        let report = json(&[&problem, "--arch", "gfx906", "--cu", "60", DATABASES, "--env", mode]);
        report["findings"].as_array().unwrap().iter().any(|found| found["id"] == "convolution-crashes")
    };
    assert!(ids(1, "MIOPEN_FIND_MODE=NORMAL"));
    assert!(!ids(2, "MIOPEN_FIND_MODE=NORMAL"));
    assert!(!ids(1, "MIOPEN_FIND_MODE=DYNAMIC_HYBRID"), "it is not searched by default");
}
