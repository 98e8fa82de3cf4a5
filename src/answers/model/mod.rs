//! A whole model on a device: what each of its phases launches, by which way, and what of that the tree has.
//!
//! A `device` is asked about each operation, which goes a `way`; a `phase` sums them up, a `verdict` says what they
//! come to, and `advice` asks again with one thing changed.

mod advice;
mod cards;
mod device;
mod phase;
mod verdict;
mod way;

#[cfg(test)]
mod tests;

pub use advice::{Advice, Tried};
pub use cards::{Card, Compared, OnCard, OnCards};
pub use phase::{Choice, Phase, Row, RowKernel, Share, UBATCHES_OF_A_PROMPT, ratio};
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

/// Multiprocessors that are assumed where none are named: those of a Radeon VII.
pub use super::route::MULTIPROCESSORS;

/// A model and how it is used.
#[derive(Debug, Clone)]
pub struct ModelQuestion {
    /// The device's target.
    pub target: TargetId,
    /// The version of ggml; without it the library's, else the latest that rules are known of.
    pub version: Option<Version>,
    /// Multiprocessors of the device, for rocBLAS and for how ggml shares tiles.
    pub multiprocessors: u32,
    /// How it is used.
    pub usage: Usage,
}

/// How a model is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Most tokens that are computed at once.
    pub ubatch: u64,
    /// Sequences of the phase with several.
    pub sequences: u64,
    /// Tokens that the cache holds for each sequence.
    pub context: u64,
    /// Whether attention is one operation; without it, where the device takes it.
    pub flash: Option<bool>,
    /// Type of keys and values in the cache.
    pub cache: Type,
}

/// What a device makes of a model.
#[derive(Debug)]
pub struct ModelAnswer {
    /// What was asked.
    pub question: ModelQuestion,
    /// The device as ggml's rules see it.
    pub architecture: Architecture,
    /// The version whose rules answer.
    pub rules: Version,
    /// ggml's library, where the tree has one.
    pub library: Option<GgmlLibrary>,
    /// Whether that library has code for the target.
    pub has_code: bool,
    /// The folder of rocBLAS, where the tree has one for the target.
    pub rocblas: Option<String>,
    /// Whether attention is one operation.
    pub flash: bool,
    /// Prefill, decode, several sequences.
    pub phases: Vec<Phase>,
    /// What it comes to.
    pub verdict: Option<Verdict>,
    /// What the user can change, each with what it would come to.
    pub advice: Vec<Advice>,
}

impl Answers {
    /// What a device makes of a model with what is in this tree.
    ///
    /// # Errors
    /// Where the target is no AMD GPU, several libraries of ggml are in the tree, or its version is not known and not named.
    pub fn model(&self, network: &Network, question: ModelQuestion) -> Result<ModelAnswer, AuditError> {
        let file = self.ggml()?;
        self.model_with(network, question, file.as_ref())
    }

    /// The same with a library that was opened before.
    ///
    /// # Errors
    /// As [`Answers::model`].
    pub fn model_with(
        &self,
        network: &Network,
        question: ModelQuestion,
        library: Option<&Library>,
    ) -> Result<ModelAnswer, AuditError> {
        let known = library.map(|library| GgmlLibrary::of(library, question.version)).transpose()?;
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
        let advice = device.advice(network, flash, &phases)?;
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
            architecture: architecture.clone(),
            question: question.clone(),
        })
    }
}

/// The processor of a target, as ggml's rules see it.
fn processor(target: &TargetId) -> Result<Architecture, AuditError> {
    Architecture::parse(&target.processor).map_err(|e| AuditError::Usage(e.to_string()))
}

impl Answers {
    /// The way of each of several products, and the names of what is launched.
    ///
    /// # Errors
    /// As [`Answers::model`].
    pub(super) fn products(
        &self,
        products: &[Product],
        question: ModelQuestion,
        library: Option<&Library>,
    ) -> Result<Vec<(Way, Vec<String>)>, AuditError> {
        let known = library.map(|library| GgmlLibrary::of(library, question.version)).transpose()?;
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
