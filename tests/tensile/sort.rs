//! Rows that are equal in key and speed: which comes first decides, and that is what `std::sort` makes of them.

use super::{answer, folder, lines};
use rmpv::Value;
use serde_json::json;
use std::collections::BTreeMap;

/// Makes rows that were equal follow one another in the order of the file, by speeds that fall a little from row to row.
/// Then any sort gives what a stable sort gives of the original.
fn order_equal_rows(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(order_equal_rows),
        Value::Map(pairs) => {
            for (key, value) in pairs {
                match (key.as_str(), value) {
                    (Some("table"), Value::Array(rows)) => {
                        rows.iter_mut().zip(0u32..).for_each(|(row, place)| slow_down(row, place));
                    }
                    (_, value) => order_equal_rows(value),
                }
            }
        }
        _ => {}
    }
}

fn slow_down(row: &mut Value, place: u32) {
    let Value::Map(pairs) = row else { panic!("a row is a map") };
    let speed = pairs.iter().find(|(key, _)| key.as_str() == Some("speed")).and_then(|(_, v)| v.as_f64());
    pairs.retain(|(key, _)| key.as_str() != Some("speed"));
    let lower = speed.unwrap_or_default() - f64::from(place) * 1e-9;
    pairs.push(("speed".into(), lower.into()));
}

/// A stable sort is wrong: where `stable.jsonl` says so, and there as it says.
#[test]
fn a_stable_sort_chooses_other_solutions() {
    let changed = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|e| e == "dat") {
            let mut catalog = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
            order_equal_rows(&mut catalog);
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
