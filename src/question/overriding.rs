//! What happens when a card claims another processor.

use super::{Question, Trees};
use crate::asked::override_value::{OverrideValue, is_of_a_gpu};
use crate::capability::Capability;
use crate::error::AuditError;
use crate::inventory::{Artifact, Inventory};
use crate::report::v1::OverrideReport;
use crate::report::{self, Overriding};
use crate::scan::run::Options;
use crate::target::TargetId;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Asks whether code for another processor, claimed by `HSA_OVERRIDE_GFX_VERSION`, runs on a card, and which
/// libraries this helps.
#[derive(Debug, Clone)]
pub struct OverrideQuestion {
    /// The value of the variable.
    pub value: OverrideValue,
    /// The processor of the card.
    pub card: TargetId,
}

impl Question for OverrideQuestion {
    type Document = OverrideReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<OverrideReport, AuditError> {
        let card = &self.card;
        if !is_of_a_gpu(card) {
            let what = format!(
                "override: {card} is no GPU, and has no such variable; name the card or its processor"
            );
            return Err(AuditError::Usage(what));
        }
        let question = Overriding { value: &self.value.text, claimed: &self.value.claimed, card };
        // The answer lists what the card lacks, also where that decides nothing.
        answer(trees, None, &question, report::differ_in_instructions(question.claimed, card))
    }
}

/// The answer, decided by instructions if the tables do not decide it. If the trees were `read` before, only the
/// files of libraries with code for the claimed processor are opened again.
pub(super) fn decided(
    trees: &Trees<'_>,
    read: Option<&Inventory>,
    question: &Overriding<'_>,
) -> Result<OverrideReport, AuditError> {
    answer(trees, read, question, report::needs_decoding(question.claimed, question.card))
}

/// Only those options count that select files.
fn answer(
    trees: &Trees<'_>,
    read: Option<&Inventory>,
    question: &Overriding<'_>,
    decode: bool,
) -> Result<OverrideReport, AuditError> {
    let inventory = trees.audited(|options| Options {
        instructions: decode,
        targets: vec![question.claimed.clone()],
        only_for: report::gpus_asked(question.claimed, question.card),
        legal_on: decode.then(|| question.card.processor.clone()),
        only_files: read.map(|read| Arc::new(files_with(read, question.claimed))),
        ..options
    })?;
    let asked = [question.claimed.clone(), question.card.clone()];
    let found = Capability::from_inventory(&inventory, &asked);
    Ok(report::override_value(&inventory, read.unwrap_or(&inventory), &found, question))
}

/// The files of libraries with code for a processor.
fn files_with(read: &Inventory, claimed: &TargetId) -> BTreeSet<PathBuf> {
    let has = |artifact: &&Artifact| {
        artifact
            .device
            .as_ref()
            .is_some_and(|code| code.targets.keys().any(|own| own.processor == claimed.processor))
    };
    let libraries: BTreeSet<&str> =
        read.artifacts.iter().filter(has).map(|one| one.library.as_str()).collect();
    let own = read.artifacts.iter().filter(|artifact| libraries.contains(artifact.library.as_str()));
    own.map(|artifact| artifact.locator.path.clone()).collect()
}
