//! The phases of a model on a card: their ways, their blocks and their operations.

use super::small;
use crate::answers::model::{Choice, EqualOperations, LeastTime, Phase, PhaseShare, RowKernel, Way, ratio};
use crate::engines::ggml::Query;
use crate::engines::ggml::presence::Presence;
use crate::engines::model::launch::{Call, Fusion};
use crate::engines::model::operation::Product;
use crate::report::ggml::presence;
use crate::report::v1::{
    Evidence, ModelBound, ModelCall, ModelKernel, ModelLayer, ModelLayerWay, ModelLeast, ModelOperation,
    ModelPhase, ModelReached, ModelWay,
};
use rocm_audit_files::key_map::KeyMap;

pub(super) fn phase(phase: &Phase, least: Option<LeastTime>) -> ModelPhase {
    let tokens = phase.batches.iter().fold(0_u64, |sum, batch| sum.saturating_add(batch.all_tokens()));
    ModelPhase {
        phase: phase.name.to_owned(),
        tokens,
        sequences: phase.batches.first().map_or(0, |batch| batch.sequences),
        ubatches: phase.batches.len() as u64,
        flops: small(phase.flops),
        bytes: small(phase.bytes),
        launches: phase.launches,
        launches_least: phase.per_ubatch.iter().copied().min().unwrap_or(0),
        launches_most: phase.per_ubatch.iter().copied().max().unwrap_or(0),
        between: phase.between.iter().map(|(kernel, count)| (kernel.to_owned(), count)).collect(),
        bound: bound(phase, least.as_ref()),
        least: least.and_then(least_time),
        ways: phase.ways.iter().map(|(kind, share)| way(phase, kind, share)).collect(),
        layers: layers(phase),
        operations: phase.rows.iter().map(|row| operation(phase, row)).collect(),
    }
}

/// How much of each block is computed in which way, measured by what limits the phase.
fn layers(phase: &Phase) -> Vec<ModelLayer> {
    let is_prefill = phase.name == "prefill";
    let whole = if is_prefill { phase.flops } else { phase.bytes };
    // Operations outside of blocks come last.
    let mut layers: KeyMap<(bool, u64), KeyMap<usize, f64>> = KeyMap::new();
    for row in &phase.rows {
        let Some(way) = phase.ways.iter().position(|(way, _)| *way == row.way) else { continue };
        let product = &row.operation.product;
        let one = if is_prefill { product.flops() } else { product.bytes() };
        let share = ratio(one.saturating_mul(u128::from(row.count)), whole);
        let mut add = |layer, share: f64| {
            *layers.entry(layer).or_default().entry(way).or_default() += share;
        };
        match row.blocks.len() {
            0 => add((true, 0), share),
            count => row.blocks.iter().for_each(|block| add((false, *block), share / count as f64)),
        }
    }
    let layer = |((apart, block), ways): ((bool, u64), KeyMap<usize, f64>)| ModelLayer {
        block: (!apart).then_some(block),
        ways: ways.into_iter().map(|(way, share)| ModelLayerWay { way: way as u64, share }).collect(),
    };
    layers.into_iter().map(layer).collect()
}

/// What limits the phase, as far as its ways show.
fn bound(phase: &Phase, least: Option<&LeastTime>) -> ModelBound {
    if phase.cannot_run() {
        return ModelBound::NothingRuns;
    }
    if phase.has_loop() {
        return ModelBound::Host;
    }
    match least.map(LeastTime::is_memory) {
        Some(true) => ModelBound::Memory,
        Some(false) => ModelBound::Arithmetic,
        None if phase.name == "prefill" => ModelBound::Arithmetic,
        None => ModelBound::Memory,
    }
}

fn least_time(least: LeastTime) -> Option<ModelLeast> {
    Some(ModelLeast {
        seconds: least.seconds(),
        tokens_per_second: least.tokens_per_second()?,
        memory_seconds: least.memory,
        arithmetic_seconds: least.arithmetic,
        reached: least.reached.map(|reached| ModelReached {
            low: f64::from(reached.low) / 100.0,
            high: f64::from(reached.high) / 100.0,
            runs: reached.runs,
            of_class: reached.of_class,
        }),
    })
}

fn way(phase: &Phase, way: &Way, share: &PhaseShare) -> ModelWay {
    ModelWay {
        kind: way.kind.name().to_owned(),
        route: way.route.to_string(),
        way: way.to_string(),
        dequantizes: way.dequantizes,
        flops_share: ratio(share.flops, phase.flops),
        bytes_share: ratio(share.bytes, phase.bytes),
        launches: share.launches,
        operations: share.operations,
    }
}

fn operation(phase: &Phase, row: &EqualOperations) -> ModelOperation {
    let product = &row.operation.product;
    let times = u128::from(row.count);
    let (name, ty, shape, query) = words(product);
    let fusion = match row.step.fusion {
        Fusion::None => None,
        Fusion::InUp => Some("part of up"),
        Fusion::WithGate => Some("with gate"),
        Fusion::WithSum => Some("with sum"),
    };
    ModelOperation {
        role: row.operation.role.clone(),
        operation: name.to_owned(),
        ty,
        shape,
        query: query.map(|query| query.to_string()),
        count: row.count,
        blocks: row.blocks.clone(),
        way: row.way.to_string(),
        route: row.step.route.to_string(),
        fusion: fusion.map(str::to_owned),
        launches: row.step.count(),
        flops_share: ratio(product.flops().saturating_mul(times), phase.flops),
        bytes_share: ratio(product.bytes().saturating_mul(times), phase.bytes),
        kernels: row.kernels.iter().map(kernel).collect(),
        calls: row.calls.iter().map(|(asked, choice)| call(asked, choice.as_ref())).collect(),
        operation_rule: row.operation.rule.map(|rule| format!("{} ({})", rule.id, rule.source)),
        route_rule: row.step.rule.map(|rule| rule.id.to_owned()),
        evidence: if row.step.is_documented { Evidence::Code } else { Evidence::Inferred },
    }
}

fn words(product: &Product) -> (&'static str, String, String, Option<Query>) {
    match product {
        Product::MulMat(p, depth) => {
            let mut shape = format!("{} x {} x {}", p.k, p.n, p.ne11);
            if !depth.is_flat() {
                shape.push_str(&format!(
                    ", {} of {}",
                    depth.products(),
                    depth.ne02.saturating_mul(depth.ne03)
                ));
            }
            ("MUL_MAT", p.ty.name.to_owned(), shape, Some(Query::MulMat(*p)))
        }
        Product::Experts(p, _) => {
            let shape = format!("{} x {} x {}, {} of {} experts", p.k, p.n, p.tokens, p.used, p.experts);
            ("MUL_MAT_ID", p.ty.name.to_owned(), shape, Some(Query::MulMatId(*p)))
        }
        Product::Attention(flash) => {
            let p = &flash.query;
            let shape = format!(
                "{}/{} x {} queries x {} keys, {} of {} heads",
                p.dk, p.dv, p.queries, p.keys, p.heads, p.kv_heads
            );
            ("FLASH_ATTN_EXT", p.ty.name.to_owned(), shape, Some(Query::FlashAttention(*p)))
        }
        Product::Hadamard(size, columns) => ("FWHT", "f32".to_owned(), format!("{size} x {columns}"), None),
    }
}

fn kernel(row: &RowKernel) -> ModelKernel {
    let found = row.presence.as_ref().and_then(Presence::found);
    let resources = found.and_then(|found| found.resources);
    ModelKernel {
        name: row.kernel.name(),
        symbol: row.symbol.clone(),
        presence: row.presence.as_ref().map(|known| presence(Some(known))),
        code_object_offset: found.map(|found| found.object_offset),
        vgprs: resources.map(|r| r.vgprs),
        vgpr_spills: resources.map(|r| r.vgpr_spills),
        scratch: resources.map(|r| r.scratch),
    }
}

fn call(asked: &Call, choice: Option<&Choice>) -> ModelCall {
    ModelCall {
        function: asked.function.to_owned(),
        ty: asked.ty.clone(),
        m: asked.m,
        n: asked.n,
        k: asked.k,
        products: asked.products,
        kernel: choice.and_then(|choice| choice.kernel.clone()),
        fallback: choice.map(|choice| choice.fallback),
        distance: choice.and_then(|choice| choice.distance),
    }
}
