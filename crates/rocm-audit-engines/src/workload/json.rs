//! Problems in lines of JSON: `{"weight": 12, "gemm": {…}}`, with `conv`, `ggml` or `hipblaslt` instead of
//! `gemm`; or without such a name, as files of calls have them, by their fields.

use super::{Problem, Stated, hipblaslt};
use crate::ggml::query::Query;
use crate::miopen::notation;
use crate::miopen::problem::ConvolutionProblem;
use crate::tensile::call::{GemmCall, Transpose, takes_pointers};
use crate::tensile::lite::call::MatmulCall;
use crate::tensile::lite::epilogue::Epilogue;
use crate::tensile::lite::types::{ComputeType, MatrixType, types_of};
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::NotUnderstood;
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default = "one")]
    weight: u64,
    gemm: Option<Gemm>,
    conv: Option<String>,
    ggml: Option<String>,
    hipblaslt: Option<Matmul>,
}

/// A product; omitted fields are as in a call of `gemm_ex` on packed matrices.
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

/// A product of hipBLASLt; omitted fields are as in a call on packed matrices of one type, for one algorithm.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Matmul {
    /// The type of all matrices, or one of rocBLAS's such as `HHS`.
    ty: Option<String>,
    a: Option<MatrixType>,
    b: Option<MatrixType>,
    c: Option<MatrixType>,
    d: Option<MatrixType>,
    comp: Option<ComputeType>,
    #[serde(default = "normal")]
    ta: Transpose,
    #[serde(default = "normal")]
    tb: Transpose,
    m: u64,
    n: u64,
    k: u64,
    batch: Option<u64>,
    ld: Option<[u64; 4]>,
    ep: Option<Epilogue>,
    bias_type: Option<MatrixType>,
    aux_type: Option<MatrixType>,
    ws: Option<u64>,
    req: Option<usize>,
    #[serde(default)]
    scale_a: bool,
    #[serde(default)]
    scale_b: bool,
}

fn one() -> u64 {
    1
}

fn normal() -> Transpose {
    Transpose::N
}

/// The names before a problem, and what says of a call without such a name whose it is.
const NAMED: [(&str, &str); 4] = [("gemm", "ty"), ("conv", "key"), ("ggml", "query"), ("hipblaslt", "comp")];

/// The problem of a line that names its library, as lists for several have them; `None` for any other line.
pub fn named(text: &str) -> Option<Result<Problem, NotUnderstood>> {
    Some(named_line(text)?.map(|(_, problem)| problem))
}

/// The same with its weight. Lines of files for one library are many, so a line is parsed only where a name stands in quotes.
fn named_line(text: &str) -> Option<Result<(u64, Problem), NotUnderstood>> {
    let is_quoted = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            text.get(..at).is_some_and(|before| before.ends_with('"'))
                && text.get(at + name.len()..).is_some_and(|behind| behind.starts_with('"'))
        })
    };
    if !NAMED.iter().any(|(name, _)| is_quoted(name)) {
        return None;
    }
    match serde_json::from_str::<Line>(text) {
        Ok(line) if line.names_nothing() => None,
        Ok(line) => Some(line.problem()),
        Err(error) => {
            let fields: Map<String, Value> = serde_json::from_str(text).ok()?;
            let is_named = NAMED.iter().any(|(name, _)| fields.contains_key(*name));
            is_named.then(|| Err(format!("not a problem: {error}").into()))
        }
    }
}

/// A call without the name of its library, as files of calls for one library have them. What it says of a
/// device is left out: the list is for one.
fn unnamed(mut fields: Map<String, Value>) -> Stated {
    let wrong = |error: serde_json::Error| NotUnderstood::from(format!("not a problem: {error}"));
    let weight = fields.remove("weight").map_or(Ok(1), serde_json::from_value).map_err(wrong)?;
    let text =
        |value: Option<Value>| serde_json::from_value::<String>(value.unwrap_or_default()).map_err(wrong);
    for of_device in ["id", "arch", "cus", "cu"] {
        fields.remove(of_device);
    }
    let placed = |mut fields: Map<String, Value>| {
        fields.insert("arch".to_owned(), "".into());
        fields.insert("cus".to_owned(), 1.into());
        Value::Object(fields)
    };
    let has = |name: &str| fields.contains_key(name);
    let problem = if has("query") {
        let query = text(fields.remove("query"))?;
        Problem::Ggml(query.parse::<Query>().map_err(|error| error.to_string())?)
    } else if has("key") {
        let options = fields.remove("options").is_some_and(|options| options != Value::Object(Map::new()));
        if options {
            return Err(
                "not a problem of a list: it has options, which `select conv --problems` takes".into()
            );
        }
        convolution(&text(fields.remove("key"))?)?
    } else if has("comp") {
        let call: MatmulCall = serde_json::from_value(placed(fields)).map_err(wrong)?;
        call.check()?;
        Problem::HipBlasLt(Box::new(call))
    } else if has("ty") {
        let (says_ld, says_strided) = (has("ld"), has("strided"));
        if !says_ld {
            fields.insert("ld".to_owned(), vec![0; 4].into());
        }
        let mut call: GemmCall = serde_json::from_value(placed(fields)).map_err(wrong)?;
        if !says_ld {
            call.pack_columns();
        }
        if !says_strided {
            call.strided = !takes_pointers(&call.api);
        }
        call.check()?;
        Problem::Gemm(Box::new(call))
    } else {
        let fields = NAMED.map(|(name, field)| format!("{name} (or {field})")).join(", ");
        return Err(format!("not a problem: none of its fields is one of {fields}").into());
    };
    Ok(vec![(weight, problem)])
}

pub(super) fn read(text: &str) -> Stated {
    match named_line(text) {
        Some(named) => Ok(vec![named?]),
        None => unnamed(serde_json::from_str(text).map_err(|error| format!("not a problem: {error}"))?),
    }
}

impl Line {
    fn names_nothing(&self) -> bool {
        self.gemm.is_none() && self.conv.is_none() && self.ggml.is_none() && self.hipblaslt.is_none()
    }

    /// Its weight and its problem.
    fn problem(self) -> Result<(u64, Problem), NotUnderstood> {
        let problem = match (self.gemm, self.conv, self.ggml, self.hipblaslt) {
            (Some(gemm), None, None, None) => gemm.problem()?,
            (None, Some(text), None, None) => convolution(&text)?,
            (None, None, Some(text), None) => {
                Problem::Ggml(text.parse::<Query>().map_err(|error| error.to_string())?)
            }
            (None, None, None, Some(matmul)) => Problem::HipBlasLt(Box::new(matmul.call()?)),
            _ => return Err("not a problem: one of gemm, conv, ggml and hipblaslt is expected".into()),
        };
        Ok((self.weight, problem))
    }
}

/// A convolution as a key or in command line notation.
pub(super) fn convolution(text: &str) -> Result<Problem, NotUnderstood> {
    if ConvolutionProblem::parse(text).is_ok() {
        return Ok(Problem::Convolution(text.to_owned()));
    }
    notation::key(text).map(Problem::Convolution).map_err(|error| error.to_string().into())
}

impl Matmul {
    fn call(self) -> Result<MatmulCall, NotUnderstood> {
        let ([a, b, c, d], compute) = match (&self.ty, self.a) {
            (Some(ty), _) => types_of(ty)?,
            (None, Some(a)) => ([a; 4], ComputeType::usual(a)),
            (None, None) => return Err("a product of hipBLASLt needs ty, or a".into()),
        };
        let mut call = hipblaslt::unplaced(a, [self.ta, self.tb], [self.m, self.n, self.k]);
        call.a = self.a.unwrap_or(a);
        call.b = self.b.unwrap_or(b);
        call.c = self.c.or(self.d).unwrap_or(c);
        call.d = self.d.unwrap_or(d);
        call.comp = self.comp.unwrap_or(compute);
        call.batch = self.batch.unwrap_or(1);
        call.ld = self.ld.unwrap_or(call.ld);
        if let Some(epilogue) = self.ep {
            call.set_epilogue(epilogue);
        }
        (call.bias_type, call.aux_type) = (self.bias_type, self.aux_type);
        call.workspace = self.ws.unwrap_or(call.workspace);
        call.requested = self.req.unwrap_or(1);
        (call.scale_a, call.scale_b) = (self.scale_a, self.scale_b);
        call.check()?;
        Ok(call)
    }
}

impl Gemm {
    pub fn problem(self) -> Result<Problem, NotUnderstood> {
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
