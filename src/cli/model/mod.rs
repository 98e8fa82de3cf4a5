//! `rocm-audit model FILE... --gpu GPU [PATH...]`: which kernels a model takes on a card.

mod args;
mod files;
mod graph;

pub(super) use args::Args;

use super::exit::{self, FailOn, Judge, Status};
use super::global::{GlobalArgs, Gpu};
use super::{must_exist, roots};
use crate::answers::Answers;
use crate::answers::findings::together;
use crate::answers::model::{Card, Compared, MULTIPROCESSORS, UBATCHES_OF_A_PROMPT};
use crate::answers::model_files::ModelFiles;
use crate::error::AuditError;
use crate::render::{self, Format};
use crate::report;
use crate::report::model::Modelled;
use crate::report::v1::ModelReport;
use std::path::PathBuf;

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let (global, claim) = args.claim.of_options(global, "model")?;
    let global = global.as_ref();
    let [target] = &global.arch[..] else {
        let what = "model: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    if args.prompt.div_ceil(args.ubatch) > UBATCHES_OF_A_PROMPT as u64 {
        let what = format!(
            "model: a prompt is cut into {UBATCHES_OF_A_PROMPT} batches at most; a larger --ubatch is needed"
        );
        return Err(AuditError::Usage(what));
    }
    let first = global.gpu.first().cloned().unwrap_or_else(|| Gpu::unnamed(target.clone()));
    let (files, trees) = files::sorted(&args.paths)?;
    if files.iter().any(|file| files::is_onnx(file)) {
        return graph::run(args, claim, &files, trees, &first, global);
    }
    let of_graphs = [("--batch", args.batch.is_some()), ("--dim", !args.dim.is_empty())];
    files::refuse(&of_graphs, "a model of weights", "--prompt and --ubatch")?;
    let read = ModelFiles::read(&files, None)?;
    let cards: Vec<Card> = std::iter::once(&first).chain(&args.vs).map(|gpu| card(args, gpu)).collect();
    let usage = args.usage();
    let asked = Compared {
        network: &read.network,
        quantizations: &args.quant,
        cards: &cards,
        version: args.ggml,
        usage,
    };
    let answered = asked.ask(&stacks(args, trees)?)?;
    let modelled = Modelled {
        files: &read,
        memory: args.memory,
        multiprocessors_assumed: args.cu.is_none() && first.multiprocessors().is_none(),
    };
    let found = together([read.problems.clone(), answered.findings]);
    let report = ModelReport { claim, ..report::model::model(&modelled, &usage, &answered.answers, &found) };
    global.write_each(&|format, style| match format {
        Format::Jsonl => Ok(render::model::lines(&report).into()),
        _ => render::model::draw(&report, format, style),
    })?;
    Ok(judge.findings(&found).status())
}

/// A card, with the number of multiprocessors that the call names, else that of the product.
fn card(args: &Args, gpu: &Gpu) -> Card {
    let assumed = || gpu.most_multiprocessors().unwrap_or(MULTIPROCESSORS);
    let multiprocessors = args.cu.or_else(|| gpu.multiprocessors()).unwrap_or_else(assumed);
    Card { target: gpu.target.clone(), multiprocessors }
}

/// The trees that are asked, the second with its name.
fn stacks(args: &Args, trees: Vec<PathBuf>) -> Result<Vec<(Answers, Option<String>)>, AuditError> {
    let open = |trees: Vec<PathBuf>| -> Result<Answers, AuditError> {
        Ok(Answers::open(&if trees.is_empty() { trees } else { roots::resolve(&trees)? }))
    };
    let mut all = vec![(open(trees)?, None)];
    if let Some(path) = &args.vs_library {
        must_exist(path)?;
        all.push((open(vec![path.clone()])?, Some(path.display().to_string())));
    }
    Ok(all)
}
