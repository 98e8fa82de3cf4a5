//! Makes the report on a model on cards.

mod phase;
mod ranking;
mod statements;
mod verdict;

use super::ggml::library;
use super::v1::{Header, document};
use super::v1::{ModelCard, ModelConversion, ModelFacts, ModelMemory, ModelReport, ModelSpeed, ModelUsage};
use crate::answers::model::{Card, OnCard, Usage};
use crate::answers::model_files::ModelFiles;
use crate::asked::CardSpeed;
use crate::engines::model::conversion::Conversion;
use crate::engines::model::families::Becomes;
use crate::engines::model::network::Network;
use crate::engines::model::rules::OBSERVED;
use crate::finding::Finding;
use crate::target::rates::UnitRates;
use std::collections::BTreeMap;

/// A model in a question.
#[derive(Debug)]
pub struct Modelled<'a> {
    /// Its files and their contents.
    pub files: &'a ModelFiles,
    /// Whether the call states the card's memory.
    pub memory_given: bool,
    /// Whether the number of multiprocessors is assumed.
    pub multiprocessors_assumed: bool,
}

/// The report on a model on at least one card, with the findings.
pub fn model(modelled: &Modelled<'_>, usage: &Usage, answers: &[OnCard], found: &[Finding]) -> ModelReport {
    let network = &modelled.files.network;
    let cards: Vec<ModelCard> = answers.iter().map(|asked| card(asked, modelled, usage)).collect();
    ModelReport {
        ranking: ranking::ranking(&cards),
        header: Header::from_document(document::MODEL),
        claim: None,
        found: super::findings::found(found),
        model: facts(modelled),
        usage: ModelUsage {
            prompt: usage.prompt,
            ubatch: usage.ubatch,
            sequences: usage.sequences,
            context: usage.context,
            cache_type: usage.cache.name.to_owned(),
        },
        memory: memory(network, usage, answers.first().and_then(|asked| asked.card.memory)),
        cards,
        statements: statements::statements(modelled, answers),
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

fn speed_of(card: &Card, speed: CardSpeed) -> ModelSpeed {
    ModelSpeed {
        bandwidth: speed.bandwidth,
        clock_mhz: speed.clock_mhz,
        compute_units: speed.compute_units,
        cache: UnitRates::of_processor(&card.processor).map(UnitRates::cache),
    }
}

fn small(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn card(asked: &OnCard, modelled: &Modelled<'_>, usage: &Usage) -> ModelCard {
    let answer = &asked.answer;
    let multiprocessors_assumed = modelled.multiprocessors_assumed;
    let memory = memory(&asked.network, usage, asked.card.memory);
    let mut verdict = verdict::verdict(answer);
    if memory.left.is_some_and(|left| left < 0) {
        verdict.text.push_str(", but does not fit the card's memory");
    }
    ModelCard {
        target: answer.question.target.to_string(),
        quantization: asked.quantization.map(str::to_owned),
        beside: asked.beside.clone(),
        memory,
        speed: asked.card.speed.map(|speed| speed_of(&asked.card, speed)),
        types: types(&asked.network),
        class: answer.architecture.class(answer.rules).name().to_owned(),
        rules: answer.rules.to_string(),
        multiprocessors: answer.question.multiprocessors,
        multiprocessors_assumed,
        library: answer.library.as_ref().map(library),
        rocblas: answer.rocblas.clone(),
        flash_attention: answer.flash,
        phases: answer
            .phases
            .iter()
            .zip(&asked.least)
            .map(|(own, least)| phase::phase(own, *least))
            .collect(),
        verdict,
        advice: answer.advice.iter().map(verdict::advice).collect(),
        against_default: answer.against_default.as_ref().map(verdict::against_default),
    }
}
