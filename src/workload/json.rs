//! Problems in lines of JSON: `{"weight": 12, "gemm": {…}}`, with `conv`, `ggml` or `hipblaslt` in place of `gemm`.

use super::{Problem, Stated};
use crate::engines::ggml::query::Query;
use crate::engines::miopen::notation;
use crate::engines::miopen::problem::ConvolutionProblem;
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::target::TargetId;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default = "one")]
    weight: u64,
    gemm: Option<Gemm>,
    conv: Option<String>,
    ggml: Option<String>,
    hipblaslt: Option<Gemm>,
}

/// A product; what is not said is as in a call of `gemm_ex` on packed matrices.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gemm {
    pub ty: String,
    #[serde(default = "normal")]
    pub ta: Transpose,
    #[serde(default = "normal")]
    pub tb: Transpose,
    pub m: u64,
    pub n: u64,
    pub k: u64,
    pub batch: Option<u64>,
    pub api: Option<String>,
    pub ld: Option<[u64; 4]>,
    pub stride: Option<[u64; 4]>,
    pub alpha: Option<f64>,
    pub beta: Option<f64>,
    #[serde(default)]
    pub c_eq_d: bool,
}

fn one() -> u64 {
    1
}

fn normal() -> Transpose {
    Transpose::N
}

pub(super) fn read(text: &str) -> Stated {
    let line: Line = serde_json::from_str(text).map_err(|error| format!("not a problem: {error}"))?;
    let problem = match (line.gemm, line.conv, line.ggml, line.hipblaslt) {
        (Some(gemm), None, None, None) => gemm.problem()?,
        (None, Some(text), None, None) => convolution(&text)?,
        (None, None, Some(text), None) => {
            Problem::Ggml(text.parse::<Query>().map_err(|error| error.to_string())?)
        }
        (None, None, None, Some(gemm)) => {
            let sizes = [gemm.m, gemm.n, gemm.k, gemm.batch.unwrap_or(1)];
            let words = format!("{} {:?}{:?} {}x{}x{}", gemm.ty, gemm.ta, gemm.tb, gemm.m, gemm.n, gemm.k);
            Problem::HipBlasLt(sizes, words)
        }
        _ => return Err("not a problem: one of gemm, conv, ggml and hipblaslt is expected".to_owned()),
    };
    Ok(vec![(line.weight, problem)])
}

/// A convolution by its key, or as it is written on a command line.
fn convolution(text: &str) -> Result<Problem, String> {
    if ConvolutionProblem::parse(text).is_ok() {
        return Ok(Problem::Convolution(text.to_owned()));
    }
    notation::key(text).map(Problem::Convolution).map_err(|error| error.to_string())
}

impl Gemm {
    pub fn problem(self) -> Result<Problem, String> {
        let mut call =
            GemmCall::new(&TargetId::bare(""), 1, &self.ty, [self.ta, self.tb], [self.m, self.n, self.k]);
        call.batch = self.batch.unwrap_or(1);
        let usual = if call.batch > 1 { "gemm_strided_batched_ex" } else { "gemm_ex" };
        call.set_api(self.api.as_deref().unwrap_or(usual));
        call.c_eq_d |= self.c_eq_d;
        call.alpha = self.alpha.unwrap_or(1.0);
        call.beta = self.beta.unwrap_or(0.0);
        if let Some(ld) = self.ld {
            call.ld = ld;
        }
        match self.stride {
            Some(stride) => call.stride = stride,
            None => call.pack_batch(),
        }
        call.check()?;
        Ok(Problem::Gemm(Box::new(call)))
    }
}
