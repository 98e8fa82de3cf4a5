//! `rocm-audit model FILE.onnx`: what is known of the convolutions and products of a graph.

use super::{Args, files};
use crate::cli::exit::{self, FailOn, Judge, Status};
use crate::cli::global::GlobalArgs;
use crate::cli::gpu::Gpu;
use crate::cli::miopen_environment::environment;
use crate::error::AuditError;
use crate::question::{OnnxQuestion, Question};
use crate::render;
use crate::report::v1::Claim;
use std::path::PathBuf;

/// Answers about an ONNX file on a card.
pub(super) fn run(
    args: &Args,
    claim: Option<Claim>,
    files: &[PathBuf],
    trees: Vec<PathBuf>,
    gpu: &Gpu,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let of_weights = [
        ("--vs", !args.vs.is_empty()),
        ("--vs-library", args.vs_library.is_some()),
        ("--quant", !args.quant.is_empty()),
        ("--memory", args.memory.is_some()),
        ("--ggml", args.ggml.is_some()),
    ];
    files::refuse(&of_weights, "an ONNX model", "--batch, --dim, --data, --env and --cu")?;
    let [path] = files else {
        return Err(AuditError::Usage("model: an ONNX model is one file; name it alone".into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let question = OnnxQuestion {
        file: path.clone(),
        card: gpu.clone(),
        multiprocessors: args.cu,
        batch: args.batch,
        dimensions: args.dim.clone(),
        data: args.data,
        environment: environment(&args.env)?,
        claim,
    };
    let report = question.ask(&super::trees_of(trees)?)?;
    global.write_document("model", &report, Some(&|| render::model_graph::lines(&report)))?;
    Ok(judge.report(&report.found.findings).status())
}
