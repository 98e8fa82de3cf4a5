//! Rows with equal key and speed: the first one decides, and `std::sort` determines the order.

use super::{answer, folder, lines};
use rmpv::Value;
use rocm_audit::engines::tensile::introsort;
use serde_json::json;
use std::collections::BTreeMap;

/// Swaps equal rows in all tables so that sorting brings them into the order that a stable sort gives the
/// original. The compared values stay the same at every position, so the sort makes the same swaps.
fn exchange_equal_rows(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(exchange_equal_rows),
        Value::Map(pairs) => {
            for (key, value) in pairs {
                match (key.as_str(), value) {
                    (Some("table"), Value::Array(rows)) => *rows = exchanged(rows),
                    (_, value) => exchange_equal_rows(value),
                }
            }
        }
        _ => {}
    }
}

fn exchanged(rows: &[Value]) -> Vec<Value> {
    let compared = |row: &Value| {
        let key: Vec<u64> =
            row["key"].as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).collect();
        (key, row["speed"].as_f64().unwrap_or_default())
    };
    let compared: Vec<_> = rows.iter().map(compared).collect();
    let precedes = |a: &usize, b: &usize| {
        let (a, b) = (&compared[*a], &compared[*b]);
        a.0 < b.0 || (a.0 == b.0 && a.1 > b.1)
    };
    let mut sorted: Vec<usize> = (0..rows.len()).collect();
    let mut stable = sorted.clone();
    introsort::sort(&mut sorted, precedes);
    stable.sort_by(|a, b| precedes(b, a).cmp(&precedes(a, b)));
    let mut exchanged = rows.to_vec();
    for (place, row) in sorted.into_iter().zip(stable) {
        assert_eq!(compared[place], compared[row]);
        exchanged[place] = rows[row].clone();
    }
    exchanged
}

/// A stable sort gives wrong answers, exactly those in `stable.jsonl`.
#[test]
fn a_stable_sort_chooses_other_solutions() {
    let changed = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|e| e == "dat") {
            let mut catalog = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
            exchange_equal_rows(&mut catalog);
            bytes.clear();
            rmpv::encode::write_value(&mut bytes, &catalog).unwrap();
        }
        std::fs::write(changed.path().join(path.file_name().unwrap()), bytes).unwrap();
    }
    let solutions = |lines: Vec<serde_json::Value>| -> BTreeMap<String, serde_json::Value> {
        lines.iter().map(|l| (l["id"].as_str().unwrap().to_owned(), l["solution"].clone())).collect()
    };
    let (right, wrong) = (solutions(lines("answers.jsonl")), solutions(lines("stable.jsonl")));
    assert!(wrong.len() >= 10, "{}", wrong.len());
    answer(changed.path(), |problem, answer| {
        let id = problem.id.as_str();
        let chosen = json!(answer.solution.map(|s| s.index));
        assert_eq!(&chosen, wrong.get(id).unwrap_or(&right[id]), "{id}");
    });
    for (id, solution) in &wrong {
        assert_ne!(solution, &right[id]);
    }
}
