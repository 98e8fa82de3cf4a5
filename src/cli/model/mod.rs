//! `rocm-audit model FILE... --gpu GPU [PATH...]`: which kernels a model takes on a card.

mod args;
mod files;
mod graph;

pub(super) use args::Args;

use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::gpu::Gpu;
use super::{must_exist, roots};
use crate::error::AuditError;
use crate::question::{Question, Trees, WeightsQuestion};
use crate::render;
use std::path::PathBuf;

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let (global, claim) = args.claim.of_options(global, "model")?;
    let global = global.as_ref();
    let [target] = &global.arch[..] else {
        let what = "model: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let first = global.gpu.first().cloned().unwrap_or_else(|| Gpu::unnamed(target.clone()));
    let (files, trees) = files::sorted(&args.paths)?;
    if files.iter().any(|file| files::is_onnx(file)) {
        return graph::run(args, claim, &files, trees, &first, global);
    }
    let of_graphs =
        [("--batch", args.batch.is_some()), ("--dim", !args.dim.is_empty()), ("--env", !args.env.is_empty())];
    files::refuse(&of_graphs, "a model of weights", "--prompt and --ubatch")?;
    let question = WeightsQuestion {
        files,
        cards: std::iter::once(&first).chain(&args.vs).cloned().collect(),
        multiprocessors: args.cu,
        vs_library: args.vs_library.clone(),
        quantizations: args.quantizations(),
        usage: args.usage(),
        memory: args.memory,
        ggml: args.ggml,
        claim,
    };
    args.vs_library.iter().try_for_each(|path| must_exist(path))?;
    let report = question.ask(&trees_of(trees)?)?;
    global.write_document("model", &report, Some(&|| render::model::lines(&report)))?;
    Ok(judge.report(&report.found.findings).status())
}

/// Trees that are named; without any the rules answer alone.
fn trees_of(trees: Vec<PathBuf>) -> Result<Trees<'static>, AuditError> {
    Ok(Trees::at(if trees.is_empty() { trees } else { roots::resolve(&trees)? }))
}
