//! `select conv` on the fixtures' databases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::Value;
use std::process::{Command, Output};

const DATABASES: &str = "fixtures/miopen";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rocm-audit"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["select", "conv"])
        .args(arguments)
        .env_remove("ROCM_PATH")
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["-f", "json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["solver"].as_str().unwrap()).collect()
}

// The expectations follow from the lines of the fixtures (fixtures/src/gen_miopen_defects.py) and from MIOpen's rules as
// they are cited; the problems of a published study are in src/engines/miopen/solver/rules_tests.rs.

#[test]
fn a_hit_takes_the_fastest_recorded_solver_that_applies() {
    let key = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";
    let report = json(&["--key", key, "--arch", "gfx900", "--cu", "56", "--root", DATABASES]);
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
    let base = ["--key", key, "--arch", "gfx900", "--cu", "56", "--root", DATABASES];
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
    let report = json(&[problem, "--arch", "gfx900", "--cu", "56", "--root", DATABASES]);
    assert_eq!((report["outcome"].as_str(), report["pick"].is_null()), (Some("miss"), true));
    let measured: Vec<_> = report["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["measured"] == true)
        .map(|c| c["solver"].as_str().unwrap())
        .collect();
    // FP32 3x3, stride 1, two groups. A published study of a Vega 64 saw ConvBinWinogradRxSf2x3 run.
    let expected =
        ["ConvBinWinogradRxSf3x2", "ConvBinWinogradRxSf2x3", "ConvDirectNaiveConvFwd", "GemmFwdRest"];
    assert_eq!(measured, expected);
}

#[test]
fn a_rejection_names_clause_and_place() {
    let problem = "fwd:int8:n32:c64:h56:w56:k64:y1x1";
    let report = json(&[problem, "--arch", "gfx900", "--cu", "64", "--root", DATABASES]);
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
    let report = json(&[problem, "--arch", "gfx900", "--cu", "60", "--root", DATABASES]);
    let find_db = &report["databases"][0];
    assert_eq!((find_db["kind"].as_str(), find_db["state"].as_str()), (Some("find-db"), Some("unreachable")));
    assert_eq!(find_db["wanted"], "gfx900_60.HIP.fdb.txt");
    assert!(report["findings"][0]["id"] == "nearest-database-unreachable");
}

#[test]
fn a_zero_time_is_taken_and_told() {
    let key = "16-7-7-1x1-16-7-7-2-0x0-1x1-1x1-0-NCHW-FP32-F_g4";
    let report = json(&["--key", key, "--arch", "gfx1030", "--cu", "36", "--root", DATABASES]);
    assert_eq!(report["pick"]["solver"], "GemmFwd1x1_0_1");
    assert!(report["recorded"][0]["because"].as_str().unwrap().contains("not measured"));
}

#[test]
fn a_users_record_replaces_the_installed_one() {
    let user = "fixtures/miopen/gfx900_64.HIP.3_3_0_1234.ufdb.txt";
    let key = "1-161-700-5x20-32-79-341-1-0x0-2x2-1x1-0-NCHW-FP32-F";
    let base = ["--key", key, "--arch", "gfx900", "--cu", "56", "--root", DATABASES];
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
    let output = run(&["--problems", file.to_str().unwrap(), "--root", DATABASES]);
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
    let problem =
        ["fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1", "--arch", "gfx900", "--cu", "56", "--root", DATABASES];
    let text =
        |format: &str| String::from_utf8(run(&[&problem[..], &["-f", format]].concat()).stdout).unwrap();
    let markdown = text("md");
    let chart = markdown.split("```mermaid\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(chart.starts_with("flowchart LR\n"));
    // Every node that is coloured is there, and every edge leads to one.
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
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let device = ["--arch", "gfx900", "--cu", "64", "--root", DATABASES];
    assert!(complaint(&[&["fwd:fp32:n1"][..], &device].concat()).contains("missing"));
    assert!(complaint(&[&["--key", "1-2-3"][..], &device].concat()).contains("no key of a find-db"));
    let part = complaint(&[&["fwd:fp32:n1:c1:h4:w4:k1:y1x1", "--without", "magic"][..], &device].concat());
    assert!(part.contains("mlir"), "{part}");
    assert!(
        complaint(&["fwd:fp32:n1:c1:h4:w4:k1:y1x1", "--cu", "64", "--root", DATABASES]).contains("--arch")
    );
}

/// No release is answered silently by the rules of another one, whether it is named, or none is.
#[test]
fn a_release_without_rules_of_its_own_is_answered_by_those_of_another_and_says_so() {
    let base =
        ["fwd:fp16:n32:c64:h56:w56:k64:y3x3:p1", "--arch", "gfx950", "--cu", "256", "--root", DATABASES];
    let asked = |version: &str| json(&[&base[..], &["--miopen", version]].concat());
    let told = |report: &Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|f| f["id"] == "rules-of-nearest-version").count() == 1
    };
    for (version, later) in [("2.0.0", 0), ("3.4.0", 0), ("3.5.1", 1), ("4.0.0", 2)] {
        let report = asked(version);
        let rules = &report["rules"];
        assert_eq!((rules["miopen"].as_str(), rules["rules_of"].as_str()), (Some(version), Some("3.3.0")));
        assert_eq!((rules["exact"].as_bool(), told(&report)), (Some(false), true), "{version}");
        assert_eq!(rules["later"].as_array().unwrap().len(), later, "{version}");
    }
    let exact = asked("3.3.0");
    assert_eq!((exact["rules"]["exact"].as_bool(), told(&exact)), (Some(true), false));
    let text = run(&[&base[..], &["--miopen", "4.0.0"]].concat()).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("those of MIOpen 3.3.0 answer instead of those of 4.0.0"), "{text}");
    // gfx950 is in the lists from 3.5.1 on.
    let candidates = |version: &str| names(&asked(version)["candidates"]).join(" ");
    let solver = "ConvHipImplicitGemmGroupFwdXdlops";
    assert!(!candidates("3.3.0").contains(solver) && candidates("3.5.1").contains(solver));
}

/// `IsXdlopsSupport` in implicitgemm_util.hpp of MIOpen 3.3.0 reads both variables.
#[test]
fn the_switches_of_xdlops_decide() {
    let key = "64-28-28-3x3-64-28-28-16-1x1-1x1-1x1-0-NCHW-FP16-F";
    let takes = |target: &str, variable: &str| {
        let call = ["--key", key, "--arch", target, "--cu", "64", "--env", variable, "--root", DATABASES];
        let report = json(&call);
        let refused = report["rejected"].as_array().unwrap().iter();
        !refused.clone().any(|r| r["clause"].as_str().unwrap().starts_with("xdlops"))
    };
    assert!(!takes("gfx900", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS_EMULATE=0"));
    assert!(takes("gfx900", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS_EMULATE=1"));
    assert!(takes("gfx908", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS=1"));
    assert!(!takes("gfx908", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM_XDLOPS=0"));
}
