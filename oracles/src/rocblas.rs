//! Compares the selection of rocBLAS's solutions with vectors of the real library.
//!
//! Each file of vectors came from one process in which code objects loaded by an earlier problem can supply
//! kernels for later ones, so each file is followed as one process.

use crate::vectors::{self, Compared, Differences, Vector};
use anyhow::{Context as _, Result, bail};
use rocm_audit::engines::tensile::call::GemmCall;
use rocm_audit::engines::tensile::library::{Answer, Library};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Everything that a vector states about an answer.
const FIELDS: [&str; 14] = [
    "solution",
    "status",
    "op",
    "kernel",
    "co",
    "loaded_from",
    "lli",
    "distance",
    "ws_req",
    "source",
    "launches",
    "rocblas_quick_return",
    "xf32_fell_back",
    "grid_overflow",
];

/// rocBLAS, with the vectors' numbering of kernels.
struct RocBlas<'n> {
    numbers: HashMap<&'n str, usize>,
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, vectors, kernels] = arguments else {
        bail!("rocblas LIBRARY_FOLDER VECTORS_FOLDER KERNELS");
    };
    let kernels = names(Path::new(kernels))?;
    let numbers = kernels.lines().enumerate().map(|(number, name)| (name, number)).collect();
    vectors::run(&RocBlas { numbers }, Path::new(folder), Path::new(vectors))
}

/// The names of kernels, one for each line, compressed or not.
fn names(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let bytes = if path.extension().is_some_and(|e| e == "zst") { zstd::decode_all(&*bytes)? } else { bytes };
    Ok(String::from_utf8(bytes)?)
}

impl Compared for RocBlas<'_> {
    type Call = GemmCall;
    type Library = Library;

    fn target(call: &GemmCall) -> &str {
        &call.target
    }

    fn open(&self, folder: &Path, target: &str) -> Result<Library> {
        Ok(Library::open(folder, target)?)
    }

    fn compare(
        &self,
        library: &Library,
        vectors: &[Vector<GemmCall>],
    ) -> Result<(Duration, Vec<Differences>)> {
        let begun = Instant::now();
        let mut process = library.process();
        let answers =
            vectors.iter().map(|(call, _)| Ok(process.call(call, None)?)).collect::<Result<Vec<_>>>()?;
        let time = begun.elapsed();
        let differences = vectors.iter().zip(&answers).map(|((call, expected), answer)| {
            let actual = stated(call, answer, &self.numbers);
            let differing = FIELDS.into_iter().filter(|field| !same(expected.get(field), actual.get(field)));
            differing.map(|field| (field, actual.get(field).cloned().unwrap_or_default())).collect()
        });
        Ok((time, differences.collect()))
    }

    fn choose(&self, library: &Library, call: &GemmCall) -> Result<()> {
        std::hint::black_box(library.choose(call, None)?);
        Ok(())
    }
}

/// An answer in the form of a vector. Kernels that no vector names are given by name.
fn stated(problem: &GemmCall, answer: &Answer<'_>, numbers: &HashMap<&str, usize>) -> Value {
    let number = |name: &str| numbers.get(name).map_or_else(|| json!(name), |number| json!(number));
    let mut stated = json!({ "solution": answer.solution.map(|s| s.index), "status": answer.status });
    let mut add = |field: &str, value: Value| stated[field] = value;
    if let (Some(solution), Some(contraction)) = (answer.solution, problem.contraction()) {
        add("op", json!(contraction.operation));
        add("kernel", answer.kernel.map_or(Value::Null, number));
        add("co", json!(answer.code_object));
        add("loaded_from", json!(answer.loaded_from.as_deref()));
        add("lli", json!(solution.logic_index));
        add("distance", json!(answer.distance));
        add("ws_req", json!(answer.workspace_bytes));
        add("source", json!(solution.mapping.source_kernel));
        let launches: Vec<Value> = answer
            .launches
            .iter()
            .map(|l| json!([number(&l.kernel), l.grid, l.work_group, l.file.as_deref()]))
            .collect();
        add("launches", json!(launches));
    }
    if answer.quick_return {
        add("rocblas_quick_return", json!(true));
    }
    if answer.xf32_fell_back {
        add("xf32_fell_back", json!(true));
    }
    if answer.launches.iter().any(|launch| launch.is_cut()) {
        let items: Vec<_> = answer.launches.iter().map(|launch| launch.work_items()).collect();
        let cut: Vec<_> = items.iter().map(|of| of.map(|items| items & u64::from(u32::MAX))).collect();
        add("grid_overflow", json!([cut, items]));
    }
    stated
}

fn same(expected: Option<&Value>, actual: Option<&Value>) -> bool {
    match (expected, actual) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64() == b.as_f64(),
        _ => expected == actual,
    }
}
