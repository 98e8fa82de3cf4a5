//! Calls of hipBLASLt in logs: command lines of hipblaslt-bench, which the library itself writes with
//! `HIPBLASLT_LOG_MASK=32`, and its traces (masks 2 and 16).
//!
//! Source: the options and texts in `libhipblaslt.so` of 7.1.1, and hipBLASLt's page "Using logging and
//! heuristics".

use super::bench::Fields;
use crate::tensile::call::Transpose;
use crate::tensile::lite::call::{MatmulCall, OUTER_VECTOR};
use crate::tensile::lite::epilogue::{Activation, BiasSource, Epilogue};
use crate::tensile::lite::types::{ComputeType, MatrixType};
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::NotUnderstood;

/// The call in a line of any form; `None` if it contains none. Target and multiprocessors are not set.
pub fn call_of_line(line: &str) -> Option<Result<MatmulCall, NotUnderstood>> {
    let line = line.trim();
    if let Some((_, arguments)) = line.split_once("hipblaslt-bench")
        && arguments.starts_with([' ', '\t'])
    {
        return Some(bench(arguments));
    }
    line.contains("computeDesc=[").then(|| trace(line))
}

/// A call on packed matrices, without a device.
pub(super) fn unplaced(ty: MatrixType, transposes: [Transpose; 2], sizes: [u64; 3]) -> MatmulCall {
    MatmulCall { target: String::new(), ..MatmulCall::new(&TargetId::bare(""), 1, ty, transposes, sizes) }
}

/// Parses a command line of hipblaslt-bench.
pub(super) fn bench(arguments: &str) -> Result<MatmulCall, NotUnderstood> {
    let fields = Fields::of_arguments(arguments);
    if fields.has("groupedgemm") {
        let what = "a group of products (--grouped_gemm): state it with -m, -n, -k and --group of rocm-audit select matmul";
        return Err(what.into());
    }
    let sizes = [fields.size(&["m", "sizem"])?, fields.size(&["n", "sizen"])?, fields.size(&["k", "sizek"])?];
    let transposes =
        [fields.transpose(&["transa", "transposea"])?, fields.transpose(&["transb", "transposeb"])?];
    let ty = |names: &[&str]| fields.text(names).map(MatrixType::meant).transpose();
    let usual = ty(&["r", "precision"])?;
    let [f32, ..] = crate::tensile::lite::types::MATRIX_TYPES else {
        return Err("no types".into());
    };
    let a = ty(&["atype"])?.or(usual).unwrap_or(*f32);
    let mut call = unplaced(a, transposes, sizes);
    call.b = ty(&["btype"])?.or(usual).unwrap_or(a);
    call.c = ty(&["ctype"])?.or(ty(&["dtype"])?).or(usual).unwrap_or(a);
    call.d = ty(&["dtype"])?.unwrap_or(call.c);
    if let Some(compute) = fields.text(&["computetype"]) {
        call.comp = ComputeType::meant(compute)?;
    }
    call.scale = ty(&["scaletype"])?;
    call.batch = fields.batch()?.unwrap_or(1);
    let [lda, ldb, ldc, ldd] = &mut call.ld;
    for (slot, name) in [(lda, "lda"), (ldb, "ldb"), (ldc, "ldc"), (ldd, "ldd")] {
        *slot = fields.number(&[name])?.unwrap_or(*slot);
    }
    call.set_epilogue(epilogue(&fields)?);
    call.bias_type = ty(&["biastype"])?.filter(|_| call.epilogue.bias.is_some());
    call.aux_type = ty(&["auxtype"])?.filter(|_| call.epilogue.aux);
    if call.epilogue.aux {
        call.aux_ld = fields.number(&["lde"])?.unwrap_or(call.aux_ld);
    }
    let scale = |name: &str| fields.number(&[name]).map(|mode| mode.unwrap_or_default());
    let (scale_a, scale_b) = (scale("scalea")?, scale("scaleb")?);
    (call.scale_a, call.scale_b) = (scale_a > 0, scale_b > 0);
    // 1 means a single number, 2 a vector.
    call.scale_mode_a = if scale_a == 2 { OUTER_VECTOR } else { 0 };
    call.scale_mode_b = if scale_b == 2 { OUTER_VECTOR } else { 0 };
    (call.scale_c, call.scale_d) = (fields.is_on("scalec"), fields.is_on("scaled"));
    call.pointer_mode = if fields.has("scalealphavector") { ALPHA_VECTOR } else { 0 };
    call.amax_d = fields.has("amaxd");
    call.workspace = fields.number(&["workspace"])?.unwrap_or(call.workspace);
    let requested = fields.number(&["requestedsolutionnum", "requestedsolution"])?.unwrap_or(1);
    call.requested = usize::try_from(requested).unwrap_or(usize::MAX);
    call.beta = fields.float("beta")?.unwrap_or_default();
    Ok(call)
}

/// `HIPBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST`.
const ALPHA_VECTOR: u32 = 4;

fn epilogue(fields: &Fields<'_>) -> Result<Epilogue, NotUnderstood> {
    let activation = Activation::of_bench(fields.text(&["activationtype"]).unwrap_or("none"))?;
    let gradient = fields.has("gradient");
    let bias = match (fields.has("biasvector"), fields.text(&["biassource"]).unwrap_or("d")) {
        (false, _) => None,
        (true, "a") => Some(BiasSource::A),
        (true, "b") => Some(BiasSource::B),
        (true, "d") => Some(BiasSource::D),
        (true, other) => return Err(format!("--bias_source is {other:?}; a, b or d is expected").into()),
    };
    Epilogue::of_parts(activation, bias, fields.has("usee"), gradient)
}

/// Parses a trace: `Adesc=[type=R_16F rows=… cols=… ld=…] … computeDesc=[computeType=… transA=OP_T …
/// epilogue=…] …`.
fn trace(line: &str) -> Result<MatmulCall, NotUnderstood> {
    let part = |name: &str| {
        let inner = line.split_once(&format!("{name}=[")).and_then(|(_, rest)| rest.split_once(']'));
        inner
            .map(|(inner, _)| inner)
            .ok_or_else(|| NotUnderstood::from(format!("the trace has no {name}=[…]")))
    };
    let compute = part("computeDesc")?;
    let transpose = |name: &str| {
        let text = value(compute, name)?.trim_start_matches("OP_");
        let letter = text.chars().next().and_then(Transpose::of_letter);
        letter
            .ok_or_else(|| NotUnderstood::from(format!("{name} is {text:?}; OP_N, OP_T or OP_C is expected")))
    };
    let (ta, tb) = (transpose("transA")?, transpose("transB")?);
    let (a, b, c, d) = (part("Adesc")?, part("Bdesc")?, part("Cdesc")?, part("Ddesc")?);
    let k = number(a, if ta == Transpose::N { "cols" } else { "rows" })?;
    let mut call = unplaced(matrix(a)?, [ta, tb], [number(d, "rows")?, number(d, "cols")?, k]);
    (call.b, call.c, call.d) = (matrix(b)?, matrix(c)?, matrix(d)?);
    call.ld = [number(a, "ld")?, number(b, "ld")?, number(c, "ld")?, number(d, "ld")?];
    call.batch = number(d, "batch_count").unwrap_or(1);
    call.comp = match value(compute, "computeType")? {
        "COMPUTE_32F" => ComputeType::meant("f32")?,
        "COMPUTE_32XF" => ComputeType::meant("xf32")?,
        "COMPUTE_64F" => ComputeType::meant("f64")?,
        "COMPUTE_32I" => ComputeType::meant("i32")?,
        "COMPUTE_32F_16F" => ComputeType::meant("fast16f")?,
        "COMPUTE_32F_16BF" => ComputeType::meant("fast16bf")?,
        other => return Err(format!("the computation {other} is none of hipBLASLt's").into()),
    };
    call.set_epilogue(Epilogue::meant(value(compute, "epilogue")?.trim_start_matches("EPILOGUE_"))?);
    let is_set = |name: &str| value(compute, name).is_ok_and(|text| text.trim_start_matches("0x") != "0");
    call.bias_ptr &= is_set("biasPointer");
    if call.epilogue.aux {
        call.aux_ptr = is_set("epilogueAuxPointer");
        call.aux_ld = number(compute, "epilogueAuxLd").unwrap_or(call.aux_ld);
        call.aux_type = value(compute, "epilogueAuxDataType").ok().map(type_of_trace).transpose()?;
    }
    call.workspace = number(line, "workSpaceSizeInBytes").unwrap_or(call.workspace);
    call.c_eq_d = value(line, "C").ok().is_some_and(|c| Some(c) == value(line, "D").ok());
    Ok(call)
}

/// The text after `name=`, which must be a separate word.
fn value<'a>(text: &'a str, name: &str) -> Result<&'a str, NotUnderstood> {
    let found = text.split([' ', '\t', ',']).find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    found.ok_or_else(|| format!("the trace has no {name}=…").into())
}

fn number(text: &str, name: &str) -> Result<u64, NotUnderstood> {
    let text = value(text, name)?;
    text.parse().map_err(|_| format!("{name} is {text:?}; a whole number is expected").into())
}

fn matrix(layout: &str) -> Result<MatrixType, NotUnderstood> {
    type_of_trace(value(layout, "type")?)
}

fn type_of_trace(name: &str) -> Result<MatrixType, NotUnderstood> {
    MatrixType::meant(match name {
        "R_16F" => "f16",
        "R_16BF" => "bf16",
        "R_32F" => "f32",
        "R_64F" => "f64",
        "R_8I" => "i8",
        "R_32I" => "i32",
        "R_8F_E4M3" => "f8",
        "R_8F_E5M2" => "bf8",
        "R_8F_E4M3_FNUZ" => "f8n",
        "R_8F_E5M2_FNUZ" => "bf8n",
        other => return Err(format!("the type {other} is of no matrix that this tool knows").into()),
    })
}
