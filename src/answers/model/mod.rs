//! A whole model on a device: which kernels each phase launches, in which way, and which of them the tree
//! has.
//!
//! A `device` computes each operation in some `way`; a `phase` sums them up, a `verdict` judges the sums, and
//! `advice` asks again with one thing changed.

mod advice;
mod bound;
mod cards;
mod device;
mod phase;
mod verdict;
mod way;

#[cfg(test)]
mod tests;

pub use advice::{Advice, BatchCost, Tried};
pub use bound::{LeastTime, ReachedShare};
pub use cards::{Card, Compared, OnCard, OnCards};
pub use phase::{Choice, EqualOperations, Phase, PhaseShare, RowKernel, UBATCHES_OF_A_PROMPT, ratio};
pub use verdict::{Outcome, Verdict};
pub use way::{Way, WayKind};

use super::Answers;
use super::route::GgmlLibrary;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::types::Type;
use crate::engines::ggml::{Architecture, Version};
use crate::engines::model::network::Network;
use crate::engines::model::operation::{Operation, Product};
use crate::error::AuditError;
use crate::target::TargetId;
use device::Device;

/// Multiprocessors assumed if the caller gives none: those of a Radeon VII.
pub use super::route::MULTIPROCESSORS;

/// A model and how it is used.
#[derive(Debug, Clone)]
pub struct ModelQuestion {
    /// The device's target.
    pub target: TargetId,
    /// The version of ggml; if `None`, the library's, else the latest with known rules.
    pub version: Option<Version>,
    /// Multiprocessors of the device, used for rocBLAS and for how ggml distributes tiles.
    pub multiprocessors: u32,
    /// How it is used.
    pub usage: Usage,
}

/// How a model is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Most tokens computed at once (`-ub` of llama.cpp).
    pub ubatch: u64,
    /// Number of sequences in the phase that decodes several.
    pub sequences: u64,
    /// Tokens in the cache for each sequence.
    pub context: u64,
    /// Whether attention is one operation; `None` decides by what the device accepts.
    pub flash: Option<bool>,
    /// Type of the cached keys and values.
    pub cache: Type,
}

/// How a device runs a model.
#[derive(Debug)]
pub struct ModelAnswer {
    /// What was asked.
    pub question: ModelQuestion,
    /// The device in the terms of ggml's rules.
    pub architecture: Architecture,
    /// The version whose rules answer.
    pub rules: Version,
    /// ggml's library, if the tree has it.
    pub library: Option<GgmlLibrary>,
    /// Whether that library has code for the target.
    pub has_code: bool,
    /// rocBLAS's folder for the target, if the tree has one.
    pub rocblas: Option<String>,
    /// Whether attention is one operation.
    pub flash: bool,
    /// Prefill, decode, and decode of several sequences.
    pub phases: Vec<Phase>,
    /// The overall judgement; `None` if there is nothing to compute.
    pub verdict: Option<Verdict>,
    /// Changes a user can make, each with its effect.
    pub advice: Vec<Advice>,
    /// What the batch size that was asked for costs beside llama.cpp's own; `None` where it is that.
    pub against_default: Option<BatchCost>,
}

impl Answers {
    /// How a device runs a model with the libraries of this tree.
    ///
    /// # Errors
    ///
    /// If the target is no AMD GPU, the tree has several ggml libraries, or the library's version is unknown
    /// and the caller gives none.
    pub fn model(&self, network: &Network, question: ModelQuestion) -> Result<ModelAnswer, AuditError> {
        let file = self.ggml()?;
        self.model_with(network, question, file.as_ref())
    }

    /// Like [`Answers::model`], with a library that is already open.
    ///
    /// # Errors
    ///
    /// As [`Answers::model`].
    pub fn model_with(
        &self,
        network: &Network,
        question: ModelQuestion,
        library: Option<&Library>,
    ) -> Result<ModelAnswer, AuditError> {
        let known =
            library.map(|library| GgmlLibrary::from_library(library, question.version)).transpose()?;
        let version = known.as_ref().map(|known| known.version).or(question.version);
        let architecture = processor(&question.target)?;
        let index = library.and_then(|library| library.index(&question.target));
        let mut device =
            Device::new(self, network, &question, &architecture, version, (library, index.as_ref()))?;
        let usage = question.usage;
        let flash = match usage.flash {
            Some(flash) => flash,
            None => device.takes_flash(network)?,
        };
        let phases = device.phases(network, &usage, flash)?;
        let default = device.default_prefill(network, flash, &phases)?;
        let advice = device.advice(network, flash, &phases, default.as_ref())?;
        let against_default = BatchCost::against_default(&usage, &phases, default.as_ref());
        let rocblas = self.find_rocblas(&question.target.to_string()).ok();
        let rules = crate::engines::ggml::rules::rules().map_err(malformed)?;
        Ok(ModelAnswer {
            rules: version.map_or_else(|| rules.latest(), |version| rules.nearest(version)),
            library: known,
            has_code: index.is_some(),
            rocblas: rocblas.map(|library| library.folder().path().display().to_string()),
            flash,
            verdict: verdict::verdict(&phases),
            phases,
            advice,
            against_default,
            architecture: architecture.clone(),
            question: question.clone(),
        })
    }
}

/// The processor of a target in the terms of ggml's rules.
fn processor(target: &TargetId) -> Result<Architecture, AuditError> {
    Architecture::parse(&target.processor).map_err(|e| AuditError::Usage(e.to_string()))
}

impl Answers {
    /// The way of each of several products, and the names of the kernels it launches.
    ///
    /// # Errors
    ///
    /// As [`Answers::model`].
    pub(super) fn products(
        &self,
        products: &[Product],
        question: ModelQuestion,
        library: Option<&Library>,
    ) -> Result<Vec<(Way, Vec<String>)>, AuditError> {
        let known =
            library.map(|library| GgmlLibrary::from_library(library, question.version)).transpose()?;
        let version = known.as_ref().map(|known| known.version).or(question.version);
        let architecture = processor(&question.target)?;
        let index = library.and_then(|library| library.index(&question.target));
        let network = Network::default();
        let mut device =
            Device::new(self, &network, &question, &architecture, version, (library, index.as_ref()))?;
        let mut rows = Vec::new();
        for product in products {
            let operation =
                Operation { block: None, role: String::new(), weight: None, product: *product, rule: None };
            let row = device.row_of(operation)?;
            let calls = row.calls.iter().map(|(call, choice)| {
                let kernel = choice.as_ref().and_then(|choice| choice.kernel.clone());
                kernel.unwrap_or_else(|| {
                    format!("{} {} {}x{}x{}", call.function, call.ty, call.m, call.n, call.k)
                })
            });
            let own = row.kernels.iter().filter(|_| row.calls.is_empty()).map(|kernel| kernel.kernel.name());
            rows.push((row.way.clone(), calls.chain(own).collect()));
        }
        Ok(rows)
    }
}

fn malformed(what: &str) -> AuditError {
    AuditError::Internal(format!("the rules of models: {what}"))
}
