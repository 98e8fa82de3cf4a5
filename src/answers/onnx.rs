//! A model in an ONNX file on a device: which of its convolutions are in MIOpen's find-db, and what rocBLAS
//! has for its products.

use super::convolution::BoundConvolutions;
use super::{Answers, ConvolutionQuestion};
use crate::engines::miopen::device::Device;
use crate::engines::onnx::problem::{NodeProblem, Problem};
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::error::AuditError;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeMap;

/// Data types: MIOpen's word, and rocBLAS's letters for a product.
pub const DATA: [(&str, &str); 3] = [("FP32", "SS"), ("FP16", "HHS"), ("BF16", "BBS")];

/// A question about a graph.
#[derive(Debug, Clone)]
pub struct GraphQuestion {
    /// The device.
    pub device: Device,
    /// MIOpen's word for the type of data; one of [`DATA`].
    pub data: &'static str,
    /// The same type in rocBLAS's letters.
    pub letters: &'static str,
    /// Variables that MIOpen would see.
    pub environment: BTreeMap<String, String>,
}

/// A node with the answer for it.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphRow {
    /// The node and its problem.
    pub asked: NodeProblem,
    /// The find-db key, for a convolution.
    pub key: Option<String>,
    /// What the libraries do with it.
    pub outcome: Outcome,
    /// At what MIOpen dies, where it does.
    pub dies: Option<String>,
}

/// What the libraries do with a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The find-db decides: solver and line of its record.
    Hit(String, u64),
    /// The find-db has a record, but MIOpen takes none of its solvers: the first of them, and what follows.
    Refused(String, Missed),
    /// The find-db has no record; holds what follows.
    Miss(Missed),
    /// No database was found, or the key is invalid.
    NotAsked,
    /// What rocBLAS chooses for a product, whether this is a kernel for every target, and the distance from
    /// the tuned size.
    Product(Option<String>, bool, Option<f64>),
    /// The tree has no rocBLAS files for the device.
    NoCatalog,
    /// The problem is not known.
    Unknown(String),
}

/// What MIOpen does on a miss.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missed {
    /// Number of solvers that the find measures.
    pub measured: u64,
    /// Their names, in the library's order.
    pub candidates: Vec<String>,
    /// The solver that FAST and immediate mode take, if estimates decide.
    pub first: Option<String>,
}

impl Answers {
    /// What becomes of the problems of a graph, in their order.
    ///
    /// # Errors
    /// If a database cannot be read, or the crate's own rules are malformed.
    pub fn graph(
        &self,
        all: Vec<NodeProblem>,
        question: &GraphQuestion,
    ) -> Result<Vec<GraphRow>, AuditError> {
        let of = |key: String| ConvolutionQuestion {
            environment: question.environment.clone(),
            ..ConvolutionQuestion::usual(key, question.device.clone())
        };
        let find_dbs = self.find_dbs(&of(String::new()), None)?.for_many(all.len());
        let bound = self.bound_for([&of(String::new())])?;
        let mut known: KeyMap<String, (Outcome, Option<String>)> = KeyMap::new();
        let mut rows = Vec::new();
        for asked in all {
            let mut dies = None;
            let (key, outcome) = match &asked.problem {
                Err(why) => (None, Outcome::Unknown(why.to_string())),
                Ok(Problem::Product(product)) => {
                    let letters =
                        |text: &str| text.chars().filter_map(Transpose::of_letter).collect::<Vec<_>>();
                    let [ta, tb] = letters(product.transposes)[..] else { continue };
                    let sizes = [product.m, product.n, product.k];
                    let (target, units) = (&question.device.target, question.device.compute_units);
                    let mut call = GemmCall::new(target, units, question.letters, [ta, tb], sizes);
                    call.c_eq_d = true;
                    if product.batch > 1 {
                        call.api = "gemm_strided_batched_ex".to_owned();
                        call.batch = product.batch;
                        let of = |rows: u64, columns: u64| rows.saturating_mul(columns);
                        let result = of(product.m, product.n);
                        call.stride = [of(product.m, product.k), of(product.k, product.n), result, result];
                    }
                    let library = self.find_rocblas(&call.target).ok();
                    let answer = library.and_then(|library| self.heard(library.answer(&call)));
                    let chosen = |answer: crate::engines::tensile::answer::GemmAnswer| {
                        Outcome::Product(answer.kernel, answer.fallback, answer.distance)
                    };
                    (None, answer.map_or(Outcome::NoCatalog, chosen))
                }
                Ok(Problem::Convolution(convolution)) => {
                    let key = convolution.key(question.data);
                    if !known.contains_key(&key) {
                        let outcome = match self.has_miopen() {
                            true => Self::convolution_of(&bound, &of(key.clone()), &find_dbs)?,
                            false => (Outcome::NotAsked, None),
                        };
                        known.insert(key.clone(), outcome);
                    }
                    let (outcome, why) = known.get(&key).cloned().unwrap_or((Outcome::NotAsked, None));
                    dies = why;
                    (Some(key), outcome)
                }
            };
            rows.push(GraphRow { asked, key, outcome, dies });
        }
        Ok(rows)
    }

    pub(super) fn convolution_of(
        bound: &BoundConvolutions<'_>,
        question: &ConvolutionQuestion,
        find_dbs: &super::FindDbFiles,
    ) -> Result<(Outcome, Option<String>), AuditError> {
        let (_, selection) = bound.selection(question, find_dbs)?;
        let missed = || Missed {
            measured: selection.candidates.measured().count() as u64,
            candidates: selection.candidates.measured().map(|solver| solver.name.to_owned()).collect(),
            first: selection.first_at_once().map(|solver| solver.name.to_owned()),
        };
        let taken = selection.pick.and_then(|at| selection.recorded.get(at));
        let outcome = match (taken, &selection.record) {
            (Some(taken), record) => {
                let line = record.as_ref().map_or(0, |(_, record)| record.line);
                Outcome::Hit(taken.item.solver.to_owned(), line)
            }
            (None, Some(_)) => {
                let first = selection.recorded.first().map(|recorded| recorded.item.solver.to_owned());
                Outcome::Refused(first.unwrap_or_default(), missed())
            }
            (None, None) => Outcome::Miss(missed()),
        };
        Ok((outcome, selection.why_it_dies()))
    }
}
