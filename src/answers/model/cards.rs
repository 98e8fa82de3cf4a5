//! A model on several cards: as it is and in other file types, with the libraries of one tree or several.

use super::bound::{LeastTime, least_time, reached};
use super::{ModelAnswer, ModelQuestion, Phase, Usage};
use crate::answers::Answers;
use crate::answers::findings::{of_library, of_model, together};
use crate::asked::CardSpeed;
use crate::engines::ggml::Version;
use crate::engines::model::network::Network;
use crate::engines::model::quantize::{FileType, quantized};
use crate::error::AuditError;
use crate::finding::Finding;
use crate::target::TargetId;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::sync::Arc;

/// A card that the model runs on.
#[derive(Debug, Clone)]
pub struct Card {
    /// Target of the card.
    pub target: TargetId,
    /// Number of multiprocessors, as HIP counts them.
    pub multiprocessors: u32,
    /// Its memory in bytes, where it is known.
    pub memory: Option<u64>,
    /// How fast it is at best, where it is known.
    pub speed: Option<CardSpeed>,
    /// The processor in it, which an override can hide.
    pub processor: String,
}

/// A model to ask about on each card, in each file type and with each tree.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The model as it is.
    pub network: &'a Network,
    /// Other file types to convert the model to; each is asked about once.
    pub quantizations: &'a [&'static FileType],
    /// The cards.
    pub cards: &'a [Card],
    /// The version of ggml; if `None`, the library's, else the latest with known rules.
    pub version: Option<Version>,
    /// How it is used.
    pub usage: Usage,
}

/// One question about a model on a card, and the answer.
#[derive(Debug)]
pub struct OnCard {
    /// The model, with the weight types of its quantization.
    pub network: Arc<Network>,
    /// The file type the model was converted to; `None` for the model as it is.
    pub quantization: Option<&'static str>,
    /// Path of the other tree whose libraries answered; `None` for the first tree.
    pub beside: Option<String>,
    /// The card.
    pub card: Card,
    /// The least time of each phase of the answer.
    pub least: Vec<Option<LeastTime>>,
    /// The answer.
    pub answer: ModelAnswer,
}

/// The answers of all cards.
#[derive(Debug)]
pub struct OnCards {
    /// The answers; the first is for the model as it is on the first card.
    pub answers: Vec<OnCard>,
    /// Warnings about the answers, and what could not be read of the trees.
    pub findings: Vec<Finding>,
}

impl Compared<'_> {
    /// Asks each of several trees; the first has no name.
    ///
    /// # Errors
    ///
    /// As [`Answers::model`].
    pub fn ask(&self, trees: &[(Answers, Option<String>)]) -> Result<OnCards, AuditError> {
        let networks = self.networks();
        let mut all = OnCards { answers: Vec::new(), findings: Vec::new() };
        for (tree, beside) in trees {
            let library = tree.ggml()?;
            let on = |card: &Card, (quantization, network): &(Option<&'static str>, Arc<Network>)| {
                let question = ModelQuestion {
                    target: card.target.clone(),
                    version: self.version,
                    multiprocessors: card.multiprocessors,
                    usage: self.usage,
                };
                let answer = tree.model_with(network, question, library.as_ref())?;
                let (network, beside) = (Arc::clone(network), beside.clone());
                let class = answer.architecture.class(answer.rules).name();
                let has_experts = network.experts_used() > 0;
                // Runs are of code for the card itself.
                let is_own = card.processor == card.target.processor;
                let least = |phase: &Phase| {
                    let reached = reached(phase, class).filter(|_| !has_experts && is_own);
                    least_time(phase, card.speed.as_ref()?, &card.processor, reached)
                };
                let least = answer.phases.iter().map(least).collect();
                let card = card.clone();
                Ok(OnCard { network, quantization: *quantization, beside, card, least, answer })
            };
            let pairs: Vec<_> = self
                .cards
                .iter()
                .flat_map(|card| networks.iter().map(move |network| (card, network)))
                .collect();
            // Each card's code is unpacked and examined separately.
            let answers: Result<Vec<OnCard>, AuditError> =
                pairs.par_iter().map(|(card, network)| on(card, network)).collect();
            all.answers.extend(answers?);
            let of_library = library.as_ref().map(of_library).unwrap_or_default();
            all.findings.extend(tree.found(of_library));
        }
        let own = all.answers.iter().map(|on| of_model(&on.answer, on.quantization));
        all.findings = together(own.chain([std::mem::take(&mut all.findings)]));
        Ok(all)
    }

    /// The model as it is, and in each file type.
    fn networks(&self) -> Vec<(Option<&'static str>, Arc<Network>)> {
        let mut networks = vec![(None, Arc::new(self.network.clone()))];
        for ty in self.quantizations {
            if networks.iter().all(|(name, _)| *name != Some(ty.name)) {
                networks.push((Some(ty.name), Arc::new(quantized(self.network, ty))));
            }
        }
        networks
    }
}
