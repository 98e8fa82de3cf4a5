//! A model on cards beside each other: as it is and as other types of file, with the libraries of one tree and of another.

use super::{ModelAnswer, ModelQuestion, Usage};
use crate::answers::Answers;
use crate::answers::findings::{of_library, of_model, together};
use crate::engines::ggml::Version;
use crate::engines::model::network::Network;
use crate::engines::model::quantize::{FileType, quantized};
use crate::error::AuditError;
use crate::finding::Finding;
use crate::target::TargetId;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::sync::Arc;

/// A card that a model is asked on.
#[derive(Debug, Clone)]
pub struct Card {
    /// Its target.
    pub target: TargetId,
    /// Its multiprocessors.
    pub multiprocessors: u32,
}

/// A model that is asked on each card, in each type of file, with each tree.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The model as it is.
    pub network: &'a Network,
    /// The types of file that it would be besides; each is asked once.
    pub quantizations: &'a [&'static FileType],
    /// The cards.
    pub cards: &'a [Card],
    /// The version of ggml; without it the library's, else the latest that rules are known of.
    pub version: Option<Version>,
    /// How it is used.
    pub usage: Usage,
}

/// What was asked of a model on one card, and the answer.
#[derive(Debug)]
pub struct OnCard {
    /// The model, with the types of its quantization.
    pub network: Arc<Network>,
    /// The type of file that it would be; nothing for the model as it is.
    pub quantization: Option<&'static str>,
    /// The other libraries that were asked, by their paths.
    pub beside: Option<String>,
    /// The answer.
    pub answer: ModelAnswer,
}

/// The answers of all cards.
#[derive(Debug)]
pub struct OnCards {
    /// The first is that of the first card for the model as it is.
    pub answers: Vec<OnCard>,
    /// What they should make a reader careful about, and what of the trees could not be read.
    pub findings: Vec<Finding>,
}

impl Compared<'_> {
    /// Asks each of several trees, which have a name where they stand beside the first.
    ///
    /// # Errors
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
                Ok(OnCard { network, quantization: *quantization, beside, answer })
            };
            let pairs: Vec<_> = self
                .cards
                .iter()
                .flat_map(|card| networks.iter().map(move |network| (card, network)))
                .collect();
            // Each card's code is unpacked and looked at alone.
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

    /// The model as it is, and as each type of file.
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
