//! Compares the problems of ONNX models with those of an independent reader, and their records in MIOpen's
//! find-dbs.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::miopen::text;
use rocm_audit::engines::onnx::graph;
use rocm_audit::engines::onnx::problem::{Problem, problems};
use rocm_audit::engines::onnx::shape::Sizes;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// Differences shown.
const SHOWN: usize = 10;

pub fn run(arguments: &[String]) -> Result<()> {
    let (models, expected, records) = match arguments {
        [models, expected] => (models, expected, None),
        [models, expected, records, data] => (models, expected, Some((records, data))),
        _ => bail!(
            "onnx MODELS PROBLEMS [RECORDS DATA]: a folder of models, what is expected, MIOpen's databases"
        ),
    };
    let mut wrong = nodes(Path::new(models), Path::new(expected))?;
    if let Some((records, data)) = records {
        wrong += look_ups(Path::new(records), Path::new(data))?;
    }
    if wrong > 0 {
        bail!("{wrong} differences");
    }
    Ok(())
}

/// Compares every node of every model, for each batch and data type.
fn nodes(models: &Path, expected: &Path) -> Result<usize> {
    let mut asked: BTreeMap<(String, u64), Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(expected)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let model = row["model"].as_str().context("a row without a model")?.to_owned();
        asked.entry((model, row["N"].as_u64().unwrap_or(1))).or_default().push(row);
    }
    let (mut count, mut wrong) = (0, 0);
    for ((model, batch), rows) in asked {
        let path = models.join(format!("light_{model}.onnx"));
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let begun = Instant::now();
        let graph = graph::read(&bytes);
        let (found, errors) = problems(&graph, &Sizes { batch: Some(batch), ..Sizes::default() });
        let took = begun.elapsed();
        for error in errors.iter() {
            println!("{model}: {error}");
            wrong += 1;
        }
        let mut ours = Vec::new();
        for data in ["FP32", "FP16"] {
            for asked in &found {
                let Ok(problem) = &asked.problem else { continue };
                let mut row = json!({"model": model, "N": batch, "node": asked.node, "name": asked.name, "op": asked.operator});
                let more = match problem {
                    Problem::Convolution(c) => {
                        json!({"key": c.key(data), "flops": c.flops as u64, "bias": c.bias})
                    }
                    Problem::Product(p) => json!({
                        "m": p.m, "n": p.n, "k": p.k, "trans": p.transposes, "batch": p.batch, "dtype": data,
                        "consistent": true, "flops": p.flops() as u64,
                    }),
                };
                if let (Some(row), Some(more)) = (row.as_object_mut(), more.as_object()) {
                    row.extend(more.clone());
                }
                ours.push(row);
            }
        }
        let same = rows.iter().filter(|row| ours.contains(row)).count();
        for row in rows.iter().filter(|row| !ours.contains(row)).take(SHOWN) {
            println!("{model} at {batch}: not found: {row}");
        }
        wrong += rows.len() - same + ours.len().saturating_sub(rows.len());
        count += rows.len();
        println!("{model:<14} at {batch:>2}: {same} of {} problems, in {took:?}", rows.len());
    }
    println!("problems: {count} compared, {wrong} differ");
    Ok(wrong)
}

/// Compares the record of each key in each database.
fn look_ups(records: &Path, data: &Path) -> Result<usize> {
    let mut databases: HashMap<String, HashMap<Vec<u8>, String>> = HashMap::new();
    let mut tally: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let (mut count, mut wrong) = (0, 0);
    for line in std::fs::read_to_string(records)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let (name, key) = (row["db"].as_str().unwrap_or_default(), row["key"].as_str().unwrap_or_default());
        if !databases.contains_key(name) {
            let packed = std::fs::File::open(data.join(format!("{name}.bz2")))?;
            let mut text = Vec::new();
            bzip2::read::BzDecoder::new(packed).read_to_end(&mut text)?;
            let mut all = HashMap::new();
            for record in text::records(&text).flatten() {
                // If two records have the same key, the first counts.
                let content = || String::from_utf8_lossy(record.content).into_owned();
                all.entry(record.key.to_vec()).or_insert_with(content);
            }
            databases.insert(name.to_owned(), all);
        }
        let text = databases[name].get(key.as_bytes());
        let row_of = tally.entry(name.to_owned()).or_default();
        row_of[0] += 1;
        row_of[1] += u64::from(text.is_some());
        count += 1;
        if text.map(String::as_str) != row["record"].as_str() {
            wrong += 1;
            if wrong <= SHOWN {
                println!("{name} {key}: found {text:?}, expected {}", row["record"]);
            }
        }
    }
    for (name, [keys, hits]) in tally {
        println!("{name:<28} {hits} of {keys} keys have a record");
    }
    println!("records: {count} compared, {wrong} differ");
    Ok(wrong)
}
