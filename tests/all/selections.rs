//! `diff` with problems: what libraries choose before and after. The expectations come from the model in
//! `fixtures/expect_tensile.py`, which is independent of this program.
#![cfg(unix)]

use crate::common::program::{run, said};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const LIBRARY: &str = "fixtures/tensile/library";
const VEGA: &str = "gfx900:xnack-";
const NAVI: &str = "gfx1010:xnack-";

fn report(words: &[&str]) -> Value {
    let output = run(&[words, &["-f", "json", "--fail-on", "never"]].concat());
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tensile").join(name);
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A fixture problem as a line for `workload`; `None` if such a line cannot express it.
fn line(problem: &Value) -> Option<String> {
    let fields = problem.as_object().unwrap();
    let known = [
        "id", "arch", "cus", "ty", "ta", "tb", "m", "n", "k", "batch", "api", "ld", "stride", "alpha",
        "beta", "c_eq_d",
    ];
    if fields.keys().any(|field| !known.contains(&field.as_str())) {
        return None;
    }
    let mut gemm = problem.clone();
    let own = gemm.as_object_mut().unwrap();
    ["id", "arch", "cus"].iter().for_each(|field| drop(own.remove(*field)));
    own.insert("c_eq_d".into(), json!(problem["c_eq_d"] == 1));
    Some(json!({ "gemm": gemm }).to_string())
}

/// A target's distinct problems, each with its answer.
fn answered(target: &str) -> BTreeMap<String, Value> {
    let answers: BTreeMap<String, Value> =
        lines("answers.jsonl").into_iter().map(|answer| (answer["id"].to_string(), answer)).collect();
    let own = lines("problems.jsonl").into_iter().filter(|problem| problem["arch"] == target);
    own.filter_map(|problem| Some((line(&problem)?, answers[&problem["id"].to_string()].clone()))).collect()
}

/// A file of problems, and a copy of the library without one of its files.
fn without(folder: &Path, problems: &BTreeMap<String, Value>, missing: &str) -> [String; 2] {
    let (file, copy) = (folder.join("problems.jsonl"), folder.join("library"));
    fs::write(&file, problems.keys().fold(String::new(), |all, line| all + line + "\n")).unwrap();
    fs::create_dir_all(&copy).unwrap();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(LIBRARY)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != missing {
            fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
        }
    }
    [file, copy].map(|path| path.to_str().unwrap().to_owned())
}

#[test]
fn problems_whose_code_object_is_gone_are_worse_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let problems = answered(VEGA);
    let missing = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.co";
    let [file, copy] = without(folder.path(), &problems, missing);
    let report = report(&["diff", LIBRARY, &copy, "--arch", VEGA, "--problems", &file]);
    let selections = &report["selections"];
    // Lines are numbered from 1, in the order of the file.
    let expected: BTreeMap<u64, &Value> =
        (1..).zip(problems.values()).filter(|(_, answer)| answer["loaded_from"] == missing).collect();
    assert!(expected.len() > 3 && expected.len() < problems.len());
    let changed = selections["changed"].as_array().unwrap();
    let worse: BTreeSet<u64> = changed.iter().map(|change| change["line"].as_u64().unwrap()).collect();
    assert_eq!(worse, expected.keys().copied().collect::<BTreeSet<_>>());
    for change in changed {
        let kernel = &expected[&change["line"].as_u64().unwrap()]["kernel"];
        assert_eq!((&change["verdict"], &change["library"]), (&"worse".into(), &"rocBLAS".into()));
        assert_eq!((&change["before"]["kind"], &change["before"]["taken"][0]), (&"tuned".into(), kernel));
        assert_eq!((&change["after"]["kind"], &change["after"]["taken"][0]), (&"missing".into(), kernel));
    }
    let row = &selections["targets"][0];
    assert_eq!((&row["target"], &row["multiprocessors"]), (&VEGA.into(), &64.into()));
    assert_eq!(
        (row["worse"].as_u64(), row["compared"].as_u64()),
        (Some(worse.len() as u64), Some(problems.len() as u64))
    );
    let kinds: Vec<&Value> =
        report["regressions"].as_array().unwrap().iter().map(|row| &row["kind"]).collect();
    assert!(kinds.contains(&&Value::from("worse-selection")), "{kinds:?}");
    // The reverse is better, not a regression.
    let back = self::report(&["diff", &copy, LIBRARY, "--arch", VEGA, "--problems", &file]);
    let row = &back["selections"]["targets"][0];
    assert_eq!((row["worse"].as_u64(), row["better"].as_u64()), (Some(0), Some(worse.len() as u64)));
    assert_eq!(back["regressions"].as_array().unwrap().len(), 0);
}

#[test]
fn two_targets_of_one_tree_choose_as_the_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let (vega, navi) = (answered(VEGA), answered(NAVI));
    let both: BTreeMap<String, Value> = vega
        .iter()
        .filter(|(line, _)| navi.contains_key(*line))
        .map(|(l, a)| (l.clone(), a.clone()))
        .collect();
    assert!(both.len() >= 3);
    let [file, _] = without(folder.path(), &both, "");
    let report = report(&["diff", LIBRARY, "--targets", &format!("{VEGA},{NAVI}"), "--problems", &file]);
    let changed = report["selections"]["changed"].as_array().unwrap();
    assert_eq!(changed.len(), both.len());
    for change in changed {
        let (line, before) = both.iter().nth(change["line"].as_u64().unwrap() as usize - 1).unwrap();
        assert_eq!(change["before"]["taken"][0], before["kernel"], "{line}");
        assert_eq!(change["after"]["taken"][0], navi[line]["kernel"], "{line}");
        let kinds =
            [before, &navi[line]].map(|answer| if answer["fallback"] == true { "fallback" } else { "tuned" });
        assert_eq!([&change["before"]["kind"], &change["after"]["kind"]], kinds, "{line}");
        assert_eq!(change["verdict"], "worse", "{line}");
    }
}

#[test]
fn the_word_of_fail_on_decides_the_status_and_every_format_draws_it() {
    let folder = tempfile::tempdir().unwrap();
    let missing = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.co";
    let [file, copy] = without(folder.path(), &answered(VEGA), missing);
    let words = ["diff", LIBRARY, copy.as_str(), "--arch", VEGA, "--problems", file.as_str()];
    let status = |more: &[&str]| run(&[&words[..], more].concat()).status.code();
    assert_eq!(status(&["-q", "--fail-on", "worse-selection"]), Some(1));
    assert_eq!(status(&["-q", "--fail-on", "less-coverage"]), Some(0));
    let same = ["diff", LIBRARY, LIBRARY, "--arch", VEGA, "--fail-on", "worse-selection", "-q"];
    assert_eq!(run(&same).status.code(), Some(0));
    for (format, expected) in [
        ("table", "worse selection"),
        ("md", "tuned"),
        ("html", "missing"),
        ("csv --rows selections.changed", "worse,tuned"),
    ] {
        let more: Vec<&str> = ["-f"].into_iter().chain(format.split(' ')).collect();
        let text = String::from_utf8(run(&[&words[..], &more].concat()).stdout).unwrap();
        assert!(text.contains(expected) && text.contains("gemm"), "{format}: {text}");
    }
    let narrow = String::from_utf8(run(&words).stdout).unwrap();
    assert!(
        narrow
            .lines()
            .filter(|line| !line.contains("Cijk") && !line.contains("TensileLibrary"))
            .all(|line| line.chars().count() <= 80),
        "{narrow}"
    );
}

#[test]
fn what_is_not_known_is_not_compared_and_says_why() {
    // The tree has MIOpen databases but no hipBLASLt catalogs for these problems; neither tree has ggml's
    // library.
    let report = report(&["diff", "fixtures/miopen", LIBRARY, "--arch", "gfx900", "--problems", "reference"]);
    let row = &report["selections"]["targets"][0];
    assert_eq!(row["compared"], 0);
    let why: BTreeMap<&str, &str> = row["not_compared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gap| (gap["library"].as_str().unwrap(), gap["why"].as_str().unwrap()))
        .collect();
    assert_eq!(why["MIOpen"], "only the old side has its data");
    assert_eq!(why["rocBLAS"], "only the new side has its data");
    assert_eq!(why["hipBLASLt"], "neither side has its data");
    // Nine types and ten convolutions, as many as in `survey`.
    let problems = |library: &str| {
        let gaps = row["not_compared"].as_array().unwrap();
        gaps.iter().find(|gap| gap["library"] == library).unwrap()["problems"].as_u64().unwrap()
    };
    assert_eq!((problems("rocBLAS"), problems("MIOpen"), problems("ggml")), (9, 10, 18));
}

#[test]
fn calls_that_ask_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved.json");
    let saved = saved.to_str().unwrap();
    assert!(run(&["-q", "-o", saved, LIBRARY]).status.success());
    let none = folder.path().join("none.log");
    fs::write(&none, "nothing of this is a problem\n").unwrap();
    let none = none.to_str().unwrap();
    for (words, expected) in [
        (&["diff", LIBRARY, LIBRARY, "--fail-on", "worse-selection"][..], "--problems"),
        (&["diff", saved, LIBRARY, "--gpu", "vega 56"], "saved report"),
        (&["diff", LIBRARY, saved, "--problems", "reference"], "saved report"),
        (&["diff", LIBRARY, "--targets", "gfx900,gfx1010", "--arch", "gfx900"], "--targets"),
        (&["diff", LIBRARY, LIBRARY, "--problems", "nowhere.log"], "no such file"),
        (&["diff", LIBRARY, LIBRARY, "--problems", "fixtures"], "a folder"),
        (&["diff", LIBRARY, LIBRARY, "--problems", none], "no line is a problem"),
        (&["diff", LIBRARY, LIBRARY, "--arch", "banana"], "no such target"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{words:?}: {}", said(&output));
    }
    // A malformed line that begins like a problem is reported, and the rest is compared.
    let mixed = folder.path().join("mixed.jsonl");
    fs::write(&mixed, "{\"gemm\": {\"ty\": \"SS\", \"m\": 64, \"n\": 64, \"k\": 64}}\n{\"gemm\": 1}\n")
        .unwrap();
    let output = run(&[
        "diff",
        LIBRARY,
        LIBRARY,
        "--arch",
        "gfx900",
        "--problems",
        mixed.to_str().unwrap(),
        "-f",
        "json",
    ]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["selections"]["wrong_lines"], &report["selections"]["targets"][0]["compared"]),
        (&1.into(), &1.into())
    );
    assert!(report["findings"].to_string().contains("line-not-understood"), "{}", report["findings"]);
}
