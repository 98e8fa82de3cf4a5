//! Compares the selection of hipBLASLt with the vectors of the real library.
//!
//! Each vector is a call of its own: no two of them share a key of the library's cache.

use crate::vectors::{self, Compared, Differences, Vector};
use anyhow::{Context as _, Result, bail};
use rocm_audit::engines::tensile::launch::Launch;
use rocm_audit::engines::tensile::lite::call::MatmulCall;
use rocm_audit::engines::tensile::lite::library::{Choice, Library};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// The compared parts.
const PARTS: [&str; 5] = ["fixed", "fill", "rest", "workspace", "launches"];

/// hipBLASLt, with the kernels in the vectors' numbering.
struct HipBlasLt<'n> {
    kernels: Vec<&'n str>,
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, vectors] = arguments else {
        bail!("hipblaslt LIBRARY_FOLDER VECTORS_FOLDER");
    };
    let vectors = Path::new(vectors);
    let kernels = std::fs::read_to_string(vectors.join("kernels.txt")).context("kernels.txt")?;
    vectors::run(&HipBlasLt { kernels: kernels.lines().collect() }, Path::new(folder), vectors)
}

impl Compared for HipBlasLt<'_> {
    type Call = MatmulCall;
    type Library = Library;

    fn target(call: &MatmulCall) -> &str {
        &call.target
    }

    fn open(&self, folder: &Path, target: &str) -> Result<Library> {
        Ok(Library::open(folder, target)?)
    }

    fn compare(
        &self,
        library: &Library,
        vectors: &[Vector<MatmulCall>],
    ) -> Result<(Duration, Vec<Differences>)> {
        let begun = Instant::now();
        let choices =
            vectors.iter().map(|(call, _)| Ok(library.choose(call, None)?)).collect::<Result<Vec<_>>>()?;
        let time = begun.elapsed();
        let differences = vectors
            .iter()
            .zip(&choices)
            .map(|((call, expected), choice)| differences(library, call, expected, choice, &self.kernels));
        Ok((time, differences.collect()))
    }

    fn choose(&self, library: &Library, call: &MatmulCall) -> Result<()> {
        std::hint::black_box(library.choose(call, None)?);
        Ok(())
    }
}

/// The parts of an answer that differ from the vector, with their values here.
fn differences(
    library: &Library,
    call: &MatmulCall,
    expected: &Value,
    choice: &Choice<'_>,
    kernels: &[&str],
) -> Differences {
    let numbers = |field: &str| -> Vec<u64> {
        let list = expected.get(field).and_then(Value::as_array);
        list.map(|list| list.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
    };
    let solutions = numbers("solutions");
    let count = expected.get("fixed").and_then(Value::as_u64).unwrap_or_default() as usize;
    let fixed: Vec<u64> = choice.fixed.iter().map(|f| u64::from(f.solution.index)).collect();
    let fill: Vec<u64> = choice.fill.iter().map(|f| u64::from(f.solution.index)).collect();
    let rest = solutions.get(count..).unwrap_or_default();
    let of_fill = BTreeSet::from_iter(rest).iter().all(|index| fill.contains(index));
    let distinct = BTreeSet::from_iter(rest).len();
    let workspace: Option<Vec<u64>> = solutions
        .iter()
        .map(|index| {
            let mut all = choice.fixed.iter().chain(&choice.fill);
            let found = all.find(|found| u64::from(found.solution.index) == *index)?;
            Some(choice.stated_workspace(found))
        })
        .collect();
    let equal = [
        choice.undecided.is_none() && solutions.get(..count) == Some(&fixed),
        numbers("fill") == fill,
        of_fill && distinct == rest.len() && rest.len() == choice.filled(),
        workspace.as_ref() == Some(&numbers("ws_req")),
        expected.get("launches").is_none_or(|launches| {
            stated(library, call, expected, choice, kernels).as_ref() == Some(launches)
        }),
    ];
    let found = [
        json!(fixed),
        json!(fill),
        json!(fill),
        json!(workspace),
        stated(library, call, expected, choice, kernels).unwrap_or_default(),
    ];
    let parts = PARTS.into_iter().zip(found).zip(equal);
    parts.filter(|(_, equal)| !equal).map(|(part, _)| part).collect()
}

/// The launches that a vector states for its first algorithm.
fn stated(
    library: &Library,
    call: &MatmulCall,
    expected: &Value,
    choice: &Choice<'_>,
    kernels: &[&str],
) -> Option<Value> {
    let first = expected.get("solutions")?.get(0)?.as_u64()?;
    let mut all = choice.fixed.iter().chain(&choice.fill);
    let found = all.find(|found| u64::from(found.solution.index) == first)?;
    let launched = library.launch(found, call, &choice.problem, false);
    let status = expected.get("run_status")?.as_i64()?;
    if launched.status.map(i64::from) != Some(status) {
        return Some(json!({ "run_status": launched.status }));
    }
    let number = |name: &str| {
        kernels.iter().position(|known| *known == name).map_or_else(|| json!(name), |at| json!(at))
    };
    let items = |launch: &Launch<'_>| {
        let [x, y, z] = launch.work_items().map(|items| items & u64::from(u32::MAX));
        if (y, z) == (1, 1) { json!(x) } else { json!([x, y, z]) }
    };
    let one = |launch: &Launch<'_>| {
        let [size, ..] = launch.work_group;
        json!([number(&launch.kernel), items(launch), size, launch.file.as_deref()])
    };
    Some(launched.launches.iter().map(one).collect())
}
