//! Compares the choice among hipSPARSELt's solutions with vectors of the real library on a stand-in for the
//! HIP runtime.
//!
//! A vector is a call of `select matmul --problems` with `sparse`, and what the library gave: `refused` where
//! it has no algorithm, else of each of its algorithms the workspace and the launches, as `[bytes, [[kernel,
//! work items, work group, file], …]]`; launches are null where the library ran none.

use anyhow::{Context as _, Result, bail};
use rocm_audit::engines::tensile::lite::call::MatmulCall;
use rocm_audit::engines::tensile::lite::library::Library;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Differences shown in full.
const SHOWN: usize = 8;

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, vectors] = arguments else { bail!("hipsparselt LIBRARY_FOLDER VECTORS.jsonl") };
    let text = std::fs::read_to_string(vectors).with_context(|| vectors.clone())?;
    let mut libraries: BTreeMap<String, Library> = BTreeMap::new();
    let (mut lines, mut equal, mut algorithms) = (0, 0, 0);
    for line in text.lines() {
        let call: MatmulCall = serde_json::from_str(line)?;
        let expected: Value = serde_json::from_str(line)?;
        if !libraries.contains_key(&call.target) {
            libraries.insert(call.target.clone(), Library::open_sparse(Path::new(folder), &call.target)?);
        }
        let library = &libraries[&call.target];
        let (stated, own) = answers(library, &call, &expected)?;
        lines += 1;
        algorithms += own.len();
        if stated == own {
            equal += 1;
        } else if lines - equal <= SHOWN {
            let at = stated.iter().zip(&own).position(|(a, b)| a != b).unwrap_or(stated.len().min(own.len()));
            println!("{} of {}: {}", stated.len(), own.len(), call.words());
            println!("    {at}: {} here {}", json!(stated.get(at)), json!(own.get(at)));
        }
    }
    println!("TOTAL {lines} calls, {algorithms} algorithms, {equal} equal");
    if lines == 0 || lines != equal { bail!("{} of {lines} calls differ", lines - equal) } else { Ok(()) }
}

/// What the vector states of each algorithm, and what is computed here; launches are left out here where they
/// are not stated.
fn answers(library: &Library, call: &MatmulCall, expected: &Value) -> Result<(Vec<Value>, Vec<Value>)> {
    let stated = expected["algorithms"].as_array().cloned().unwrap_or_default();
    let choice = library.choose(call, None)?;
    let own = choice.list().enumerate().map(|(place, found)| {
        let launched = library.launch(found, call, &choice.problem, false);
        let one = |launch: &rocm_audit::engines::tensile::launch::Launch<'_>| {
            json!([launch.kernel, launch.work_items(), launch.work_group, launch.file.as_deref()])
        };
        let launches: Value = launched.launches.iter().map(one).collect();
        let is_stated = stated.get(place).is_some_and(|stated| !stated[1].is_null());
        json!([choice.workspace(found), if is_stated { launches } else { Value::Null }])
    });
    let own = own.collect();
    Ok((stated, own))
}
