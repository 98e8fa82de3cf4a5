//! Makes the reports on what hipBLASLt gives for a call.

mod coverage;
mod statements;

pub use coverage::{matmul_coverage, matmul_map};

use super::gemm::{launch, words};
use super::v1::{Header, document};
use super::v1::{MatmulAlgorithm, MatmulDecided, MatmulLaunch, MatmulLine, MatmulReport, WorkItems};
use crate::engines::tensile::launch::Launch;
use crate::engines::tensile::lite::answer::{Algorithm, MatmulAnswer};
use crate::engines::tensile::lite::by_source::BySource;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::engines::tensile::lite::library::{Choice, Library, SUCCESS};
use crate::engines::tensile::lite::sparse::NOT_SUPPORTED;
use crate::engines::tensile::lite::tuned::{NEAR, ratio};
use crate::finding::Finding;

/// The report on what hipBLASLt gives for a call, with the findings.
pub fn matmul(answer: &MatmulAnswer, found: &[Finding]) -> MatmulReport {
    MatmulReport {
        header: Header::from_document(document::SELECT_MATMUL),
        found: super::findings::found(found),
        target: answer.target.to_string(),
        multiprocessors: answer.asks_for_compute_units.then_some(answer.call.multiprocessors),
        call: answer.call.words(),
        folder: answer.folder.to_string_lossy().into_owned(),
        first_catalog: answer.first_catalog.clone(),
        decided: decided(answer),
        answer: sentence(answer),
        requested: answer.call.requested as u64,
        returned: answer.returned as u64,
        fixed: answer.fixed as u64,
        algorithms: answer.algorithms.iter().map(algorithm).collect(),
        fill: answer.fill.clone(),
        code_object: answer.code_object.clone(),
        launches: answer.launches.iter().map(launch).collect(),
        missing_kernel: answer.missing.clone(),
        run_status: answer.run_status,
        statements: statements::matmul_statements(answer),
        walk: words(&answer.trace),
        walk_dropped: answer.trace.dropped(),
    }
}

fn algorithm(of: &Algorithm) -> MatmulAlgorithm {
    MatmulAlgorithm {
        solution: of.solution,
        fixed: of.fixed,
        workspace_bytes: of.workspace,
        kernel: of.kernel.clone(),
        name: of.name.clone(),
        catalog: of.catalog.clone(),
        tuned: of.tuned,
        tile: of.tile,
        split: of.split,
    }
}

fn decided(answer: &MatmulAnswer) -> MatmulDecided {
    if answer.compiled {
        return MatmulDecided::RunTimeCompiler;
    }
    match (answer.fixed, answer.fill.len()) {
        (1.., _) if is_ranked(answer) => MatmulDecided::Ranked,
        (1.., _) => MatmulDecided::Tables,
        (0, _) if answer.undecided.is_some() => MatmulDecided::NotKnown,
        (0, 0) => MatmulDecided::None,
        (0, 1) => MatmulDecided::OneCandidate,
        (0, _) => MatmulDecided::Undetermined,
    }
}

/// Whether a model ranks the first algorithm.
fn is_ranked(answer: &MatmulAnswer) -> bool {
    let by_row = answer.algorithms.first().is_some_and(|first| first.tuned.is_some());
    !by_row && answer.by_source.contains(&BySource::Ranking)
}

/// The answer in a sentence.
pub(super) fn sentence(answer: &MatmulAnswer) -> String {
    let first = answer.algorithms.first().map(|algorithm| algorithm.solution);
    match (decided(answer), first) {
        (MatmulDecided::Tables, Some(first)) => {
            format!("solution {first}, by the tables of tuned sizes{}", distance(answer))
        }
        (MatmulDecided::Ranked, Some(first)) => {
            format!("solution {first}, which origami's model ranks first; no table has the size")
        }
        (MatmulDecided::OneCandidate, Some(first)) => {
            format!("solution {first}: the tables give none, and it is the only one that can solve this")
        }
        (MatmulDecided::Undetermined, Some(first)) => {
            let count = answer.fill.len();
            format!(
                "one of {count} solutions: the tables give none, and their order is that of heap addresses; in a fresh \
                 process the lowest index, {first}"
            )
        }
        (MatmulDecided::RunTimeCompiler, _) => {
            "a kernel that RocRoller compiles at run time: blocks of A and B have scales of \
                                                their own, and no catalog is asked"
                .to_owned()
        }
        (MatmulDecided::NotKnown, _) => {
            let what = answer.undecided.as_deref().unwrap_or_default();
            format!("not known: the catalogs have a {what}, which this tool does not know")
        }
        _ => match answer.invalid {
            Some(why) if answer.call.sparse.is_some() => {
                format!("no algorithm, with status {NOT_SUPPORTED} (HIPSPARSE_STATUS_NOT_SUPPORTED): {why}")
            }
            None if answer.call.sparse.is_some() => {
                format!(
                    "no algorithm, with status {NOT_SUPPORTED} (HIPSPARSE_STATUS_NOT_SUPPORTED): no solution can solve this"
                )
            }
            Some(why) => format!("no algorithm, with status 0: {why}"),
            None if answer.call.group.is_some() => {
                "no algorithm, with status 0: no solution for groups of these types can \
                 solve this, or the target has none; each product alone may have one"
                    .to_owned()
            }
            None => "no algorithm, with status 0: no solution can solve this".to_owned(),
        },
    }
}

/// The distance between the call's size and the size the first algorithm was tuned for.
fn distance(answer: &MatmulAnswer) -> String {
    let call = &answer.call;
    let tuned = answer.algorithms.first().and_then(|first| first.tuned);
    match tuned.map(|tuned| ratio([call.m, call.n, call.batch, call.k], tuned)) {
        Some(1.0) => ": tuned for exactly this size".to_owned(),
        Some(ratio) if ratio <= NEAR => ": tuned for a size within a factor of 2".to_owned(),
        Some(ratio) => format!(": tuned for a size that differs by a factor of {ratio:.0}"),
        None => String::new(),
    }
}

/// The answer to one line of a file of problems.
pub fn matmul_line<'a>(library: &Library, call: &'a MatmulCall, choice: &'a Choice<'_>) -> MatmulLine<'a> {
    let launched = choice.first().map(|first| library.launch(first, call, &choice.problem, false));
    MatmulLine {
        id: &call.id,
        status: if call.sparse.is_some() && choice.first().is_none() { NOT_SUPPORTED } else { SUCCESS },
        solutions: choice.list().map(|found| found.solution.index).collect(),
        ws_req: choice.list().map(|found| choice.stated_workspace(found)).collect(),
        fixed: choice.fixed.len() as u64,
        fill: choice.fill.iter().map(|found| found.solution.index).collect(),
        run_status: launched.as_ref().and_then(|launched| launched.status),
        launches: launched.iter().flat_map(|launched| &launched.launches).map(launch_of_line).collect(),
        by_source: choice.is_by_source(),
        not_known: choice
            .undecided
            .as_deref()
            .or(choice.compiled.then_some("compiled at run time by RocRoller")),
    }
}

fn launch_of_line(launch: &Launch<'_>) -> MatmulLaunch {
    // HIP uses 32 bits for each dimension.
    let [x, y, z] = launch.work_items().map(|items| items & u64::from(u32::MAX));
    let items = if (y, z) == (1, 1) { WorkItems::Line(x) } else { WorkItems::Grid([x, y, z]) };
    let [size, ..] = launch.work_group;
    MatmulLaunch(launch.kernel.to_string(), items, size, launch.file.as_deref().map(str::to_owned))
}
