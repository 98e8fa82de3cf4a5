//! Copies what is known of a model on cards.

use super::ggml::{library, presence};
use super::v1::document::{self, Header};
use super::v1::{
    Evidence, ModelAdvice, ModelBound, ModelCall, ModelCard, ModelConversion, ModelFacts, ModelKernel,
    ModelLayer, ModelLayerWay, ModelMemory, ModelOperation, ModelPhase, ModelReport, ModelTried, ModelUsage,
    ModelVerdict, ModelWay, Statement,
};
use crate::engines::ggml::Query;
use crate::engines::ggml::presence::Presence;
use crate::engines::model::conversion::Conversion;
use crate::engines::model::families::Becomes;
use crate::engines::model::graph;
use crate::engines::model::launch::{Call, Fusion};
use crate::engines::model::network::Network;
use crate::engines::model::operation::Product;
use crate::engines::model::rules::{COUNTED, OBSERVED};
use crate::finding::location::Location;
use crate::finding::rules::answer as rules;
use crate::finding::{self, Finding};
use crate::stack::model::{
    Advice, Choice, ModelAnswer, Outcome, Phase, Row, RowKernel, Share, Tried, Usage, Way, WayKind, ratio,
};
use crate::stack::model_files::ModelFiles;
use std::collections::{BTreeMap, BTreeSet};

/// A model that was asked about.
#[derive(Debug)]
pub struct Modelled<'a> {
    /// Its files, and what they say.
    pub files: &'a ModelFiles,
    /// Memory of the card in bytes, where the call named it.
    pub memory: Option<u64>,
    /// Whether the number of multiprocessors is assumed.
    pub multiprocessors_assumed: bool,
}

/// What was asked of a model, and the answer.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The model, with the types of its quantization.
    pub network: &'a Network,
    /// The type of file that it would be; nothing for the model as it is.
    pub quantization: Option<&'static str>,
    /// The other libraries that were asked, by their paths.
    pub beside: Option<String>,
    /// The answer.
    pub answer: ModelAnswer,
}

/// The report of a model on cards, of which there is at least one.
pub fn model(modelled: &Modelled<'_>, usage: &Usage, answers: &[Asked<'_>]) -> ModelReport {
    let network = &modelled.files.network;
    let mut findings = modelled.files.problems.clone();
    for asked in answers {
        for found in of_card(asked) {
            // What other quantizations and libraries share is said once.
            if !findings.contains(&found) {
                findings.push(found);
            }
        }
    }
    finding::sort(&mut findings);
    ModelReport {
        header: Header::of(document::MODEL),
        model: facts(modelled),
        usage: ModelUsage {
            prompt: usage.prompt,
            ubatch: usage.ubatch,
            sequences: usage.sequences,
            context: usage.context,
            cache_type: usage.cache.name.to_owned(),
        },
        memory: memory(network, usage, modelled.memory),
        cards: answers.iter().map(|asked| card(asked, modelled, usage)).collect(),
        findings: super::findings::rows(&findings),
        statements: statements(modelled, answers),
    }
}

fn facts(modelled: &Modelled<'_>) -> ModelFacts {
    let network = &modelled.files.network;
    let converted = modelled.files.conversion.as_ref();
    ModelFacts {
        files: modelled.files.shown.clone(),
        format: if converted.is_some() { "safetensors" } else { "gguf" }.to_owned(),
        conversion: converted.map(conversion),
        name: network.name.clone(),
        architecture: network.architecture.clone(),
        architecture_observed: OBSERVED.contains(&network.architecture.as_str()),
        blocks: network.blocks,
        weights: network.weights.len() as u64,
        types: types(network),
        experts: network.of_architecture("expert_count").unwrap_or(0),
        experts_used: network.experts_used(),
    }
}

fn types(network: &Network) -> BTreeMap<String, u64> {
    let mut types: BTreeMap<String, u64> = BTreeMap::new();
    for weight in &network.weights {
        let name = weight.ty.map_or("unknown", |ty| ty.name);
        let bytes = types.entry(name.to_owned()).or_default();
        *bytes = bytes.saturating_add(weight.bytes.unwrap_or(0));
    }
    types
}

fn conversion(made: &Conversion) -> ModelConversion {
    let becomes = |becomes: Becomes| match becomes {
        Becomes::Dequantized => "dequantized".to_owned(),
        Becomes::Repacked => "repacked".to_owned(),
        Becomes::Refused => "refused".to_owned(),
    };
    ModelConversion {
        class: made.class.clone(),
        known: made.is_known,
        ty: made.ty.map(|ty| ty.name.to_owned()),
        stored: made.stored.clone(),
        quantized: made.quantized.as_ref().map(|(method, _)| method.clone()),
        becomes: made.quantized.as_ref().and_then(|(_, known)| known.map(becomes)),
        of_other_parts: made.of_other_parts,
        unplaced: made.unplaced.iter().cloned().collect(),
    }
}

fn memory(network: &Network, usage: &Usage, of_card: Option<u64>) -> ModelMemory {
    let tied = !network.has(None, "output");
    let (mut weights, mut weights_on_cpu) = (0_u64, 0_u64);
    for weight in &network.weights {
        let bytes = weight.bytes.unwrap_or(0);
        let embeds = weight.block.is_none() && weight.role == "token_embd";
        if embeds {
            weights_on_cpu = weights_on_cpu.saturating_add(bytes);
        }
        if !embeds || tied {
            weights = weights.saturating_add(bytes);
        }
    }
    let cache = network.cache_bytes(usage.context, usage.ubatch, usage.cache);
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let left = of_card.map(|all| signed(all).saturating_sub(signed(weights.saturating_add(cache))));
    ModelMemory { weights, weights_on_cpu, cache, of_card, left }
}

fn small(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn card(asked: &Asked<'_>, modelled: &Modelled<'_>, usage: &Usage) -> ModelCard {
    let answer = &asked.answer;
    let multiprocessors_assumed = modelled.multiprocessors_assumed;
    ModelCard {
        target: answer.question.target.to_string(),
        quantization: asked.quantization.map(str::to_owned),
        beside: asked.beside.clone(),
        memory: memory(asked.network, usage, modelled.memory),
        types: types(asked.network),
        class: answer.architecture.class(answer.rules).name().to_owned(),
        rules: answer.rules.to_string(),
        multiprocessors: answer.question.multiprocessors,
        multiprocessors_assumed,
        library: answer.library.as_ref().map(library),
        rocblas: answer.rocblas.clone(),
        flash_attention: answer.flash,
        phases: answer.phases.iter().map(phase).collect(),
        verdict: verdict(answer),
        advice: answer.advice.iter().map(advice).collect(),
    }
}

fn phase(phase: &Phase) -> ModelPhase {
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
        bound: bound(phase),
        ways: phase.ways.iter().map(|(kind, share)| way(phase, kind, share)).collect(),
        layers: layers(phase),
        operations: phase.rows.iter().map(|row| operation(phase, row)).collect(),
    }
}

/// What goes which way in each block, by what bounds the phase.
fn layers(phase: &Phase) -> Vec<ModelLayer> {
    let is_prefill = phase.name == "prefill";
    let whole = if is_prefill { phase.flops } else { phase.bytes };
    // What stands in no block comes last.
    let mut layers: BTreeMap<(bool, u64), BTreeMap<usize, f64>> = BTreeMap::new();
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
    let layer = |((apart, block), ways): ((bool, u64), BTreeMap<usize, f64>)| ModelLayer {
        block: (!apart).then_some(block),
        ways: ways.into_iter().map(|(way, share)| ModelLayerWay { way: way as u64, share }).collect(),
    };
    layers.into_iter().map(layer).collect()
}

/// What sets the bound, as far as ways say it.
fn bound(phase: &Phase) -> ModelBound {
    if phase.cannot_run() {
        return ModelBound::NothingRuns;
    }
    if phase.has_loop() {
        return ModelBound::Host;
    }
    if phase.name == "prefill" { ModelBound::Arithmetic } else { ModelBound::Memory }
}

fn way(phase: &Phase, way: &Way, share: &Share) -> ModelWay {
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

fn operation(phase: &Phase, row: &Row) -> ModelOperation {
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
        route_rule: row.step.rule.map(|rule| rule.id.clone()),
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

fn advice(advice: &Advice) -> ModelAdvice {
    ModelAdvice {
        change: advice.change.clone(),
        weights: advice.weights.clone(),
        phase: advice.phase.to_owned(),
        own_share: advice.own.0,
        own_share_then: advice.own.1,
        launches: advice.launches.0,
        launches_then: advice.launches.1,
        ubatches: advice.ubatches.0,
        ubatches_then: advice.ubatches.1,
        ends_loop: advice.ends_loop,
        tried: advice.tried.iter().map(tried).collect(),
    }
}

fn tried(tried: &Tried) -> ModelTried {
    ModelTried { ubatch: tried.ubatch, own_share: tried.own, launches: tried.launches, loops: tried.loops }
}

/// What a card's answer comes to. Without a library rules alone say it, and whether code is there is not known.
fn verdict(answer: &ModelAnswer) -> ModelVerdict {
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
        WayKind::Absent => "ggml's library lacks kernels that it takes".to_owned(),
        WayKind::TrapStub => "kernels that it takes only trap".to_owned(),
        WayKind::BlasNothing => "rocBLAS has no kernel for a part".to_owned(),
        WayKind::ExpertLoop => "the host loops over experts".to_owned(),
        WayKind::Cpu => "the CPU makes a part".to_owned(),
        WayKind::BlasFallback => "rocBLAS has no tuned kernel for a part".to_owned(),
        WayKind::BlasTuned | WayKind::Blas | WayKind::OwnKernel => String::new(),
    };
    let text = match verdict.outcome {
        Outcome::DoesNotRun => format!("does not run: {why}"),
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

/// What is missing on a card, a finding for each kind.
fn of_card(asked: &Asked<'_>) -> Vec<Finding> {
    let answer = &asked.answer;
    let target = answer.question.target.to_string();
    let path = answer.library.as_ref().map(|library| library.path.clone()).unwrap_or_default();
    let of = asked.quantization.map(|ty| format!("as {ty}: ")).unwrap_or_default();
    let about = |rule, detail: String| {
        let detail = format!("{of}{detail}");
        let mut finding = Finding { detail, target: Some(target.clone()), ..Finding::new(rule) };
        if !path.is_empty() {
            finding.locations = vec![Location::file(&path, "")];
        }
        finding
    };
    let rows = || answer.phases.iter().flat_map(|phase| &phase.rows);
    let roles = |kind: WayKind| -> BTreeSet<&str> {
        rows().filter(|row| row.way.kind == kind).map(|row| row.operation.role.as_str()).collect()
    };
    let mut all = Vec::new();
    if let Some(library) = answer.library.as_ref().filter(|_| !answer.has_code) {
        let targets: Vec<String> = library.targets.iter().map(ToString::to_string).collect();
        all.push(about(&rules::TARGET_WITHOUT_CODE, format!("it has code for {}", targets.join(", "))));
    }
    for (kind, rule) in [
        (WayKind::Absent, &rules::KERNEL_ABSENT),
        (WayKind::TrapStub, &rules::TRAP_STUB),
        (WayKind::Cpu, &rules::OPERATION_REFUSED),
        (WayKind::ExpertLoop, &rules::EXPERTS_BY_HOST),
    ] {
        let roles = roles(kind);
        if !roles.is_empty() {
            all.push(about(rule, roles.into_iter().collect::<Vec<_>>().join(", ")));
        }
    }
    all
}

fn of_conversion(made: &Conversion, network: &Network) -> Vec<(String, Evidence)> {
    let ty = made.ty.map_or("f16", |ty| ty.name);
    let how = match made.follows_file {
        true => format!("{ty}, that of the file's matrices, as --outtype auto takes it"),
        false => format!("{ty}, as the call says"),
    };
    let mut all = vec![(
        format!(
            "llama.cpp reads GGUF alone: convert_hf_to_gguf.py comes first, and names, shapes and types are those that it would write \
             (llama.cpp 0024aa7417ef). Matrices become {how}; norms and routers f32"
        ),
        Evidence::Code,
    )];
    if !made.is_known {
        let class = made.class.as_deref().unwrap_or("a model without a class");
        let text = format!(
            "no rules are known for {class}: names that llama.cpp would change are kept, and it may refuse the model"
        );
        all.push((text, Evidence::Inferred));
    }
    if let Some((method, becomes)) = &made.quantized {
        let text = match becomes {
            Some(Becomes::Dequantized) => {
                format!("weights in {method} are none that llama.cpp reads: the converter makes {ty} of them")
            }
            Some(Becomes::Repacked) => {
                format!("weights in {method} are repacked as ggml's type of that name")
            }
            Some(Becomes::Refused) => format!(
                "the converter does not take weights in {method}: the answer is for {ty} of the same shapes, which another file must bring"
            ),
            None => format!(
                "what the converter makes of weights in {method} is not known; shapes are taken as they are stored"
            ),
        };
        all.push((text, Evidence::Code));
    }
    if made.of_other_parts > 0 {
        let text = format!(
            "{} tensors read images or sound; the converter writes a file of its own for them, and they are left out",
            made.of_other_parts
        );
        all.push((text, Evidence::Code));
    }
    if !made.unplaced.is_empty() {
        const NAMED: usize = 8;
        let names: Vec<&str> = made.unplaced.iter().take(NAMED).map(String::as_str).collect();
        let more = made.unplaced.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("left out, since the rules have no place for them: {}{more}", names.join(", "));
        all.push((text, Evidence::Inferred));
    }
    if made.heads_of_shapes {
        let text = "config.json leaves sizes of heads to defaults; they are taken from shapes of the weights"
            .to_owned();
        all.push((text, Evidence::Inferred));
    }
    let asks = network.weights.iter().find(|weight| weight.role.starts_with("attn_q"));
    if asks.and_then(|weight| weight.block).is_some_and(|block| network.attention(block).is_none()) {
        let text =
            "how many heads attention has is not known, so that it is left out of all numbers".to_owned();
        all.push((text, Evidence::Observed));
    }
    all
}

fn statements(modelled: &Modelled<'_>, answers: &[Asked<'_>]) -> Vec<Statement> {
    let say = |about: &str, text: String, evidence| Statement { about: about.to_owned(), text, evidence };
    let mut all = Vec::new();
    let architecture = &modelled.files.network.architecture;
    if OBSERVED.contains(&architecture.as_str()) {
        let text = format!(
            "the rules for {architecture} were compared with runs of llama.cpp 0.7.0 and ggml 0.27.0"
        );
        all.push(say("architecture", text, Evidence::Observed));
    } else {
        let is_read = graph::is_named(architecture);
        let named = match architecture.as_str() {
            "" => "a model that names no architecture".to_owned(),
            named => format!("{named:?}"),
        };
        let (text, evidence) = if is_read {
            let text = format!(
                "what {named} has of its own is read in llama.cpp's sources; no run of it was compared. Columns of the last block, \
                 precision and fusion can be others"
            );
            (text, Evidence::Code)
        } else {
            let text = format!(
                "no rules of its own are known for {named}: every matrix is taken to be a product of each token. Columns of the last \
                 block, precision and fusion can be others"
            );
            (text, Evidence::Inferred)
        };
        all.push(say("architecture", text, evidence));
    }
    if let Some(made) = &modelled.files.conversion {
        let said = of_conversion(made, &modelled.files.network);
        all.extend(said.into_iter().map(|(text, evidence)| say("conversion", text, evidence)));
    }
    if modelled.files.is_header_only {
        let text = "only headers are in the files, which is all that is read".to_owned();
        all.push(say("data", text, Evidence::Observed));
    }
    if answers.iter().any(|asked| asked.answer.phases.iter().any(Phase::has_loop)) {
        let text = "how many tokens an expert gets is the router's choice; launches are those of an even one"
            .to_owned();
        all.push(say("experts", text, Evidence::Inferred));
    }
    let fused =
        "gate, up and sums are joined as ggml does it unless buffers overlap, which its allocator decides"
            .to_owned();
    all.push(say("fusion", fused, Evidence::Inferred));
    let (counted, evidence) = if COUNTED.contains(&architecture.as_str()) {
        ("all launches are counted, as in the runs; a call of rocBLAS is one", Evidence::Observed)
    } else {
        (
            "launches between products are those of the weights that are there: norms, rotations, sums and units of a usual block",
            Evidence::Inferred,
        )
    };
    all.push(say("launches", counted.to_owned(), evidence));
    if answers.iter().any(|asked| asked.quantization.is_some()) {
        let text = "which weights get another type is as in llama-quantize (llama.cpp 007dbbf3fd17, the same as dry runs of 0.7.0), \
                    without an importance matrix and from weights that are not quantized";
        all.push(say("quantization", text.to_owned(), Evidence::Code));
    }
    let of_card = match modelled.memory {
        Some(_) => {
            "the card's memory is that of the call; buffers of computation are not known, and come on top"
        }
        None => {
            "no list of products has the memory of cards; --memory GIB names it. Buffers of computation are not known"
        }
    };
    all.push(say("memory", of_card.to_owned(), Evidence::Inferred));
    let predicted = "rules name kernels; nothing was run, and no speed is promised".to_owned();
    all.push(say("predicted", predicted, Evidence::Inferred));
    all
}
