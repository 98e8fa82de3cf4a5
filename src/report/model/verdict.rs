//! The verdict on a model on a card, and changes that help.

use crate::answers::model::{Advice, BatchCost, ModelAnswer, Outcome, Tried, WayKind};
use crate::report::v1::{ModelAdvice, ModelBatchCost, ModelTried, ModelVerdict};

pub(super) fn advice(advice: &Advice) -> ModelAdvice {
    ModelAdvice {
        change: advice.change.clone(),
        weights: advice.weights.clone(),
        phase: advice.phase.to_owned(),
        own_share: advice.own.0,
        own_share_then: advice.own.1,
        launches: advice.launches.0,
        launches_then: advice.launches.1,
        more_launches: advice.more_launches(),
        ubatches: advice.ubatches.0,
        ubatches_then: advice.ubatches.1,
        ends_loop: advice.ends_loop,
        tried: advice.tried.iter().map(tried).collect(),
    }
}

pub(super) fn against_default(cost: &BatchCost) -> ModelBatchCost {
    let fits = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
    ModelBatchCost {
        ubatch: cost.ubatch.0,
        ubatch_default: cost.ubatch.1,
        flops: fits(cost.flops.0),
        flops_default: fits(cost.flops.1),
        bytes: fits(cost.bytes.0),
        bytes_default: fits(cost.bytes.1),
        launches: cost.launches.0,
        launches_default: cost.launches.1,
    }
}

fn tried(tried: &Tried) -> ModelTried {
    ModelTried { ubatch: tried.ubatch, own_share: tried.own, launches: tried.launches, loops: tried.loops }
}

/// The verdict. Without a library, rules alone decide, and it is unknown whether the code exists.
pub(super) fn verdict(answer: &ModelAnswer) -> ModelVerdict {
    let Some(verdict) = &answer.verdict else {
        return ModelVerdict {
            outcome: "nothing".to_owned(),
            kind: None,
            phase: None,
            share: 0.0,
            text: "there is nothing to compute".to_owned(),
        };
    };
    let target = &answer.question.target;
    let why = match verdict.kind {
        WayKind::NoCode => format!("ggml's library has no code for {target}"),
        WayKind::NotKnown => "ggml's library could not be read in full".to_owned(),
        WayKind::Absent => "ggml's library lacks kernels that it takes".to_owned(),
        WayKind::TrapStub => "kernels that it takes only trap".to_owned(),
        WayKind::BlasNothing => "rocBLAS here has no kernel for a part".to_owned(),
        WayKind::ExpertLoop => "the host loops over experts".to_owned(),
        WayKind::Cpu => "the CPU makes a part".to_owned(),
        WayKind::BlasFallback => "rocBLAS has no tuned kernel for a part".to_owned(),
        WayKind::BlasTuned | WayKind::Blas | WayKind::OwnKernel => String::new(),
    };
    let text = match verdict.outcome {
        Outcome::DoesNotRun => format!("does not run: {why}"),
        Outcome::NotKnown => format!("not known: {why}"),
        Outcome::Slow => format!("runs slowly: {why}"),
        Outcome::MostlyBlas => "runs, mostly through rocBLAS".to_owned(),
        Outcome::PartlyBlas => "runs, partly through rocBLAS".to_owned(),
        Outcome::OwnKernels => "runs through its own kernels".to_owned(),
    };
    let by = if answer.library.is_some() { "" } else { "by the rules it " };
    ModelVerdict {
        outcome: verdict.outcome.name().to_owned(),
        kind: Some(verdict.kind.name().to_owned()),
        phase: Some(verdict.phase.to_owned()),
        share: verdict.share,
        text: format!("{by}{text}"),
    }
}
