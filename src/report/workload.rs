//! Makes the report on a list of problems on a device.

use super::v1::{Evidence, Statement, WorkloadLines, WorkloadProblem, WorkloadReport, WorkloadWay};
use super::v1::{Header, document};
use crate::answers::ConvolutionQuestion;
use crate::answers::model::{WayKind, ratio};
use crate::answers::onnx::Outcome;
use crate::answers::workload::{Answered, WorkloadLibraries, WorkloadRow};
use crate::engines::tensile::lite::tuned::{NEAR, TunedMatch};
use crate::engines::workload::Workload;
use crate::finding::Finding;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// A workload in a question.
#[derive(Debug)]
pub struct LoadedWorkload<'a> {
    /// Path of the file.
    pub file: String,
    /// The problems in the file.
    pub workload: &'a Workload,
    /// Whether the number of multiprocessors is assumed.
    pub multiprocessors_assumed: bool,
}

fn small(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The report on a workload on the device of `asked`, with the findings.
pub fn workload(
    loaded: &LoadedWorkload<'_>,
    asked: &ConvolutionQuestion,
    rows: &[WorkloadRow],
    libraries: &WorkloadLibraries,
    found: &[Finding],
) -> WorkloadReport {
    let device = &asked.device;
    let flops_of = |row: &WorkloadRow| row.entry.problem.flops().saturating_mul(u128::from(row.entry.weight));
    let flops = rows.iter().fold(0_u128, |sum, row| sum.saturating_add(flops_of(row)));
    let mut ways: KeyMap<(String, String, String), (u64, u64, u128)> = KeyMap::new();
    let mut problems = Vec::new();
    for row in rows {
        let said = RowWords::from_row(row);
        let library = row.entry.problem.library().to_owned();
        let sum = ways.entry((library.clone(), said.kind.clone(), said.way.clone())).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(row.entry.weight), sum.2.saturating_add(flops_of(row)));
        problems.push(WorkloadProblem {
            line: row.entry.line,
            lines: row.entry.lines,
            calls: row.entry.weight,
            library,
            problem: row.entry.problem.words(),
            flops: small(row.entry.problem.flops()),
            flops_share: ratio(flops_of(row), flops),
            kind: said.kind,
            way: said.way,
            taken: said.taken,
            distance: said.distance,
            evidence: said.evidence,
        });
    }
    problems.sort_rows_by(|a, b| b.flops_share.total_cmp(&a.flops_share).then(a.line.cmp(&b.line)));
    let mut ways: Vec<WorkloadWay> = ways
        .into_iter()
        .map(|((library, kind, way), (problems, calls, part))| WorkloadWay {
            library,
            kind,
            way,
            problems,
            calls,
            flops_share: ratio(part, flops),
        })
        .collect();
    ways.sort_rows_by(|a, b| b.flops_share.total_cmp(&a.flops_share));
    WorkloadReport {
        header: Header::from_document(document::WORKLOAD),
        found: super::findings::found(found),
        file: loaded.file.clone(),
        target: device.target.to_string(),
        multiprocessors: device.compute_units,
        multiprocessors_assumed: loaded.multiprocessors_assumed,
        environment: asked.environment.clone(),
        lines: WorkloadLines {
            all: loaded.workload.lines,
            wrong: loaded.workload.wrong_lines,
            other: loaded.workload.other_lines,
        },
        problems: rows.len() as u64,
        calls: rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.entry.weight)),
        flops: small(flops),
        rocblas: libraries.rocblas.clone(),
        hipblaslt: libraries.hipblaslt.clone(),
        find_db: libraries.find_db.is_some(),
        without_databases: libraries.without_databases,
        ggml: libraries.ggml.clone(),
        ways,
        rows: problems,
        statements: statements(rows),
    }
}

/// The words for an answer.
pub(crate) struct RowWords {
    pub kind: String,
    pub way: String,
    pub taken: Vec<String>,
    pub distance: Option<f64>,
    pub evidence: Evidence,
}

impl RowWords {
    fn new(kind: &str, way: impl Into<String>, taken: Vec<String>, evidence: Evidence) -> Self {
        RowWords { kind: kind.to_owned(), way: way.into(), taken, distance: None, evidence }
    }

    pub fn from_row(row: &WorkloadRow) -> Self {
        let library = row.entry.problem.library();
        match &row.answered {
            Answered::Gemm(None, ..) => {
                RowWords::new("nothing", "rocBLAS has no kernel for it", Vec::new(), Evidence::Code)
            }
            Answered::Gemm(Some(kernel), fallback, distance) => {
                let (kind, way) = match fallback {
                    true => ("fallback", "rocBLAS, a kernel for every target"),
                    false => ("tuned", "rocBLAS, a kernel for the target"),
                };
                RowWords {
                    distance: *distance,
                    ..RowWords::new(kind, way, vec![kernel.clone()], Evidence::Code)
                }
            }
            Answered::Missing(kernel) => {
                let way = "rocBLAS, whose kernel or its code object is missing";
                RowWords::new("missing", way, vec![kernel.clone()], Evidence::Code)
            }
            Answered::Vector => {
                let way = "rocBLAS, a kernel of its own for a product with a vector";
                RowWords::new("vector", way, Vec::new(), Evidence::StandIn)
            }
            Answered::TwoShapes => {
                let way = "rocBLAS refuses it: C and D are one matrix, and have two leading dimensions";
                RowWords::new("fails", way, Vec::new(), Evidence::StandIn)
            }
            Answered::AtOnce => {
                RowWords::new("at-once", "rocBLAS returns at once", Vec::new(), Evidence::Code)
            }
            Answered::NoCatalog => {
                let way = format!("{library}, nothing found for the target");
                RowWords::new("not-known", way, Vec::new(), Evidence::Inferred)
            }
            Answered::Matmul(kernel, tuned, status) => RowWords::of_matmul(kernel.as_ref(), *tuned, *status),
            Answered::Broken(what) => {
                RowWords::new("crash", format!("{library} crashes: {what}"), Vec::new(), Evidence::StandIn)
            }
            Answered::Convolution(outcome, _) => RowWords::of_convolution(outcome),
            Answered::Ggml(way, names) => {
                let kind = match way.kind {
                    WayKind::OwnKernel => "own-kernel",
                    other => other.name(),
                };
                RowWords::new(kind, format!("ggml, {way}"), names.clone(), Evidence::Code)
            }
        }
    }

    fn of_matmul(kernel: Option<&String>, tuned: TunedMatch, status: i32) -> Self {
        let taken = kernel.into_iter().cloned().collect();
        let (kind, way) = match tuned {
            _ if status != 0 => ("fails", format!("hipBLASLt, the launch returns status {status}")),
            TunedMatch::Exact => ("exact", "hipBLASLt, tuned for exactly this size".to_owned()),
            TunedMatch::Ratio(ratio) if ratio <= NEAR => {
                ("near", format!("hipBLASLt, tuned for a size within a factor of {NEAR}"))
            }
            TunedMatch::Ratio(_) => ("far", format!("hipBLASLt, tuned for a size beyond a factor of {NEAR}")),
            TunedMatch::Ranked => ("ranked", "hipBLASLt, ranked by a model".to_owned()),
            TunedMatch::FillOnly(1) => {
                ("fill", "hipBLASLt, the only solution that can; no table has it".to_owned())
            }
            TunedMatch::FillOnly(_) => {
                ("undetermined", "hipBLASLt, one of several that can; no table decides".to_owned())
            }
            TunedMatch::Nothing => ("nothing", "hipBLASLt has no solution for it".to_owned()),
            TunedMatch::NotKnown => {
                ("not-known", "hipBLASLt, whose catalogs this tool does not fully know".to_owned())
            }
        };
        RowWords { distance: tuned.ratio(), ..RowWords::new(kind, way, taken, Evidence::StandIn) }
    }

    fn of_convolution(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Hit(solver, _) => {
                let way = format!("MIOpen, {solver} by the find-db");
                RowWords::new("hit", way, vec![solver.clone()], Evidence::Code)
            }
            Outcome::Refused(solver, _) => {
                let way = "MIOpen measures: no solver of its record is taken";
                RowWords::new("refused", way, vec![solver.clone()], Evidence::Code)
            }
            Outcome::Miss(missed) => match &missed.candidates[..] {
                [] if missed.measured == 0 => {
                    let way = "MIOpen fails: there is no record, and no solver would be measured";
                    RowWords::new("fails", way, Vec::new(), Evidence::Code)
                }
                [only] => {
                    let way = format!("MIOpen, {only}, the only candidate: there is no record");
                    RowWords::new("measured", way, vec![only.clone()], Evidence::Code)
                }
                several => {
                    let way = "MIOpen measures: there is no record";
                    RowWords::new("measured", way, several.to_vec(), Evidence::Code)
                }
            },
            _ => {
                let way = "MIOpen was not found";
                RowWords::new("not-known", way, Vec::new(), Evidence::Inferred)
            }
        }
    }
}

fn statements(rows: &[WorkloadRow]) -> Vec<Statement> {
    let say = |about: &str, text: &str, evidence| Statement {
        about: about.to_owned(),
        text: text.to_owned(),
        evidence,
    };
    let has = |library: &str| rows.iter().any(|row| row.entry.problem.library() == library);
    let mut all = Vec::new();
    if has("rocBLAS") {
        let text = "each call is one of a fresh process, with the workspace that rocBLAS has by itself; a log says nothing of other \
                    settings of a handle";
        all.push(say("rocBLAS", text, Evidence::Code));
    }
    if has("hipBLASLt") {
        let text = "each call is the first of a process and asks for one algorithm with 32 MiB of workspace unless its line says \
                    otherwise; the distance is the largest ratio between M, N or K and the size that was tuned";
        all.push(say("hipBLASLt", text, Evidence::StandIn));
    }
    if has("MIOpen") {
        let text = "a hit is a record of the find-db with a solver that MIOpen takes; without a hit MIOpen measures, which takes \
                    time once for each problem";
        all.push(say("MIOpen", text, Evidence::Code));
    }
    all.push(say(
        "weights",
        "a weight is how often a problem is made; lines without one count once",
        Evidence::Code,
    ));
    all.push(say("predicted", "nothing was run, and no speed is promised", Evidence::Inferred));
    all
}
