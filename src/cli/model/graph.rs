//! `rocm-audit model FILE.onnx`: what is known of the convolutions and products of a graph.

use super::{Args, files};
use crate::answers::Answers;
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::onnx::{DATA, GraphQuestion};
use crate::cli::exit::{self, FailOn, Judge, Status};
use crate::cli::global::{GlobalArgs, Gpu};
use crate::cli::roots;
use crate::engines::miopen::device::Device;
use crate::engines::onnx;
use crate::engines::onnx::shape::Sizes;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::render::{self, Format};
use crate::report;
use crate::report::model_graph::Graphed;
use crate::report::v1::{Claim, ModelGraphReport};
use crate::source::SourceFile;
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
    files::refuse(&of_weights, "an ONNX model", "--batch, --dim, --data and --cu")?;
    let [path] = files else {
        return Err(AuditError::Usage("model: an ONNX model is one file; name it alone".into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let file = SourceFile::open(path).map_err(|e| AuditError::io("read", path, e))?;
    let read = onnx::graph::read(file.bytes());
    let sizes = Sizes { batch: args.batch, named: args.dim.iter().cloned().collect() };
    let (asked, problems) = onnx::problem::problems(&read, &sizes);
    let shown = file.locator().shown();
    let known = args.cu.or_else(|| gpu.multiprocessors());
    let compute_units = known.or_else(|| gpu.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    let (data, letters) = DATA.get(args.data).copied().unwrap_or(("FP32", "SS"));
    let device = Device { target: gpu.target.clone(), compute_units };
    let question = GraphQuestion { device, data, letters };
    let stack = Answers::open(&if trees.is_empty() { trees } else { roots::resolve(&trees)? });
    let rows = stack.graph(asked, &question)?;
    let found = stack.found(Finding::all_of_bytes(&shown, &problems));
    let graphed =
        Graphed { file: shown, graph: &read, batch: args.batch, multiprocessors_assumed: known.is_none() };
    let report =
        ModelGraphReport { claim, ..report::model_graph::model_graph(&graphed, &question, &rows, &found) };
    global.write_each(&|format, style| match format {
        Format::Jsonl => Ok(render::model_graph::lines(&report).into()),
        _ => render::model_graph::draw(&report, format, style),
    })?;
    Ok(judge.findings(&found).status())
}
