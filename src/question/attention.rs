//! Asks which kernels of attention a tree holds for a card, and which of them frameworks take.

mod document;

use super::{Question, Trees};
use crate::answers::Answers;
use crate::answers::attention::{AttentionAnswer, HeldKernels, is_wanted};
use crate::asked::AskedCard;
use crate::engines::attention::AttentionCall;
use crate::engines::attention::step::Environment;
use crate::error::AuditError;
use crate::report::v1::AttentionReport;
use crate::scan::kernel_sink::KernelFilter;
use crate::scan::run::KernelInventory;
use regex::Regex;

/// Asks which library holds a kernel of attention for a card, and which one PyTorch, vLLM, AITER and llama.cpp
/// take.
#[derive(Debug, Clone)]
pub struct AttentionQuestion {
    /// The card.
    pub card: AskedCard,
    /// The attention.
    pub call: AttentionCall,
    /// Variables of the environment that are set.
    pub environment: Environment,
}

/// Names of kernels that can be attention: AOTriton's, AITER's and Composable Kernel's forward passes.
const NAMES: &str = "attn_fwd|fmha_fwd|fmha_bf16|FMHA_FWD|FmhaFwd";

impl Question for AttentionQuestion {
    type Document = AttentionReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<AttentionReport, AuditError> {
        let names = Regex::new(NAMES)
            .map_err(|error| AuditError::Usage(format!("the names of kernels of attention: {error}")))?;
        let mut held = HeldKernels::default();
        let filter = KernelFilter { name: Some(&names), ..KernelFilter::default() };
        let kernels = KernelInventory { filter, sink: &mut held };
        let (inventory, install) = trees.kept(kernels, &is_wanted)?;
        let unread = held.read_lists(&install);
        let answers = Answers::from_install(install);
        let answer = AttentionAnswer::new(
            &answers,
            &inventory,
            &held,
            self.call,
            &self.card.target,
            &self.environment,
        )?;
        Ok(document::attention(&answer, &self.card, &[inventory.findings.clone(), unread].concat()))
    }
}
