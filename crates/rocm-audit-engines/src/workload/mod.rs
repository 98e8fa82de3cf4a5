//! Lists of products, convolutions and attentions, in our own file format and in logs of the libraries.
//!
//! A line is one problem with a weight: a JSON object, or a line that rocBLAS (`ROCBLAS_LAYER` 1, 2 and 4),
//! MIOpen (`MIOPEN_ENABLE_LOGGING_CMD`) or hipBLASLt (`HIPBLASLT_LOG_MASK` 32) writes to its log, or that
//! llama.cpp's `test-backend-ops` prints. Other lines are skipped and counted; a line that begins like a
//! problem but is malformed is reported with its number.

mod bench;
mod driver;
mod ggml_log;
pub mod hipblaslt;
mod json;

pub use json::named;

use crate::ggml::query::Query;
use crate::miopen::problem::ConvolutionProblem;
use crate::model::operation::{Depth, Flash, Product};
use crate::tensile::call::GemmCall;
use crate::tensile::data_type::GemmType;
use crate::tensile::lite::call::MatmulCall;
use rocm_audit_files::error::NotUnderstood;
use std::collections::{HashMap, hash_map};

/// Longest line that is read, in bytes; a call has some hundred.
pub const LONGEST_LINE: usize = 64 << 10;

/// Most distinct problems in a workload; a program that runs for days makes some thousand.
pub const MOST_PROBLEMS: usize = 100_000;

/// Malformed lines that are kept; others are only counted.
pub const WRONG_LINES: usize = 64;

/// A problem.
#[derive(Debug, Clone)]
pub enum Problem {
    /// A product of rocBLAS. Target and multiprocessors are not set.
    Gemm(Box<GemmCall>),
    /// A convolution, as a find-db key.
    Convolution(String),
    /// A product or attention of ggml.
    Ggml(Query),
    /// A product of hipBLASLt. Target and multiprocessors are not set.
    HipBlasLt(Box<MatmulCall>),
}

/// A problem of a workload.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The first line that states it, counted from 1.
    pub line: u64,
    /// Number of lines that state it.
    pub lines: u64,
    /// Number of calls: the sum of the weights of its lines.
    pub weight: u64,
    /// The problem.
    pub problem: Problem,
}

/// A malformed line that begins like a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongLine {
    /// Number of the line, from 1.
    pub line: u64,
    /// The error, as a sentence.
    pub what: String,
}

/// A workload.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// Its problems, each once, in the order of their first lines.
    pub entries: Vec<Entry>,
    /// The first malformed lines.
    pub wrong: Vec<WrongLine>,
    /// Number of malformed lines.
    pub wrong_lines: u64,
    /// Lines without a problem.
    pub other_lines: u64,
    /// Lines that are not empty.
    pub lines: u64,
}

impl Problem {
    /// Name of the library: `rocBLAS`.
    pub fn library(&self) -> &'static str {
        match self {
            Problem::Gemm(_) => "rocBLAS",
            Problem::Convolution(_) => "MIOpen",
            Problem::Ggml(_) => "ggml",
            Problem::HipBlasLt(..) => "hipBLASLt",
        }
    }

    /// Describes the problem; distinguishes it from others.
    pub fn words(&self) -> String {
        match self {
            Problem::Gemm(call) => {
                let batch = if call.batch > 1 { format!(", {} products", call.batch) } else { String::new() };
                format!(
                    "{} {} {:?}{:?} {}x{}x{}{batch}",
                    call.api, call.ty, call.ta, call.tb, call.m, call.n, call.k
                )
            }
            Problem::Convolution(key) => key.clone(),
            Problem::Ggml(query) => query.to_string(),
            Problem::HipBlasLt(call) => call.words(),
        }
    }

    /// Floating-point operations: two for each multiplication, eight where its numbers are complex.
    pub fn flops(&self) -> u128 {
        let all = |factors: &[u64]| {
            factors.iter().fold(2_u128, |product, factor| product.saturating_mul(u128::from(*factor)))
        };
        match self {
            Problem::Gemm(call) => {
                let is_complex = GemmType::meant(&call.ty).is_ok_and(|ty| ty.is_complex());
                all(&[call.m, call.n, call.k, call.batch, if is_complex { 4 } else { 1 }])
            }
            Problem::HipBlasLt(call) => all(&[call.m, call.n, call.k, call.batch]),
            Problem::Convolution(key) => ConvolutionProblem::parse(key).map_or(0, |problem| {
                let forward = problem.forward();
                let extent = |extent: &[u32; 3]| {
                    extent.iter().fold(1_u64, |all, size| all.saturating_mul(u64::from((*size).max(1))))
                };
                let channels = u64::from(forward.channels) / u64::from(problem.groups.max(1));
                all(&[
                    extent(&forward.output),
                    extent(&problem.filter),
                    u64::from(problem.batch),
                    channels,
                    u64::from(forward.filters),
                ])
            }),
            Problem::Ggml(query) => product(query).flops(),
        }
    }

    fn key(&self) -> String {
        match self {
            // All parameters of the call distinguish it, not only the shown ones.
            Problem::Gemm(call) => format!("{call:?}"),
            Problem::HipBlasLt(call) => format!("{call:?}"),
            other => format!("{} {}", other.library(), other.words()),
        }
    }
}

impl Workload {
    fn refuse(&mut self, line: u64, what: String) {
        self.wrong_lines += 1;
        if self.wrong.len() < WRONG_LINES {
            self.wrong.push(WrongLine { line, what });
        }
    }
}

/// The model operation for a ggml problem.
pub fn product(query: &Query) -> Product {
    match query {
        Query::MulMat(problem) => Product::MulMat(*problem, Depth::FLAT),
        Query::MulMatId(problem) => Product::Experts(*problem, 1),
        Query::FlashAttention(query) => {
            // Keys with this size belong to absorbed projections, in which the keys contain the values.
            let absorbed = query.dk == 576;
            Product::Attention(Flash { query: *query, streams: 1, sinks: false, capped: false, absorbed })
        }
    }
}

/// Reads a file: problems in lines of any form, in any mixture.
pub fn read(bytes: &[u8]) -> Workload {
    let mut workload = Workload::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (number, line) in (1_u64..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.is_empty() {
            continue;
        }
        workload.lines += 1;
        let text = String::from_utf8_lossy(line.get(..LONGEST_LINE.min(line.len())).unwrap_or_default());
        let found = if line.len() > LONGEST_LINE && is_stated(&text) {
            Some(Err(format!("the line has {} bytes; at most {LONGEST_LINE} are read", line.len()).into()))
        } else {
            of_line(&text)
        };
        match found {
            None => workload.other_lines += 1,
            Some(Err(what)) => workload.refuse(number, what.into()),
            Some(Ok(stated)) => {
                for (weight, problem) in stated {
                    let known = places.entry(problem.key());
                    match known {
                        hash_map::Entry::Occupied(place) => {
                            if let Some(entry) = workload.entries.get_mut(*place.get()) {
                                entry.lines += 1;
                                entry.weight = entry.weight.saturating_add(weight);
                            }
                        }
                        hash_map::Entry::Vacant(_) if workload.entries.len() >= MOST_PROBLEMS => {
                            let what = format!(
                                "more than {MOST_PROBLEMS} different problems; this one is not asked"
                            );
                            workload.refuse(number, what);
                        }
                        hash_map::Entry::Vacant(free) => {
                            free.insert(workload.entries.len());
                            workload.entries.push(Entry { line: number, lines: 1, weight, problem });
                        }
                    }
                }
            }
        }
    }
    workload
}

/// Problems with their weights, or the error.
type Stated = Result<Vec<(u64, Problem)>, NotUnderstood>;

/// Whether a line begins like a problem.
fn is_stated(text: &str) -> bool {
    of_line(text).is_some()
}

/// The problem in a line; `None` if it has none of the forms.
fn of_line(text: &str) -> Option<Stated> {
    let text = text.trim();
    if text.starts_with('{') {
        return Some(json::read(text));
    }
    if let Some(fields) = text.strip_prefix("- {").and_then(|rest| rest.split_once('}')) {
        return bench::profile(fields.0);
    }
    // A word alone; a log can begin a sentence in this way.
    let is_notation = ["fwd:", "bwd:", "wrw:"].iter().any(|begin| text.starts_with(begin));
    let is_word = !text.contains(char::is_whitespace);
    if is_word && (is_notation || ConvolutionProblem::parse(text).is_ok()) {
        return Some(json::convolution(text).map(|problem| vec![(1, problem)]));
    }
    if text.starts_with("rocblas_") {
        return bench::trace(text);
    }
    // Logs write a path, a time or a prompt before the command.
    let behind =
        |name: &str| text.split_once(name).map(|(_, rest)| rest).filter(|rest| rest.starts_with([' ', '\t']));
    if let Some(arguments) = behind("rocblas-bench") {
        return bench::rocblas(arguments);
    }
    if let Some(call) = hipblaslt::call_of_line(text) {
        return Some(call.and_then(|call| {
            call.check()?;
            Ok(vec![(1, Problem::HipBlasLt(Box::new(call)))])
        }));
    }
    behind("MIOpenDriver").and_then(driver::read).or_else(|| ggml_log::read(text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
