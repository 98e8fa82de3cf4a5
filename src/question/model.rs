//! Asks which kernels a model's weights use on cards.

use super::{Question, Trees};
use crate::answers::Answers;
use crate::answers::findings::together;
use crate::answers::model::{Card, Compared, MULTIPROCESSORS, UBATCHES_OF_A_PROMPT, Usage};
use crate::answers::model_files::ModelFiles;
use crate::asked::AskedCard;
use crate::engines::ggml::Version;
use crate::engines::model::quantize::FileType;
use crate::error::AuditError;
use crate::report;
use crate::report::model::Modelled;
use crate::report::v1::{Claim, ModelReport};
use std::path::PathBuf;

/// Asks about a model in GGUF or safetensors files on cards. The trees contain ggml's library and rocBLAS;
/// without trees the rules alone answer.
#[derive(Debug, Clone)]
pub struct WeightsQuestion {
    /// Files of one model, or its folder.
    pub files: Vec<PathBuf>,
    /// The card, and further cards to compare with.
    pub cards: Vec<AskedCard>,
    /// Multiprocessors of the cards as HIP counts them; `None` takes each card's own.
    pub multiprocessors: Option<u32>,
    /// A second tree whose libraries are also asked, to compare with.
    pub vs_library: Option<PathBuf>,
    /// Also asks about the model as llama-quantize would write it in these types.
    pub quantizations: Vec<&'static FileType>,
    /// How it is used.
    pub usage: Usage,
    /// Memory of the first card in bytes, to decide whether weights and cache fit; `None` takes that of the
    /// product.
    pub memory: Option<u64>,
    /// The version of ggml; if `None`, the library's, else the latest with known rules.
    pub ggml: Option<Version>,
    /// The processor that the card claims.
    pub claim: Option<Claim>,
}

impl WeightsQuestion {
    /// A model as it is on one card.
    pub fn new(files: Vec<PathBuf>, card: AskedCard, usage: Usage) -> Self {
        WeightsQuestion {
            files,
            cards: vec![card],
            multiprocessors: None,
            vs_library: None,
            quantizations: Vec::new(),
            usage,
            memory: None,
            ggml: None,
            claim: None,
        }
    }

    /// A card with the number of multiprocessors that the caller gives, else the product's.
    fn card(&self, (place, card): (usize, &AskedCard)) -> Card {
        let assumed = || card.most_multiprocessors().unwrap_or(MULTIPROCESSORS);
        let multiprocessors = self.multiprocessors.or_else(|| card.multiprocessors()).unwrap_or_else(assumed);
        let memory = self.memory.filter(|_| place == 0).or_else(|| card.memory());
        Card {
            target: card.target.clone(),
            multiprocessors,
            memory,
            speed: card.speed(),
            processor: card.own().processor.clone(),
        }
    }

    fn is_assumed(&self) -> bool {
        let first = self.cards.first().and_then(AskedCard::multiprocessors);
        self.multiprocessors.is_none() && first.is_none()
    }
}

impl Question for WeightsQuestion {
    type Document = ModelReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<ModelReport, AuditError> {
        if self.usage.prompt.div_ceil(self.usage.ubatch.max(1)) > UBATCHES_OF_A_PROMPT as u64 {
            let what = format!(
                "model: a prompt is cut into {UBATCHES_OF_A_PROMPT} batches at most; a larger --ubatch is needed"
            );
            return Err(AuditError::Usage(what));
        }
        let read = ModelFiles::read(&self.files, None)?;
        let cards: Vec<Card> = self.cards.iter().enumerate().map(|card| self.card(card)).collect();
        let asked = Compared {
            network: &read.network,
            quantizations: &self.quantizations,
            cards: &cards,
            version: self.ggml,
            usage: self.usage,
        };
        let mut libraries = vec![(trees.listed()?, None)];
        if let Some(path) = &self.vs_library {
            let beside = Answers::open_as(std::slice::from_ref(path), trees.options())?;
            libraries.push((beside, Some(path.display().to_string())));
        }
        let answered = asked.ask(&libraries)?;
        let modelled = Modelled {
            files: &read,
            memory_given: self.memory.is_some(),
            multiprocessors_assumed: self.is_assumed(),
        };
        let found = together([read.problems.clone(), answered.findings]);
        let report = report::model::model(&modelled, &self.usage, &answered.answers, &found);
        Ok(ModelReport { claim: self.claim.clone(), ..report })
    }
}
