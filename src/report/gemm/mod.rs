//! Makes the reports on what rocBLAS does for a call.

mod statements;
mod walk;

use super::v1::{GemmLine, GemmReport, KernelLaunch, KernelParameter};
use super::v1::{Header, document};
use crate::engines::tensile::answer::{Front, GemmAnswer};
use crate::engines::tensile::call::GemmCall;
use crate::engines::tensile::kernel_name::Parameter;
use crate::engines::tensile::launch::Launch;
use crate::engines::tensile::library::Answer;
use crate::engines::tensile::trace::SelectionTrace;
use crate::finding::Finding;

/// The report on what rocBLAS does for a call in a fresh process, with the findings.
pub fn gemm(answer: &GemmAnswer, found: &[Finding]) -> GemmReport {
    let parameter = |p: &Parameter| KernelParameter {
        name: p.initials.to_owned(),
        title: p.title.to_owned(),
        value: p.value.clone(),
    };
    GemmReport {
        header: Header::from_document(document::SELECT_GEMM),
        found: super::findings::found(found),
        target: answer.target.to_string(),
        multiprocessors: answer.call.multiprocessors,
        call: call(&answer.call),
        folder: answer.folder.to_string_lossy().into_owned(),
        first_catalog: answer.first_catalog.clone(),
        answered_by: match answer.front {
            Some(Front::Answers { .. }) => "hipBLASLt",
            _ => "rocBLAS",
        },
        solution: answer.solution,
        public_solution: answer.public_index(),
        fallback: answer.fallback,
        quick_return: answer.quick_return,
        gemv: answer.gemv,
        kernel: answer.kernel.clone(),
        parameters: answer.parameters.iter().map(parameter).collect(),
        code_object: answer.code_object.clone(),
        loaded_from: answer.loaded_from.clone(),
        launches: answer.launches.iter().map(launch).collect(),
        status: answer.status,
        workspace_bytes: answer.workspace_bytes,
        distance: answer.distance,
        statements: statements::gemm_statements(answer),
        walk: words(&answer.trace),
        walk_dropped: answer.trace.dropped(),
    }
}

/// The answer to one line of a file of problems.
pub fn gemm_line<'a>(id: &'a str, answer: &'a Answer<'_>) -> GemmLine<'a> {
    GemmLine {
        id,
        solution: answer.solution.map(|s| s.index),
        gemv: answer.gemv,
        kernel: answer.kernel,
        code_object: answer.code_object.as_deref(),
        loaded_from: answer.loaded_from.as_deref(),
        launches: answer.launches.iter().map(launch).collect(),
        status: answer.status,
        workspace_bytes: answer.workspace_bytes,
        fallback: answer.is_fallback(),
        distance: answer.distance,
    }
}

/// The same line, for an answer that outlives its catalogs.
pub fn gemm_line_of(answer: &GemmAnswer) -> GemmLine<'_> {
    GemmLine {
        id: &answer.call.id,
        solution: answer.solution,
        gemv: answer.gemv,
        kernel: answer.kernel.as_deref(),
        code_object: answer.code_object.as_deref(),
        loaded_from: answer.loaded_from.as_deref(),
        launches: answer.launches.iter().map(launch).collect(),
        status: answer.status,
        workspace_bytes: answer.workspace_bytes,
        fallback: answer.fallback,
        distance: answer.distance,
    }
}

/// A call in words.
pub(super) fn call(p: &GemmCall) -> String {
    let batch = if p.batch == 1 { String::new() } else { format!(", batch of {}", p.batch) };
    format!("rocblas_{} {} {:?}{:?} {} × {} × {}{batch}", p.api, p.ty, p.ta, p.tb, p.m, p.n, p.k)
}

/// The steps of a choice, in words.
pub(super) fn words(trace: &SelectionTrace) -> Vec<String> {
    trace.steps().iter().filter(|step| !walk::is_idle(step)).map(walk::words).collect()
}

pub(super) fn launch(launch: &Launch<'_>) -> KernelLaunch {
    KernelLaunch {
        role: launch.role,
        kernel: launch.kernel.to_string(),
        grid: launch.grid,
        work_group: launch.work_group,
        file: launch.file.as_deref().map(str::to_owned),
        cut: launch.is_cut(),
    }
}
