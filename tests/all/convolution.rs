//! `select conv` on the fixtures' databases.

use crate::common::program::{self, run_at};
use serde_json::Value;
use std::collections::BTreeSet;
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

#[test]
fn parameters_in_sqlite_are_said_to_be_those_of_such_builds() {
    let folder = tempfile::tempdir().unwrap();
    let database = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(DATABASES).join("gfx1030_36.db");
    std::fs::copy(database, folder.path().join("gfx900_56.db")).unwrap();
    let key = "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-FP32-F";
    let line = format!("{key}=ConvAsm1x1U:0.5,0,miopenConvolutionFwdAlgoDirect\n");
    std::fs::write(folder.path().join("gfx900_56.HIP.fdb.txt"), line).unwrap();
    let call = ["--key", key, "--arch", "gfx900", "--cu", "56", folder.path().to_str().unwrap()];
    let report = json(&call);
    let kernel = &report["pick"]["kernel"];
    assert_eq!(
        (&kernel["parameters"], &kernel["parameters_by"]),
        (&serde_json::json!("1,16,1,64,2,4,1,4"), &serde_json::json!("perf-db"))
    );
    assert_eq!(kernel["named"][3], serde_json::json!({ "name": "chunk_size", "value": "64" }));
    assert_eq!(kernel["source"], "conv1x1u.s");
    assert_eq!(kernel["parameters_in_sqlite_builds_only"], true);
    let told =
        "(gfx900_56.db, which builds with perf-dbs in SQLite read and the default build does not) [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
}

/// The parameters are those that the real library (3.4.0) began with for these problems without a perf-db.
#[test]
fn without_a_row_a_solver_begins_with_its_heuristic() {
    let key = "512-28-28-1x1-256-14-14-32-0x0-2x2-1x1-0-NCHW-FP32-F";
    let report = json(&["--key", key, "--arch", "gfx900", "--cu", "64", "--without", "mlir", DATABASES]);
    let candidates = report["candidates"].as_array().unwrap();
    let kernel = |name: &str| &candidates.iter().find(|own| own["solver"] == name).unwrap()["kernel"];
    assert_eq!(kernel("ConvAsm1x1U")["parameters"], "4,16,4,16,2,1,1,1");
    assert_eq!(kernel("ConvAsm1x1U")["parameters_by"], "heuristic");
    assert_eq!(kernel("ConvAsm1x1U")["named"][1], serde_json::json!({ "name": "k_mult", "value": "16" }));
    assert_eq!(kernel("ConvOclDirectFwd1x1")["source"], "MIOpenConv1x1J1_stride.cl");
    assert_eq!(kernel("GemmFwd1x1_0_2")["source"], Value::Null);
}

/// A kernel database as `kern_db.hpp` of MIOpen makes it, with the options that MIOpen gives conv3x3.s.
fn kernel_database(path: &std::path::Path, kernels: &[(&str, &str)]) {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS `kern_db` (`id` INTEGER PRIMARY KEY ASC,`kernel_name` TEXT NOT NULL,\
             `kernel_args` TEXT NOT NULL,`kernel_blob` BLOB NOT NULL,`kernel_hash` TEXT NOT NULL,\
             `uncompressed_size` INT NOT NULL);CREATE UNIQUE INDEX IF NOT EXISTS `idx_kern_db` \
             ON kern_db(kernel_name, kernel_args);",
        )
        .unwrap();
    for (name, options) in kernels {
        let row = "INSERT INTO kern_db VALUES (NULL, ?, ?, x'00', '93b885adfe0da089cdf634904fd59f71', 0)";
        database.execute(row, (name, options)).unwrap();
    }
}

/// The launch is the one that the real library (3.4.0) makes for this problem on 36 compute units.
#[test]
fn a_kernel_has_its_launch_and_those_that_were_built_before() {
    let folder = tempfile::tempdir().unwrap();
    let key = "2560-24-16-3x3-1280-24-16-32-1x1-1x1-1x1-0-NCHW-FP32-F";
    let line = format!("{key}=ConvAsm3x3U:0.5,0,miopenConvolutionFwdAlgoDirect\n");
    std::fs::write(folder.path().join("gfx803_36.HIP.fdb.txt"), line).unwrap();
    let call = ["--key", key, "--arch", "gfx803", "--cu", "36", folder.path().to_str().unwrap()];
    let kernel = |call: &[&str]| json(call)["pick"]["kernel"].clone();
    let launch = serde_json::json!({
        "kernel": "miopenGcnAsmConv3x3U", "work_items": [10240, 12, 32], "work_group": [16, 1, 1]
    });
    assert_eq!(kernel(&call)["launch"], launch);
    assert_eq!(kernel(&call)["built"], Value::Null);
    let kernels = folder.path().join("gfx803.kdb");
    kernel_database(&kernels, &[("conv1x1u.s.o", " -mcpu=gfx803")]);
    assert_eq!(kernel(&call)["built"], 0);
    let told = "conv3x3.s, compiled when first used: the kernel database has no kernel of it [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
    let options = ["-Wa,-defsym,batch_size=32 -mcpu=gfx803", "-Wa,-defsym,batch_size=1 -mcpu=gfx803"];
    kernel_database(&kernels, &options.map(|options| ("conv3x3.s.o", options)));
    assert_eq!(kernel(&call)["built"], 2);
    let told = "miopenGcnAsmConv3x3U: 10,240 × 12 × 32 work items, 16 × 1 × 1 in a group [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
    // What is no database says nothing of kernels.
    std::fs::write(&kernels, "SQLite format 3").unwrap();
    assert_eq!(kernel(&call)["built"], Value::Null);
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

/// A published study observed that MIOpen requests 200704 bytes for solver 89 on this problem.
#[test]
fn candidates_have_their_workspace_where_it_is_known() {
    let key = "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F";
    let call = ["--key", key, "--arch", "gfx900", "--cu", "64", DATABASES];
    let of = |report: &Value, solver: &str| {
        let all = report["candidates"].as_array().unwrap().clone();
        let candidate = all.iter().find(|c| c["solver"] == solver).unwrap().clone();
        (candidate["workspace"].clone(), candidate["workspace_source"].clone())
    };
    let (bytes, source) = of(&json(&call), "GemmFwd1x1_0_1_int8");
    assert_eq!(bytes, 200_704);
    assert!(source.as_str().unwrap().contains("src/solver/conv/gemm.cpp:450-487"), "{source}");
    assert_eq!(of(&json(&call), "ConvDirectNaiveConvFwd").0, 0);
    assert!(text(&[&call[..], &["-v"]].concat()).contains("200,704"));
    let half = ["fwd:fp16:n32:c64:h56:w56:k64:y3x3:p1", "--arch", "gfx942", "--cu", "304", DATABASES];
    assert_eq!(of(&json(&half), "ConvHipImplicitGemmGroupFwdXdlops"), (Value::Null, Value::Null));
    assert!(text(&half).contains("not known"));
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
