//! Which solvers a find measures, and which it takes before it has measured.

use super::{DATABASES, MISS, json, select, text};

use serde_json::Value;
use std::collections::BTreeSet;

/// `GetModel` in ai_heuristics.cpp uses gfx908's model for every device without one, and asks it before the
/// estimates.
#[test]
fn the_first_estimate_is_not_called_the_immediate_answer_where_a_model_is_asked() {
    let report = json(&MISS);
    assert_eq!(report["immediate"]["estimates_decide"], false);
    assert_eq!(
        (&report["immediate"]["model"], &report["immediate"]["refuses"]),
        (&"gfx908".into(), &Value::Null)
    );
    assert_eq!(report["immediate"]["evidence"], "code");
    // The fixtures have no model.
    assert_eq!(report["immediate"]["files_are_here"], false);
    assert!(text(&MISS).contains("throws on a miss in FAST and immediate mode"));
    let later = json(&[&MISS[..], &["--miopen", "3.4.0"]].concat());
    assert_eq!(later["immediate"]["estimates_decide"], true, "3.4.0 logs it and takes its estimates");
    assert_eq!(later["immediate"]["first"], later["estimates"][0]["solver"]);
    let switch = ["--env", "MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK=0"];
    let off = json(&[&MISS[..], &switch].concat());
    assert_eq!(
        (&off["immediate"]["estimates_decide"], &off["immediate"]["model"]),
        (&true.into(), &Value::Null)
    );
    assert!(!text(&[&MISS[..], &switch].concat()).contains("ask TunaNet"));
    let grouped = ["fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1:g2", "--arch", "gfx900", "--cu", "56", DATABASES];
    // MIOpen opens the model before it examines the problem.
    assert_eq!(json(&grouped)["immediate"]["estimates_decide"], false);
    let later = json(&[&grouped[..], &["--miopen", "3.4.0"]].concat());
    assert_eq!(later["immediate"]["estimates_decide"], true);
}

/// The find: `FindConvolution` in convolutionocl.cpp and the modes in find_controls.cpp of MIOpen 3.3.0.
#[test]
fn modes_of_a_find_decide_what_is_read_and_measured() {
    let hit = [
        "--key",
        "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B",
        "--arch",
        "gfx900",
        "--cu",
        "56",
        DATABASES,
    ];
    let with = |base: &[&str], variables: &[&str]| {
        let env: Vec<&str> = variables.iter().flat_map(|v| ["--env", v]).collect();
        json(&[base, &env].concat())
    };
    let measured = |report: &Value| {
        let all = report["candidates"].as_array().unwrap().clone();
        let some: Vec<String> = all
            .iter()
            .filter(|c| c["measured"] == true)
            .map(|c| c["solver"].as_str().unwrap().to_owned())
            .collect();
        some
    };
    let usual = with(&hit, &[]);
    assert_eq!((&usual["outcome"], &usual["find"]["mode"]), (&"hit".into(), &"DYNAMIC_HYBRID".into()));
    // A normal find, whether requested or enforced, ignores the installed find-db.
    for variable in ["MIOPEN_FIND_MODE=1", "MIOPEN_FIND_MODE=normal", "MIOPEN_FIND_ENFORCE=4"] {
        let normal = with(&hit, &[variable]);
        assert_eq!(
            (&normal["outcome"], &normal["find"]["mode"]),
            (&"miss".into(), &"NORMAL".into()),
            "{variable}"
        );
    }
    // Two groups avoid the shortcut for 3x3 Winograd.
    let miss = ["fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1:g2", "--arch", "gfx900", "--cu", "56", DATABASES];
    let dynamic = measured(&with(&miss, &[]));
    let hybrid = measured(&with(&miss, &["MIOPEN_FIND_MODE=HYBRID"]));
    assert!(!dynamic.contains(&"ConvAsm3x3U".to_owned()) && hybrid.contains(&"ConvAsm3x3U".to_owned()));
    assert_eq!(measured(&with(&miss, &["MIOPEN_FIND_ENFORCE=SEARCH"])), hybrid);
    let fast = with(&miss, &["MIOPEN_FIND_MODE=2"]);
    assert_eq!((measured(&fast).len(), &fast["find"]["at_once"]), (0, &true.into()));
    let no_fallback = with(&miss, &["MIOPEN_FIND_MODE=2", "MIOPEN_DEBUG_CONV_IMMED_FALLBACK=0"]);
    assert_eq!((measured(&no_fallback), no_fallback["estimates"].as_array().unwrap().len()), (hybrid, 0));
    let forced = with(&miss, &["MIOPEN_DEBUG_FORCE_IMMED_MODE_FALLBACK=1"]);
    assert_eq!(forced["find"]["at_once"], true);
}

#[test]
fn only_the_named_solvers_are_searched() {
    // 3x3, stride 1: without the list only Winograd is searched.
    let named = |value: &str| {
        json(&[&MISS[..], &["--env", &format!("MIOPEN_DEBUG_FIND_ONLY_SOLVER={value}")]].concat())
    };
    let measured = |report: &Value| {
        let all = report["candidates"].as_array().unwrap().clone();
        all.iter().filter(|c| c["measured"] == true).map(|c| c["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(measured(&named("91;ConvDirectNaiveConvFwd")), [85, 91]);
    // The number of a solver that refuses the problem.
    assert_eq!((measured(&named("89")), &named("89")["find"]["only"]), (vec![], &serde_json::json!([89])));
    // A record is used as without the variable.
    let key = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";
    let hit = [
        "--key",
        key,
        "--arch",
        "gfx900",
        "--cu",
        "56",
        DATABASES,
        "--env",
        "MIOPEN_DEBUG_FIND_ONLY_SOLVER=86",
    ];
    assert_eq!(json(&hit)["pick"]["solver"], "GemmBwdRest");
}

/// The gradient of INT8 weights in the real library (3.4.0): a find ends with status 3, immediate mode uses
/// GEMM.
#[test]
fn a_find_refuses_the_gradient_of_int8_weights() {
    let asked = [
        "--key",
        "384-14-14-2x2-192-28-28-1-0x0-2x2-1x1-0-NCHW-INT8-W",
        "--arch",
        "gfx906",
        "--cu",
        "60",
        DATABASES,
    ];
    let report = json(&[&asked[..], &["--miopen", "3.4.0"]].concat());
    assert!(report["find"]["refuses"].as_str().unwrap().contains("INT8"));
    assert_eq!(report["immediate"]["first"], "GemmWrwUniversal");
}

/// What the real library (3.4.0) searched on gfx908 where the model of ConvAsm1x1U was not there: no direct
/// solver.
#[test]
fn without_the_model_of_a_kernel_its_algorithm_is_not_searched() {
    let searched = |variables: &[&str]| -> BTreeSet<String> {
        let call = [
            "--key",
            "4-64-64-1x1-320-64-64-32-0x0-1x1-1x1-0-NCHW-FP32-F",
            "--arch",
            "gfx908",
            "--cu",
            "120",
            "--without",
            "composable-kernel,mlir",
            "-f",
            "jsonl",
            DATABASES,
            "--env",
            "MIOPEN_FIND_MODE=NORMAL",
        ];
        let output = select(&[&call[..], variables].concat());
        let line: Value = serde_json::from_slice(&output.stdout).unwrap();
        line["measured"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let seen = [
        "ConvBinWinogradRxSf3x2",
        "ConvBinWinogradRxSf2x3g1",
        "ConvHipImplicitGemmForwardV4R4Xdlops",
        "ConvHipImplicitGemmV4R4Fwd",
        "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
        "GemmFwd1x1_0_1",
    ];
    assert_eq!(searched(&[]), seen.map(str::to_owned).into());
    let without_model = searched(&["--env", "MIOPEN_DEBUG_CONV_DIRECT_ASM_1X1U_AI_HEUR=0"]);
    assert!(without_model.contains("ConvAsm1x1U") && without_model.contains("ConvDirectNaiveConvFwd"));
}
