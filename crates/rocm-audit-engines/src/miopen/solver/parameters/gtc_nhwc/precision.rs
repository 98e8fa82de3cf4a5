//! The types of data that the kernels are written for.

use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::solver::integer::Integer;

/// The type of a kernel's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Single,
    Half,
    Brain,
}

impl Precision {
    pub(super) fn of_problem(p: &ConvolutionProblem<'_>) -> Option<Self> {
        Precision::of_word(match p.data_type {
            "FP32" => "fp32",
            "FP16" => "fp16",
            "BF16" => "bf16",
            _ => return None,
        })
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        [Precision::Single, Precision::Half, Precision::Brain].into_iter().find(|own| own.word() == word)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Precision::Single => "fp32",
            Precision::Half => "fp16",
            Precision::Brain => "bf16",
        }
    }

    pub(super) fn bytes(self) -> Integer {
        Integer(if self == Precision::Single { 4 } else { 2 })
    }
}
