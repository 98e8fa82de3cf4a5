//! Selection on `fixtures/tensile`, compared with the answers of `expect_tensile.py`, an independent model.

mod bad_input;
mod sort;
mod yaml;

use crate::common::program::run;
use rocm_audit::engines::tensile::call::GemmCall;
use rocm_audit::engines::tensile::library::{Answer, Library};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tensile")
}

fn folder() -> PathBuf {
    fixtures().join("library")
}

fn lines(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixtures().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn problems() -> Vec<GemmCall> {
    lines("problems.jsonl").into_iter().map(|line| serde_json::from_value(line).unwrap()).collect()
}

/// Calls `see` with the answer to each problem; the problems of one target are calls in one process.
fn answer(folder: &Path, mut see: impl FnMut(&GemmCall, &Answer<'_>)) {
    let problems = problems();
    let mut libraries = BTreeMap::new();
    for problem in &problems {
        let open = || Library::open(folder, &problem.target).unwrap();
        libraries.entry(problem.target.as_str()).or_insert_with(open);
    }
    let mut processes: BTreeMap<_, _> = libraries.iter().map(|(arch, l)| (*arch, l.process())).collect();
    for problem in &problems {
        let process = processes.get_mut(problem.target.as_str()).unwrap();
        see(problem, &process.call(problem, None).unwrap());
    }
}

/// An answer with the names in the expectations.
fn stated(problem: &GemmCall, answer: &Answer<'_>) -> Value {
    let launches: Vec<Value> =
        answer.launches.iter().map(|l| json!([l.kernel, l.grid, l.work_group, l.file.as_deref()])).collect();
    json!({
        "id": problem.id, "solution": answer.solution.map(|s| s.index), "kernel": answer.kernel, "co": answer.code_object,
        "loaded_from": answer.loaded_from.as_deref(), "launches": launches, "status": answer.status,
        "ws_req": answer.workspace_bytes, "fallback": answer.fallback, "distance": answer.distance,
    })
}

#[test]
fn answers_are_those_of_the_model() {
    let expected = lines("answers.jsonl");
    let mut next = expected.iter();
    answer(&folder(), |problem, answer| {
        assert_eq!(&stated(problem, answer), next.next().unwrap());
    });
    assert!(next.next().is_none());
    let distinct = |field: &str| {
        let mut values: Vec<String> = expected.iter().map(|line| line[field].to_string()).collect();
        values.sort();
        values.dedup();
        values.len()
    };
    assert!(distinct("kernel") > 30 && distinct("co") > 10, "the problems reach most of the folder");
}

#[test]
fn the_command_answers_a_file_of_problems_line_by_line() {
    let words = ["select", "gemm", "--problems", "fixtures/tensile/problems.jsonl"];
    let output = run(&[&words[..], &["fixtures/tensile"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = lines("answers.jsonl");
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.iter().zip(&expected) {
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&as_the_model_has_it(answer, field), value, "{field} of {}", expected["id"]);
        }
    }
}

/// A field of an answer in the model's name and form.
fn as_the_model_has_it(answer: &Value, field: &str) -> Value {
    let launch = |l: &Value| serde_json::json!([l["kernel"], l["grid"], l["work_group"], l["file"]]);
    match field {
        "co" => answer["code_object"].clone(),
        "ws_req" => answer["workspace_bytes"].clone(),
        "launches" => answer[field].as_array().unwrap().iter().map(launch).collect(),
        _ => answer[field].clone(),
    }
}

#[test]
fn the_command_answers_one_problem() {
    let words = ["select", "gemm", "--arch", "gfx900", "--cu", "64", "-m", "64", "-n", "64", "-k", "64"];
    let output = run(&[&words[..], &["fixtures/tensile", "-f", "json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["status"], &answer["fallback"]), (&json!(0), &json!(false)));
    // The catalogs in the other fixtures have the same form.
    let output = run(&[&words[..], &["fixtures/rocm", "-f", "json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["status"], &answer["fallback"]), (&json!(0), &json!(false)));
}

/// Distances are sums of squared differences: 3 * 256² for the chosen one.
#[test]
fn a_solution_that_was_not_chosen_says_why() {
    let ask = |solution: &str| {
        let sizes = ["--arch", "gfx900", "--cu", "64", "-m", "512", "-n", "512", "-k", "512"];
        let rest = ["--trans", "NT", "--solution", solution, "fixtures/tensile", "-f", "json"];
        let output = run(&[&["select", "gemm"], &sizes[..], &rest].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let chosen = answer["solution"].to_string();
        let about = format!("solution {solution}");
        let own = answer["statements"].as_array().unwrap().iter().find(|own| own["about"] == about);
        (chosen, own.unwrap()["text"].as_str().unwrap().to_owned())
    };
    let (chosen, absent) = ask("99999999");
    assert!(absent.starts_with("no catalog that gfx900 opens here has it"), "{absent}");
    assert_eq!(ask(&chosen).1, "it is the one that was chosen");
    let mut able = 0;
    for solution in 603_979_870..603_979_890 {
        let (_, why) = ask(&solution.to_string());
        let Some((_, row)) = why.split_once("its nearest row was tuned for ") else { continue };
        assert!(why.contains("TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.dat"), "{why}");
        let words: Vec<&str> =
            row.split([' ', ',', ':', ';', '(', ')']).filter(|word| !word.is_empty()).collect();
        let behind = |name: &str| -> i64 {
            let at = words.iter().position(|word| *word == name).unwrap();
            words[at + 1].parse().unwrap()
        };
        let squares: i64 = ["M", "N", "K"].iter().map(|name| (512 - behind(name)).pow(2)).sum();
        assert_eq!(behind("distance"), squares, "{why}");
        assert_eq!(why.contains("as near as that of the chosen one"), squares == 196_608, "{why}");
        assert!(squares >= 196_608, "{why}");
        able += 1;
    }
    assert!(able > 2, "{able}");
    let refused = run(&["select", "gemm", "--solution", "1", "--problems", "x.jsonl"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Files loaded by earlier calls can supply kernels for later ones; nothing else in an answer changes.
#[test]
fn a_fresh_process_takes_the_code_object_of_the_rule() {
    let mut others = 0;
    for (problem, expected) in problems().iter().zip(lines("answers.jsonl")) {
        let library = Library::open(&folder(), &problem.target).unwrap();
        let answer = library.select(problem, None).unwrap();
        let fresh = stated(problem, &answer);
        for field in ["solution", "kernel", "co", "status", "ws_req", "fallback", "distance"] {
            assert_eq!(fresh[field], expected[field], "{field} of {}", problem.id);
        }
        if let (Some(co), Some(file)) = (&answer.code_object, &answer.loaded_from) {
            assert_eq!(&file.replace("-xnack-", "").replace("-xnack+", ""), co);
        }
        others += usize::from(fresh["loaded_from"] != expected["loaded_from"]);
    }
    assert!(others > 0, "the gfx90a catalogs share kernels");
}
